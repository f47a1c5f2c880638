/** A Terraform provider: what it calls a record, and how it wants one written. */
import { splitCharacterStrings } from '../../character-strings.js'
import type { PanelRecord } from './panel-record.js'
import { parseMxValue, quoteStrings } from './zone-file.js'

export interface TerraformProvider {
  /** Where it is registered. */
  readonly source: string
  /** What only the owner knows: a description by the name of the variable. */
  readonly variables: Readonly<Record<string, string>>
  readonly resourceType: (type: PlanRecordType) => string
  readonly body: (data: TerraformResourceData) => HclBody
}

export type PlanRecordType = PanelRecord['type']

/** One record; or all of a name and type, where these are one resource. */
export interface TerraformResourceData {
  readonly type: PlanRecordType
  /** The whole name, without a final dot. */
  readonly name: string
  /** The part before the zone; empty for the zone itself. */
  readonly relativeName: string
  readonly zone: string
  readonly ttl: number
  readonly values: readonly string[]
}

/** For providers that call the zone itself `@`; to others it is an empty name. */
export function atSignForApex(relative: string): string {
  return relative === '' ? '@' : relative
}

/** For providers to which a name without a final dot is relative. */
export function withFinalDot(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

export function asIs(value: string): string {
  return value
}

/** For providers that take a text as zone files have it. */
export function quoteTxtValue(value: string): string {
  return quoteStrings(splitCharacterStrings(value))
}

type Write = (value: string) => string

/** Without a preference, which `priorityOf` has. */
export function formatContent(
  type: PlanRecordType,
  value: string,
  txt: Write,
  target: Write,
): string {
  if (type === 'TXT') return txt(value)
  return target(type === 'MX' ? parseMxValue(value).exchange : value)
}

/** `10 mx.example.com` in one. */
export function formatContentWithPriority(
  type: PlanRecordType,
  value: string,
  txt: Write,
  target: Write,
): string {
  const content = formatContent(type, value, txt, target)
  return type === 'MX' ? `${parseMxValue(value).preference} ${content}` : content
}

export function mxPriority(type: PlanRecordType, value: string): HclExpression | null {
  return type === 'MX' ? `${parseMxValue(value).preference}` : null
}

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
