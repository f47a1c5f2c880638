/** Mailbox providers and senders under one roof: whose host does an SPF record or a DKIM CNAME name? */

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
  /** See `Sender`; who hosts the mailboxes sends with the domain of its customer as MAIL FROM. */
  readonly alignsAtRoot: Sender['alignsAtRoot']
  readonly selectors: readonly string[]
  readonly setup: ServiceSetup
}

interface Marks {
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

const SERVICES: readonly Marks[] = [
  ...MAILBOX_PROVIDERS.map((provider) => ({ ...provider, alignsAtRoot: 'yes' as const })),
  ...SENDERS,
].map(({ id, name, alignsAtRoot, selectors, setup, spf, dkimTargets }) => ({
  service: { id, name, alignsAtRoot, selectors, setup },
  spf,
  dkimTargets,
}))

const byId = new Map(SERVICES.map(({ service }) => [service.id, service]))
const bySpfHost = createHostMatcher(SERVICES, (marks) => marks.spf)
const byDkimTarget = createHostMatcher(SERVICES, (marks) => marks.dkimTargets)

/** The service that an `include:` or `redirect=` of this host lets send; null when we do not know it. */
export function findServiceBySpfHost(host: string): MailService | null {
  return bySpfHost(plain(host))?.service ?? null
}

/** The service that keeps the key to which a selector's CNAME leads; null when we do not know it. */
export function findServiceByDkimTarget(host: string): MailService | null {
  return byDkimTarget(plain(host))?.service ?? null
}

/** The ids of mailbox providers and senders are one set. */
export function findServiceById(id: string): MailService | null {
  return byId.get(id) ?? null
}

/** A host in a record may be written with capitals (RFC 4343) and a final dot (RFC 7208 §7.1). */
function plain(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
