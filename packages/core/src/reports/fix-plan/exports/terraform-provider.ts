/** A Terraform provider: what it calls a record, and how it wants one written. */
import { splitCharacterStrings } from '../../character-strings.js'
import { parseMxValue } from '../mx-value.js'
import type { PanelRecord } from '../panel-record.js'
import { quoteStrings } from '../presentation-format.js'
import type { HclBody, HclExpression } from './hcl.js'

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
