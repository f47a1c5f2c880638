/** Whose mail a record counts, and where it comes from. */
import { formatIpAddress, parseIpAddress, rangeAround } from '@mailgrade/core'
import type { AggregateRecord } from './aggregate-report.js'
import {
  identifyService,
  isForwardingDomain,
  isSentAs,
  nameOfDomain,
  organizationOf,
  type PassedDomains,
  passedDomains,
} from './identify-service.js'
import { memoized } from './memoized.js'

export interface SourceIdentity {
  /** `own`: signed or authorized by the domain itself, service unknown. */
  readonly kind: 'service' | 'own' | 'domain' | 'network' | 'others'
  /** The name of the service, the domain, or the network in CIDR notation. */
  readonly name: string
  readonly serviceId: string | null
  /** False for mail of a service that fails and has nothing of the owner's domain but From. */
  readonly isSetUp: boolean
}

/**
 * `yours`: it passes, or a known service or the domain itself passes without alignment.
 * `forwarded`: passed on by a forwarder or a list. `unknown`: everything else, spoofing included.
 */
export type Origin = 'yours' | 'forwarded' | 'unknown'

export interface ClassifiedRecord {
  readonly origin: Origin
  readonly identity: SourceIdentity
  readonly passes: boolean
  readonly passed: PassedDomains
}

const FORWARDING_REASONS: ReadonlySet<string> = new Set([
  'forwarded',
  'trusted_forwarder',
  'mailing_list',
])

export function classifyRecord(record: AggregateRecord): ClassifiedRecord {
  const owner = record.headerFrom
  const passed = passedDomains(record, owner)
  const passes = record.dkim === 'pass' || record.spf === 'pass'
  const origin = passes ? originOfPass(record, passed, owner) : originOfFail(record, passed, owner)
  const identity = identify(record, passed, owner, { origin, passes })
  return { origin, identity, passes, passed }
}

/** Forwarding breaks SPF and leaves the signature of the owner intact. */
function originOfPass(record: AggregateRecord, passed: PassedDomains, owner: string): Origin {
  if (record.spf === 'pass') return 'yours'
  if (hasForwardingReason(record)) return 'forwarded'
  if (passed.foreignSpf.length > 0) {
    const isOwnService = identifyService({ ...passed, ownDkim: [] }, owner) !== null
    // Many senders have bounce domains of their own; mailbox providers use that of the customer.
    const isSender = identifyService(passed, owner)?.kind === 'sender'
    return isOwnService || isSender ? 'yours' : 'forwarded'
  }
  // A missing SPF record or a failed lookup says nothing about the path of the mail.
  const failsSpf = record.spfResults.some(
    ({ result }) => result === 'fail' || result === 'softfail',
  )
  return failsSpf && passed.ownSpf.length === 0 ? 'forwarded' : 'yours'
}

function originOfFail(record: AggregateRecord, passed: PassedDomains, owner: string): Origin {
  if (hasForwardingReason(record)) return 'forwarded'
  if (passed.ownDkim.length > 0 || passed.ownSpf.length > 0) return 'yours'
  if (identifyService(passed, owner) !== null || isSentAs(passed)) return 'yours'
  return [...passed.foreignSpf, ...passed.foreignDkim].some(isForwardingDomain)
    ? 'forwarded'
    : 'unknown'
}

/** Receivers also name forwarding in the comment of a local policy, as `arc=pass`. */
function hasForwardingReason({ reasons }: AggregateRecord): boolean {
  return reasons.some(
    ({ type, comment }) =>
      FORWARDING_REASONS.has(type) ||
      (type === 'local_policy' && /\barc\s*=\s*pass\b/i.test(comment ?? '')),
  )
}

function identify(
  { sourceIp }: AggregateRecord,
  passed: PassedDomains,
  owner: string,
  { origin, passes }: Pick<ClassifiedRecord, 'origin' | 'passes'>,
): SourceIdentity {
  if (origin === 'yours') {
    const mine = identifyOwn(passed, owner, passes)
    if (mine) return mine
  }
  const [domain] = origin === 'forwarded' ? passed.foreignSpf : passedForeign(passed)
  return domain === undefined
    ? { kind: 'network', name: networkOf(sourceIp), serviceId: null, isSetUp: true }
    : { kind: 'domain', name: nameOfDomain(domain), serviceId: null, isSetUp: true }
}

function identifyOwn(passed: PassedDomains, owner: string, passes: boolean): SourceIdentity | null {
  const service = identifyService(passed, owner)
  if (service) {
    const isSetUp = passes || passed.ownMailFrom !== null || passed.failedDkim.length > 0
    return { kind: 'service', name: service.name, serviceId: service.id, isSetUp }
  }
  const [own] = [...passed.ownDkim.flatMap(({ domain }) => domain ?? []), ...passed.ownSpf]
  if (own !== undefined) {
    // With strict alignment, the name says which of the systems fails.
    const name = passes ? organizationOf(owner) : own
    return { kind: 'own', name, serviceId: null, isSetUp: true }
  }
  if (passes || !isSentAs(passed)) return null
  return { kind: 'service', name: GMAIL, serviceId: null, isSetUp: false }
}

/** People who send as an address of the domain from a personal account. */
export const GMAIL = 'Gmail'

function passedForeign({ foreignDkim, foreignSpf }: PassedDomains): readonly string[] {
  return [...foreignDkim, ...foreignSpf]
}

const PREFIXES = { ipv4: 24, ipv6: 48 } as const

const networkOf = memoized((ip: string): string => {
  const address = parseIpAddress(ip)
  if (address === null) return ip
  const { family } = address
  const value = rangeAround(address, PREFIXES[family]).first
  return `${formatIpAddress({ family, value })}/${PREFIXES[family]}`
})
