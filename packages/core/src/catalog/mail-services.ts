/** Mailbox providers and senders, found by the hosts that SPF records and DKIM CNAMEs name. */

import { APPLICATION_SENDERS } from './application-senders.js'
import { CAMPAIGN_SENDERS } from './campaign-senders.js'
import { createHostMatcher, type HostPattern } from './host-pattern.js'
import { MAILBOX_PROVIDERS } from './mailbox-providers.js'
import { RELAY_SENDERS } from './relay-senders.js'
import type { Sender } from './sender.js'
import type { ServiceSetup } from './service-setup.js'

export interface MailService {
  readonly id: string
  readonly name: string
  /** See `Sender`; mailbox hosts use the customer's domain in MAIL FROM. */
  readonly returnPathAtRoot: Sender['returnPathAtRoot']
  readonly selectors: readonly string[]
  readonly setup: ServiceSetup
  /** It only forwards mail, so it sends none of the domain's own. */
  readonly isForwarder: boolean
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
  ...MAILBOX_PROVIDERS.map((provider) => ({ ...provider, returnPathAtRoot: 'always' as const })),
  ...SENDERS.map((sender) => ({ ...sender, kind: 'sender' as const })),
].map(({ id, name, kind, returnPathAtRoot, selectors, setup, spf, dkimTargets }) => ({
  service: { id, name, returnPathAtRoot, selectors, setup, isForwarder: kind === 'forwarder' },
  spf,
  dkimTargets,
}))

const byId = new Map(SERVICES.map(({ service }) => [service.id, service]))
const bySpfHost = createHostMatcher(SERVICES, ({ spf }) => spf)
const byDkimTarget = createHostMatcher(SERVICES, ({ dkimTargets }) => dkimTargets)

/** The service that an `include:` or `redirect=` of this host authorizes; null when unknown. */
export function findServiceBySpfHost(host: string): MailService | null {
  return bySpfHost(normalizeHost(host))?.service ?? null
}

/** The service that hosts the key at a selector's CNAME target; null when unknown. */
export function findServiceByDkimTarget(host: string): MailService | null {
  return byDkimTarget(normalizeHost(host))?.service ?? null
}

/** Ids are unique across mailbox providers and senders. */
export function findServiceById(id: string): MailService | null {
  return byId.get(id) ?? null
}

/** A host in a record may be written with capitals (RFC 4343) and a final dot (RFC 7208 §7.1). */
function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
