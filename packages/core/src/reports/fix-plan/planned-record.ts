/** A record of the plan, before it is numbered and written for a DNS host. */
import type { RecordTemplate } from '../../catalog/service-setup.js'

export const RECORD_ACTIONS = ['create', 'replace', 'delete', 'keep'] as const
export const PLAN_RECORD_TYPES = ['TXT', 'MX', 'CNAME'] as const
export const RECORD_PURPOSES = ['spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt'] as const

/** A gap in a name or value, which its owner fills in. */
export interface Placeholder {
  /** As it stands there, in braces. */
  readonly token: string
  readonly whereToFind: string
}

export interface PlannedRecord {
  readonly action: (typeof RECORD_ACTIONS)[number]
  readonly type: (typeof PLAN_RECORD_TYPES)[number]
  /** The whole name, without a final dot. */
  readonly name: string
  /** Plain: a text unquoted, `10 mx.example.com`, a target; of a record to delete, what stands there. */
  readonly value: string
  /** What goes when this comes, of the same type at the same name. */
  readonly replaces: readonly string[]
  /** What stays beside it, of the same type at the same name. */
  readonly otherValues: readonly string[]
  readonly purpose: (typeof RECORD_PURPOSES)[number]
  readonly why: string
  readonly placeholders: readonly Placeholder[]
  /** What must be so before it is published, and what has to be done after it, a sentence each. */
  readonly precondition?: string
  readonly followUp?: string
  /** Of an SPF record: its DNS lookups in the worst case. */
  readonly lookupCount?: number
}

/** Where the records are published. */
export interface Zone {
  /** The name at which the zone begins. */
  readonly apex: string
  readonly nameServers: readonly string[]
}

/** A TXT record to create, for whoever changes what is different. */
export function createPlannedRecord(
  purpose: PlannedRecord['purpose'],
  name: string,
  value: string,
): PlannedRecord {
  return {
    action: 'create',
    type: 'TXT',
    name,
    value,
    replaces: [],
    otherValues: [],
    purpose,
    why: '',
    placeholders: [],
  }
}

export function fillTemplate(template: RecordTemplate, domain: string): string {
  return template.replaceAll('{d}', domain).replaceAll('{dd}', domain.replaceAll('.', '-'))
}

/** What is left to fill in, each once. */
export function findPlaceholders(
  texts: readonly string[],
  whereToFind: string,
): readonly Placeholder[] {
  const tokens = texts.flatMap((text) => text.match(/\{[a-z\d-]+\}/g) ?? [])
  return [...new Set(tokens)].map((token) => ({ token, whereToFind }))
}
