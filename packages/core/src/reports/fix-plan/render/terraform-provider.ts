/** The shape of a Terraform provider, and how its values and HCL are written. */
import { parseMxValue, quoteStrings, splitCharacterStrings } from '../../record-data.js'
import { replaceUnsafe } from '../../visible-text.js'
import type { PanelRecord } from './panel-record.js'

export interface TerraformProvider {
  /** Its registry address. */
  readonly source: string
  /** Values that only the owner knows: descriptions by variable name. */
  readonly variables: Readonly<Record<string, string>>
  /** TXT values are not in zone file syntax, which can escape any octet. */
  readonly takesPlainText?: true
  readonly resourceType: (type: PlanRecordType) => string
  readonly body: (data: TerraformResourceData) => HclBody
}

type PlanRecordType = PanelRecord['type']

/** One record, or all records of a name and type if these are one resource. */
export interface TerraformResourceData {
  readonly type: PlanRecordType
  /** The full name, without a final dot. */
  readonly name: string
  /** The part before the zone; empty for the zone itself. */
  readonly relativeName: string
  readonly zone: string
  readonly ttl: number
  readonly values: readonly string[]
}

/** For providers that name the zone itself `@`; others use an empty name. */
export function atSignForApex(relative: string): string {
  return relative === '' ? '@' : relative
}

/** For providers that read a name without a final dot as relative. */
export function withFinalDot(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

export function asIs(value: string): string {
  return value
}

/** For providers that expect zone file syntax. */
export function quoteTxtValue(value: string): string {
  return quoteStrings(splitCharacterStrings(value))
}

type FormatValue = (value: string) => string

/** Without the preference, which `mxPriority` returns. */
export function formatContent(
  type: PlanRecordType,
  value: string,
  txt: FormatValue,
  target: FormatValue,
): string {
  if (type === 'TXT') return txt(value)
  return target(type === 'MX' ? parseMxValue(value).exchange : value)
}

/** With the preference: `10 mx.example.com`. */
export function formatContentWithPriority(
  type: PlanRecordType,
  value: string,
  txt: FormatValue,
  target: FormatValue,
): string {
  const content = formatContent(type, value, txt, target)
  return type === 'MX' ? `${parseMxValue(value).preference} ${content}` : content
}

export function mxPriority(type: PlanRecordType, value: string): HclExpression | null {
  return type === 'MX' ? `${parseMxValue(value).preference}` : null
}

/** HCL source text. */
type HclExpression = string

/** Written in this order; null attributes are left out. */
export type HclAttributes = Readonly<Record<string, HclExpression | null>>

export interface HclBody {
  readonly attributes: HclAttributes
  /** Blocks with the same name. */
  readonly blocks?: { readonly name: string; readonly each: readonly HclAttributes[] }
}

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A literal string: `${` and `%{` would start a template expression. */
export function hclString(value: string): HclExpression {
  const escaped = value
    .replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? '')
    .replace(/[$%](?=\{)/g, (sign) => sign.repeat(2))
  return `"${replaceUnsafe(escaped, escapeCodePoint)}"`
}

function escapeCodePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

export function hclStringList(values: readonly string[]): HclExpression {
  return `[${values.map(hclString).join(', ')}]`
}

export function hclVariable(name: string, description: string): string {
  return `variable "${name}" ${formatBody({ attributes: { description: hclString(description), type: 'string' } })}`
}

export function hclResource(type: string, name: string, body: HclBody): string {
  return `resource "${type}" "${name}" ${formatBody(body)}`
}

function formatBody({ attributes, blocks }: HclBody): string {
  const inner =
    blocks?.each.map((own) => `\n  ${blocks.name} {\n${formatAttributes(own, 4)}  }\n`) ?? []
  return `{\n${formatAttributes(attributes, 2)}${inner.join('')}}`
}

/** Aligned like `terraform fmt`. */
function formatAttributes(attributes: HclAttributes, indent: number): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== null)
  const width = Math.max(...given.map(([name]) => name.length))
  return given
    .map(([name, value]) => `${' '.repeat(indent)}${name.padEnd(width)} = ${value}\n`)
    .join('')
}
