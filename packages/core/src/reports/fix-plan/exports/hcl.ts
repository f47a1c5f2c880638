/** Terraform's language, as far as records need it. */

/** As it is written. */
export type HclExpression = string

/** In this order; without those that are null. */
export type HclAttributes = Readonly<Record<string, HclExpression | null>>

export interface HclBody {
  readonly attributes: HclAttributes
  /** Blocks of one name. */
  readonly blocks?: { readonly name: string; readonly each: readonly HclAttributes[] }
}

const ESCAPES: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' }

/** A string that is nothing but text: `${` and `%{` would begin an expression. */
export function hclString(value: string): HclExpression {
  const escaped = value
    .replace(/["\\\p{Cc}]/gu, (character) => ESCAPES[character] ?? codePoint(character))
    .replace(/[$%](?=\{)/g, (sign) => sign.repeat(2))
  return `"${escaped}"`
}

function codePoint(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

export function hclStringList(values: readonly string[]): HclExpression {
  return `[${values.map(hclString).join(', ')}]`
}

export function hclVariable(name: string, description: string): string {
  return `variable "${name}" ${braces({ attributes: { description: hclString(description), type: 'string' } })}`
}

export function hclResource(type: string, name: string, body: HclBody): string {
  return `resource "${type}" "${name}" ${braces(body)}`
}

function braces({ attributes, blocks }: HclBody): string {
  const inner = blocks?.each.map((own) => `\n  ${blocks.name} {\n${lines(own, 4)}  }\n`) ?? []
  return `{\n${lines(attributes, 2)}${inner.join('')}}`
}

/** Aligned as `terraform fmt` does. */
function lines(attributes: HclAttributes, indent: number): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== null)
  const width = Math.max(...given.map(([name]) => name.length))
  return given
    .map(([name, value]) => `${' '.repeat(indent)}${name.padEnd(width)} = ${value}\n`)
    .join('')
}
