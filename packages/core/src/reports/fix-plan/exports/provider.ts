/** A Terraform provider: what it calls a record, and how it wants one written. */
import { characterStrings } from '../../character-strings.js'
import { mxValue } from '../mx-value.js'
import { quotedStrings } from '../presentation.js'
import type { WrittenRecord } from '../written-record.js'
import type { Body, Expression } from './hcl.js'

export interface Provider {
  /** Where it is registered. */
  readonly source: string
  /** What only the owner knows: a description by the name of the variable. */
  readonly variables: Readonly<Record<string, string>>
  readonly resource: (type: RecordType) => string
  readonly body: (data: ResourceData) => Body
}

export type RecordType = WrittenRecord['type']

/** One record; or all of a name and type, where these are one resource. */
export interface ResourceData {
  readonly type: RecordType
  /** The whole name, without a final dot. */
  readonly name: string
  /** The part before the zone; empty for the zone itself. */
  readonly relative: string
  readonly zone: string
  readonly ttl: number
  readonly values: readonly string[]
}

/** For providers that call the zone itself `@`; to others it is an empty name. */
export function orAt(relative: string): string {
  return relative === '' ? '@' : relative
}

/** For providers to which a name without a final dot is relative. */
export function dotted(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

export function asIs(value: string): string {
  return value
}

/** For providers that take a text as zone files have it. */
export function quoted(value: string): string {
  return quotedStrings(characterStrings(value))
}

type Write = (value: string) => string

/** Without a preference, which `priorityOf` has. */
export function contentOf(type: RecordType, value: string, txt: Write, target: Write): string {
  if (type === 'TXT') return txt(value)
  return target(type === 'MX' ? mxValue(value).exchange : value)
}

/** `10 mx.example.com` in one. */
export function lineOf(type: RecordType, value: string, txt: Write, target: Write): string {
  const content = contentOf(type, value, txt, target)
  return type === 'MX' ? `${mxValue(value).preference} ${content}` : content
}

export function priorityOf(type: RecordType, value: string): Expression | null {
  return type === 'MX' ? `${mxValue(value).preference}` : null
}
