/** Mailbox providers and senders, found by the records that name them. */

import { APPLICATION_SENDERS } from './application-senders.js'
import { CAMPAIGN_SENDERS } from './campaign-senders.js'
import { createHostMatcher, type HostPattern } from './host-pattern.js'
import type { MailboxProvider } from './mailbox-provider.js'
import { MAILBOX_PROVIDERS } from './mailbox-providers.js'
import { RELAY_SENDERS } from './relay-senders.js'
import type { Sender } from './sender.js'
import type { DefaultDmarc, ServiceEvidence, ServiceSetup } from './service-setup.js'

export interface MailService {
  readonly id: string
  readonly name: string
  /** A forwarder sends none of the domain's own mail. */
  readonly kind: MailboxProvider['kind'] | 'sender'
  /** See `Sender`; most mailbox hosts use the customer's domain in MAIL FROM. */
  readonly returnPathAtRoot: Sender['returnPathAtRoot']
  readonly selectors: readonly string[]
  readonly evidence: ServiceEvidence
  readonly defaultDmarc?: DefaultDmarc
  readonly setup: ServiceSetup
}

interface ServiceHosts {
  readonly service: MailService
  readonly spf: readonly HostPattern[]
  readonly dkimTargets: readonly HostPattern[]
}

/** Every sender in the catalog. */
export const SENDERS: readonly Sender[] = [
  ...RELAY_SENDERS,
  ...CAMPAIGN_SENDERS,
  ...APPLICATION_SENDERS,
]

const SERVICES: readonly ServiceHosts[] = [
  ...MAILBOX_PROVIDERS.map((provider) => ({ returnPathAtRoot: 'always' as const, ...provider })),
  ...SENDERS.map((sender) => ({ ...sender, kind: 'sender' as const })),
].map(({ spf, dkimTargets, ...row }) => ({ service: toService(row), spf, dkimTargets }))

function toService({
  id,
  name,
  kind,
  returnPathAtRoot,
  selectors,
  evidence = {},
  defaultDmarc,
  setup,
}: Omit<MailService, 'evidence'> & Partial<Pick<MailService, 'evidence'>>): MailService {
  const service = { id, name, kind, returnPathAtRoot, selectors, evidence, setup }
  return defaultDmarc ? { ...service, defaultDmarc } : service
}

/** Mailbox providers first. */
export const ALL_SERVICES: readonly MailService[] = SERVICES.map(({ service }) => service)

const byId = new Map(ALL_SERVICES.map((service) => [service.id, service]))
const bySpfHost = createHostMatcher(SERVICES, ({ spf }) => spf)
const byDkimTarget = createHostMatcher(SERVICES, ({ dkimTargets }) => dkimTargets)
const byCname = createHostMatcher(SERVICES, ({ service: { evidence }, dkimTargets }) => [
  ...new Set([...(evidence.cnameTargets ?? []), ...dkimTargets]),
])
const byMxHost = createHostMatcher(
  ALL_SERVICES.filter(({ kind }) => kind === 'sender'),
  ({ evidence }) => evidence.mxHosts ?? [],
)

/** The service that an `include:` or `redirect=` of this host authorizes; null when unknown. */
export function findServiceBySpfHost(host: string): MailService | null {
  return bySpfHost(normalizeHost(host))?.service ?? null
}

/** The service that hosts the key at a selector's CNAME target; null when unknown. */
export function findServiceByDkimTarget(host: string): MailService | null {
  return byDkimTarget(normalizeHost(host))?.service ?? null
}

/** The service that a CNAME below the domain points to, for keys, bounces or links. */
export function findServiceByCname(target: string): MailService | null {
  return byCname(normalizeHost(target))?.service ?? null
}

/** The sender whose bounces a mail server below the domain receives; not for the domain's own MX. */
export function findServiceByMxHost(host: string): MailService | null {
  return byMxHost(normalizeHost(host))
}

/** The services that ask for a TXT record which begins like this one. */
export function findServicesByText(text: string): readonly MailService[] {
  const lower = text.toLowerCase()
  return ALL_SERVICES.filter(({ evidence }) =>
    evidence.texts?.some((prefix) => lower.startsWith(prefix.toLowerCase())),
  )
}

/** Defaults of signing software, and names that administrators choose: they prove nothing. */
const SELECTORS_OF_ANYONE = new Set(
  `mail default dkim dkim1 dkim2 smtp mx mta email api x sender sign m1 dk dk1 dk2 s1 s2 k1 k2 k3
  key1 key2 key3 pdk1 pdk2 sel1 sel2 selector1 selector2 s1024 s2048`.split(/\s+/),
)

export function isSelectorOfAnyone(selector: string): boolean {
  return SELECTORS_OF_ANYONE.has(selector.toLowerCase())
}

/** The only service that uses this selector; null if others use it, too. */
export function findServiceBySelector(selector: string): MailService | null {
  const name = selector.toLowerCase()
  if (isSelectorOfAnyone(name)) return null
  const [service, ...others] = ALL_SERVICES.filter(({ selectors }) => selectors.includes(name))
  return service && others.length === 0 ? service : null
}

/** The service that publishes the DMARC record at this CNAME target for all its customers. */
export function findServiceByDmarcTarget(target: string): MailService | null {
  const host = normalizeHost(target)
  return (
    ALL_SERVICES.find(
      ({ defaultDmarc }) => defaultDmarc?.type === 'CNAME' && defaultDmarc.values.includes(host),
    ) ?? null
  )
}

/** Ids are unique across mailbox providers and senders. */
export function findServiceById(id: string): MailService | null {
  return byId.get(id) ?? null
}

/**
 * Whether its include has no effect in the record of the domain. Some services check for theirs
 * nevertheless, and then it has to stay.
 */
export function hasUselessInclude({ returnPathAtRoot, setup }: MailService): boolean {
  return returnPathAtRoot === 'never' && setup.spf.length === 0
}

/** A host in a record may be written with capitals (RFC 4343) and a final dot (RFC 7208 §7.1). */
function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
