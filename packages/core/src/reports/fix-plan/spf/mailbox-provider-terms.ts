/** The SPF terms that mailbox providers ask their customers for. */
import type { MailboxProvider } from '../../../catalog/mailbox-providers.js'
import type { DomainFacts } from '../discover-domain.js'
import { fillTemplate } from '../fill-template.js'
import type { MailboxProvidersInUse } from '../services-in-use.js'

/** By id of the provider; none for one who tells each customer another. */
export function mailboxProviderTerms(
  { domain, mx }: DomainFacts,
  mailboxes: MailboxProvidersInUse,
): ReadonlyMap<string, string> {
  const hosts = mx.targets.map(({ exchange }) => exchange)
  return new Map(
    mailboxes.flatMap(({ entry }) => {
      const term = termOf(entry, hosts)
      return term === null ? [] : [[entry.id, fillTemplate(term, domain)] as const]
    }),
  )
}

function termOf({ setup }: MailboxProvider, hosts: readonly string[]): string | null {
  const isUnder = (pattern: string) =>
    hosts.some((host) => host === pattern || host.endsWith(`.${pattern}`))
  return setup.spf.find(({ forMx }) => forMx === undefined || isUnder(forMx))?.term ?? null
}
