/** A record of the plan, before it is numbered and written for a DNS host. */

export const ACTIONS = ['create', 'replace', 'delete', 'keep'] as const
export const RECORD_TYPES = ['TXT', 'MX', 'CNAME'] as const
export const PURPOSES = ['spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt'] as const

/** A gap in a name or value, which its owner fills in. */
export interface Placeholder {
  /** As it stands there, in braces. */
  readonly token: string
  readonly whereToFind: string
}

export interface PlannedRecord {
  readonly action: (typeof ACTIONS)[number]
  readonly type: (typeof RECORD_TYPES)[number]
  /** The whole name, without a final dot. */
  readonly name: string
  /** Plain: a text unquoted, `10 mx.example.com`, a target; of a record to delete, what stands there. */
  readonly value: string
  /** What goes when this comes, of the same type at the same name. */
  readonly replaces: readonly string[]
  /** What stays beside it, of the same type at the same name. */
  readonly beside: readonly string[]
  readonly purpose: (typeof PURPOSES)[number]
  readonly why: string
  readonly placeholders: readonly Placeholder[]
  /** What must be so before it is published, and what has to be done after it, a sentence each. */
  readonly before?: string
  readonly after?: string
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
export function plannedRecord(
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
    beside: [],
    purpose,
    why: '',
    placeholders: [],
  }
}
