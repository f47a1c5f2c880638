/** Terraform's language, as far as records need it. */

/** As it is written. */
export type Expression = string

/** In this order; without those that are null. */
export type Attributes = Readonly<Record<string, Expression | null>>

export interface Body {
  readonly attributes: Attributes
  /** Blocks of one name. */
  readonly blocks?: { readonly name: string; readonly each: readonly Attributes[] }
}

const ESCAPES: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' }

/** A string that is nothing but text: `${` and `%{` would begin an expression. */
export function text(value: string): Expression {
  const escaped = value
    .replace(/["\\\p{Cc}]/gu, (character) => ESCAPES[character] ?? codePoint(character))
    .replace(/[$%](?=\{)/g, (sign) => sign.repeat(2))
  return `"${escaped}"`
}

function codePoint(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

export function texts(values: readonly string[]): Expression {
  return `[${values.map(text).join(', ')}]`
}

export function variable(name: string, description: string): string {
  return `variable "${name}" ${braces({ attributes: { description: text(description), type: 'string' } })}`
}

export function resource(type: string, name: string, body: Body): string {
  return `resource "${type}" "${name}" ${braces(body)}`
}

function braces({ attributes, blocks }: Body): string {
  const inner = blocks?.each.map((own) => `\n  ${blocks.name} {\n${lines(own, 4)}  }\n`) ?? []
  return `{\n${lines(attributes, 2)}${inner.join('')}}`
}

/** Aligned as `terraform fmt` does. */
function lines(attributes: Attributes, indent: number): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== null)
  const width = Math.max(...given.map(([name]) => name.length))
  return given
    .map(([name, value]) => `${' '.repeat(indent)}${name.padEnd(width)} = ${value}\n`)
    .join('')
}
