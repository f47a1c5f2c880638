/** The shape of a Terraform provider, and how its resources are written in HCL. */
import { parseMxValue } from '../../record-data.js'
import { replaceUnsafe } from '../../visible-text.js'
import type { PanelRecord } from './panel-record.js'

export interface TerraformProvider {
  /** Its registry address. */
  readonly source: string
  /** Values that only the owner knows: descriptions by variable name. */
  readonly variables?: Readonly<Record<string, string>>
  /** The type of its resources. */
  readonly resource: string | Readonly<Record<PanelRecord['type'], string>>
  /** Absent if it takes plain text, not zone file syntax, which can escape any octet. */
  readonly txt?: FormatValue
  /** Absent if it takes names without a final dot. */
  readonly target?: FormatValue
  /** What each attribute holds, in the order to write them. */
  readonly attributes: Attributes
  /** Written for each value. */
  readonly block?: { readonly name: string; readonly attributes: Attributes }
}

type FormatValue = (value: string) => string

type Attributes = Readonly<Record<string, keyof Fields | 'variable'>>

/** One record, or all records of a name and type if these are one resource. */
interface TerraformRecord extends Pick<PanelRecord, 'type' | 'name' | 'ttl'> {
  /** The part before the zone; empty for the zone itself. */
  readonly relativeName: string
  readonly zone: string
  readonly values: readonly string[]
}

/** For providers that read a name without a final dot as relative. */
export function withFinalDot(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

/** HCL source text. */
type HclExpression = string

/** What an attribute may hold; null leaves it out. */
type Fields = Readonly<ReturnType<typeof fieldsOf>>

function fieldsOf(record: TerraformRecord, provider: TerraformProvider) {
  const { type, name, relativeName, zone, ttl, values } = record
  const lines = values.map((value) => valueFields(type, value, provider).line)
  return {
    zone: hclString(zone),
    name: hclString(name),
    absolute: hclString(withFinalDot(name)),
    relative: hclString(relativeName),
    relativeOrAt: hclString(relativeName || '@'),
    type: hclString(type),
    ttl: `${ttl}`,
    ...valueFields(type, values[0] ?? '', provider),
    lines: `[${lines.join(', ')}]`,
    objects: `[${lines.map((line) => `{ value = ${line} }`).join(', ')}]`,
    // Cloudflare answers a proxied CNAME with its own addresses.
    unproxied: type === 'CNAME' ? 'false' : null,
  }
}

function valueFields(type: PanelRecord['type'], value: string, provider: TerraformProvider) {
  const { txt = asIs, target = asIs } = provider
  const { preference, exchange } = parseMxValue(value)
  const isMx = type === 'MX'
  const content = type === 'TXT' ? txt(value) : target(isMx ? exchange : value)
  const quoted = hclString(content)
  return {
    value: quoted,
    text: type === 'TXT' ? quoted : null,
    alias: type === 'CNAME' ? quoted : null,
    exchange: isMx ? quoted : null,
    priority: isMx ? `${preference}` : null,
    /** With the preference: `10 mx.example.com`. */
    line: isMx ? hclString(`${preference} ${content}`) : quoted,
  }
}

function asIs(value: string): string {
  return value
}

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A literal string: `${` and `%{` would start a template expression. */
function hclString(value: string): HclExpression {
  const escaped = value
    .replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? '')
    .replace(/[$%](?=\{)/g, (sign) => sign.repeat(2))
  return `"${replaceUnsafe(escaped, escapeCodePoint)}"`
}

function escapeCodePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

export function hclVariable(name: string, description: string): string {
  const attributes = formatAttributes({ description: hclString(description), type: 'string' }, 2)
  return `variable "${name}" {\n${attributes}}`
}

export function hclResource(
  provider: TerraformProvider,
  label: string,
  record: TerraformRecord,
): string {
  const { resource, attributes, block } = provider
  const write = (wanted: Attributes, values: readonly string[], indent: number) => {
    const fields = fieldsOf({ ...record, values }, provider)
    const written = Object.entries(wanted).map(([name, field]) => {
      return [name, field === 'variable' ? `var.${name}` : fields[field]]
    })
    return formatAttributes(Object.fromEntries(written), indent)
  }
  const blocks = record.values.flatMap((value) => {
    const inner = block ? write(block.attributes, [value], 4) : ''
    return inner === '' ? [] : [`\n  ${block?.name} {\n${inner}  }\n`]
  })
  const type = typeof resource === 'string' ? resource : resource[record.type]
  return `resource "${type}" "${label}" {\n${write(attributes, record.values, 2)}${blocks.join('')}}`
}

/** Aligned like `terraform fmt`. */
function formatAttributes(
  attributes: Readonly<Record<string, HclExpression | null>>,
  indent: number,
): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== null)
  const width = Math.max(...given.map(([name]) => name.length))
  return given
    .map(([name, value]) => `${' '.repeat(indent)}${name.padEnd(width)} = ${value}\n`)
    .join('')
}
