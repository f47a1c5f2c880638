/** A record of the plan, before it is numbered and formatted for a DNS host. */
import type { RecordTemplate } from '../../catalog/service-setup.js'

export const RECORD_ACTIONS = ['create', 'replace', 'delete', 'keep'] as const
export const PLAN_RECORD_TYPES = ['TXT', 'MX', 'CNAME'] as const
export const RECORD_PURPOSES = ['spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt'] as const

/** A part of a name or value that the owner has to fill in. */
export interface Placeholder {
  /** In braces. */
  readonly token: string
  readonly whereToFind: string
}

/** For a record that names a report mailbox which may not exist yet. */
export const REPORT_MAILBOX_FOLLOW_UP =
  'Make sure that the mailbox in rua exists and is read: daily reports arrive there.'

export interface PlannedRecord {
  readonly action: (typeof RECORD_ACTIONS)[number]
  readonly type: (typeof PLAN_RECORD_TYPES)[number]
  /** The full name, without a final dot. */
  readonly name: string
  /** Unquoted text, `10 mx.example.com` or a target; for a record to delete, its current value. */
  readonly value: string
  /** Values of the same name and type that this record replaces. */
  readonly replaces: readonly string[]
  /** Other values of the same name and type, which stay. */
  readonly otherValues: readonly string[]
  readonly purpose: (typeof RECORD_PURPOSES)[number]
  readonly why: string
  readonly placeholders: readonly Placeholder[]
  /** What must be true before it is published, and what to do afterwards. */
  readonly precondition?: string
  readonly followUp?: string
  /** DNS lookups of an SPF record in the worst case. */
  readonly lookupCount?: number
}

export interface Zone {
  /** The name at the top of the zone. */
  readonly apex: string
  readonly nameServers: readonly string[]
}

/** A TXT record to create; callers override what differs. */
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
  const values: Readonly<Record<string, string>> = {
    '{d}': domain,
    '{dd}': domain.replaceAll('.', '-'),
    '{d_}': domain.replaceAll('.', '_'),
  }
  // `%{d}` is an SPF macro (RFC 7208 §7.2).
  return template.replace(/(?<!%)\{d[d_]?\}/g, (token) => values[token] ?? token)
}

/** The placeholders left in the texts, without duplicates. */
export function findPlaceholders(
  texts: readonly string[],
  whereToFind: string,
): readonly Placeholder[] {
  const tokens = texts.flatMap((text) => text.match(/(?<!%)\{[a-z\d-]+\}/g) ?? [])
  return [...new Set(tokens)].map((token) => ({ token, whereToFind }))
}

/** A public key of 2048 bits in base64. */
const PUBLIC_KEY_LENGTH = 392

/** The octets of a text, with a key of 2048 bits in place of its placeholder. */
export function expectedTextLength({ value }: Pick<PlannedRecord, 'value'>): number {
  return Buffer.byteLength(
    value.replace(/\{[a-z\d-]*public-key[a-z\d-]*\}/g, '-'.repeat(PUBLIC_KEY_LENGTH)),
  )
}
