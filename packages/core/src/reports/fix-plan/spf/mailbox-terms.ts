/** The SPF terms that mailbox providers ask their customers for. */
import type { MailboxProvider } from '../../../catalog/mailbox-providers.js'
import type { DomainFacts } from '../domain-facts.js'
import { filled } from '../fill-template.js'
import type { Mailboxes } from '../parties.js'

/** By id of the provider; none for one who tells each customer another. */
export function mailboxTerms(
  { domain, mx }: DomainFacts,
  mailboxes: Mailboxes,
): ReadonlyMap<string, string> {
  const hosts = mx.targets.map(({ exchange }) => exchange)
  return new Map(
    mailboxes.flatMap(({ row }) => {
      const term = termOf(row, hosts)
      return term === null ? [] : [[row.id, filled(term, domain)] as const]
    }),
  )
}

function termOf({ setup }: MailboxProvider, hosts: readonly string[]): string | null {
  const isUnder = (pattern: string) =>
    hosts.some((host) => host === pattern || host.endsWith(`.${pattern}`))
  return setup.spf.find(({ forMx }) => forMx === undefined || isUnder(forMx))?.term ?? null
}
