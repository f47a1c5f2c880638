/** A record of the plan, before it is numbered and formatted for a DNS host. */
import { TOKEN } from '../../catalog/record-template.js'
import { OWN_SERVER } from '../../streams/stream.js'
import type { Condition, Said, Sayable } from './say.js'

export const RECORD_ACTIONS = ['create', 'replace', 'delete', 'keep'] as const
export const PLAN_RECORD_TYPES = ['TXT', 'MX', 'CNAME'] as const
export const RECORD_PURPOSES = ['spf', 'dkim', 'dmarc', 'mx', 'mta-sts', 'tls-rpt'] as const

/** A part of a name or value that the owner has to fill in. */
export interface Placeholder {
  /** In braces. */
  readonly token: string
  readonly whereToFind: Sayable | readonly Sayable[]
}

export interface PlannedRecord {
  readonly action: (typeof RECORD_ACTIONS)[number]
  readonly type: (typeof PLAN_RECORD_TYPES)[number]
  /** The full name, without a final dot. */
  readonly name: string
  /** Unquoted text, `10 mx.example.com` or a target; for a record to delete, its current value, exactly. */
  readonly value: string
  /** Values of the same name and type that this record replaces, as exact texts. */
  readonly replaces: readonly string[]
  /** Other values of the same name and type, which stay, as exact texts. */
  readonly otherValues: readonly string[]
  readonly purpose: (typeof RECORD_PURPOSES)[number]
  /** The id of the service that it is for; null if it is for the domain itself. */
  readonly service: string | null
  readonly why: string | readonly Sayable[]
  readonly placeholders: readonly Placeholder[]
  /** What must be true before this is done; null if it is always right. */
  readonly onlyIf: string | readonly Condition[] | null
  /** The name below the domain that the service is set up for. */
  readonly setUpAt?: string
  /** Not needed for the protection of the domain. */
  readonly isOptional?: true
  /** To be done days after the rest. */
  readonly isLater?: true
  /** The service signs with another key already, and rotates to this one. */
  readonly isSpare?: true
  /** The service has made this key already. */
  readonly isMoved?: true
  /** Right as it is, but there is no key until the service signs. */
  readonly isWaiting?: true
  /** The selector of the live key that this one takes over from. */
  readonly successorOf?: string
  /** The domain has no other RSA key that receivers accept. */
  readonly isFirstKey?: true
  /** What its signer has to change once the record is published. */
  readonly signerStep?: Said
  /** DNS lookups of an SPF record in the worst case. */
  readonly lookupCount?: number
}

export interface Zone {
  /** The name at the top of the zone. */
  readonly apex: string
  readonly nameServers: readonly string[]
  /** Names below the apex that are zones of their own. */
  readonly delegated: readonly string[]
}

/** A TXT record to create, unless more is said. */
export function createPlannedRecord(
  purpose: PlannedRecord['purpose'],
  name: string,
  value: string,
  more: Partial<PlannedRecord> = {},
): PlannedRecord {
  return {
    action: 'create',
    type: 'TXT',
    name,
    value,
    replaces: [],
    otherValues: [],
    purpose,
    service: null,
    why: '',
    placeholders: [],
    onlyIf: null,
    ...more,
  }
}

/** The id of the stream that it is for; null if it is for all. */
export function streamOf({
  purpose,
  service,
  setUpAt,
  name,
}: Pick<PlannedRecord, 'purpose' | 'service' | 'setUpAt' | 'name'>): string | null {
  if (service !== null) return setUpAt ? `${service}@${setUpAt}` : service
  // A key of no service belongs to a server of the domain's own.
  const isOwnKey = purpose === 'dkim' && !name.startsWith('{mailbox-provider-')
  return isOwnKey ? OWN_SERVER : null
}

/** For which service and name a record is. */
export function idsOf({
  service: { id },
  setUpAt,
}: {
  readonly service: { readonly id: string }
  readonly setUpAt: string | null
}): Pick<PlannedRecord, 'service' | 'setUpAt'> {
  return { service: id, ...(setUpAt !== null && { setUpAt }) }
}

/** Octets of a 2048-bit key in base64. */
const PUBLIC_KEY_LENGTH = 392

/** How long the text is once its key is filled in. */
export function expectedTextLength({ value }: Pick<PlannedRecord, 'value'>): number {
  const filled = value.replace(/\{[a-z\d_-]*public-key\}/, 'k'.repeat(PUBLIC_KEY_LENGTH))
  return Buffer.byteLength(filled)
}

/** The placeholders in the texts, without duplicates. */
export function findPlaceholders(
  texts: readonly string[],
  whereToFind: Sayable,
): readonly Placeholder[] {
  const tokens = texts.flatMap((text) => text.match(TOKEN) ?? [])
  return [...new Set(tokens)].map((token) => ({ token, whereToFind }))
}
