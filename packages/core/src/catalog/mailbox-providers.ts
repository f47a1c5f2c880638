/** All known mailbox providers, gateways and forwarders. */
import { FORWARDERS } from './forwarders.js'
import { GATEWAYS } from './gateways.js'
import { createHostMatcher } from './host-pattern.js'
import { MAILBOX_HOSTS } from './mailbox-hosts.js'
import type { MailboxProvider } from './mailbox-provider.js'

export type { MailboxProvider } from './mailbox-provider.js'

export const MAILBOX_PROVIDERS: readonly MailboxProvider[] = [
  ...MAILBOX_HOSTS,
  ...GATEWAYS,
  ...FORWARDERS,
]

/** The provider that runs a mail server; null when unknown. */
export const findProviderByMx: (host: string) => MailboxProvider | null = createHostMatcher(
  MAILBOX_PROVIDERS,
  (provider) => provider.mx,
)

/** Null when unknown. */
export function findProviderById(id: string): MailboxProvider | null {
  return MAILBOX_PROVIDERS.find((provider) => provider.id === id) ?? null
}

/** What its customers put into SPF; it may depend on the mail servers. Empty when unknown. */
export function findProviderTerms(
  { setup }: Pick<MailboxProvider, 'setup'>,
  hosts: readonly string[],
): readonly string[] {
  const isUnder = (pattern: string) =>
    hosts.some((host) => host === pattern || host.endsWith(`.${pattern}`))
  return setup.spf.find(({ forMx }) => forMx === undefined || isUnder(forMx))?.terms ?? []
}
