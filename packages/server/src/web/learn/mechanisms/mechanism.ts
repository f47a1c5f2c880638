/** A mechanism that protects email, as its page explains it. */
import type { DnsHost } from '@mailgrade/core'

/** The most important first. */
export const MECHANISM_NAMES = [
  'spf',
  'dkim',
  'dmarc',
  'mx',
  'mta-sts',
  'tls-rpt',
  'bimi',
  'dnssec',
] as const

export type MechanismName = (typeof MECHANISM_NAMES)[number]

/** A part of a record, and what it means. */
type ExplainedPart = readonly [part: string, meaning: string]

/** Backticks mark code in all texts. */
export interface Mechanism {
  readonly acronym: string
  readonly fullName: string
  /** What it does, for people who don’t know the acronym. */
  readonly everydayName: string
  readonly summary: string
  readonly what: readonly string[]
  readonly why: readonly string[]
  readonly example: {
    readonly name: string
    readonly type: 'TXT' | 'MX' | 'DS'
    readonly separator: ' ' | '; '
    readonly parts: readonly ExplainedPart[]
  }
  /** What else such a record may contain. */
  readonly otherParts?: readonly ExplainedPart[]
  /** A file that belongs to the record. */
  readonly file?: { readonly title: string; readonly text: string }
  /** One action each, ending with how to see that it worked. */
  readonly steps: readonly string[]
  /** The record in the form of a DNS host; null when it is not entered there. */
  readonly form: RecordForm | null
}

export interface RecordForm {
  /** The part of the name before the domain; empty for the domain itself. */
  readonly label: string
  /** Which form notes of a DNS host apply. */
  readonly notes: readonly (keyof DnsHost['panel']['formNotes'])[]
  /** It can have more than 255 characters. */
  readonly isLong?: true
  /** Its value can be a host name. */
  readonly hasTarget?: true
}

/** `Who may send (SPF)` */
export function mechanismTitle({ everydayName, acronym }: Mechanism): string {
  return `${everydayName} (${acronym})`
}
