/** Finds servers of the domain's owner, whose keys no catalog entry describes. */
import { findServiceBySpfHost } from '../../../catalog/mail-services.js'
import {
  isDirective,
  namingTerms,
  parseSpf,
  type SpfRecord,
} from '../../../checks/spf/spf-record.js'
import { findUnknownMailHost, hasOwnMailServers, type PlanContext } from '../plan-context.js'

/** The addresses and hosts that SPF names beside services, without those of the MX records. */
export function findOwnServers({ usableSpf }: PlanContext): string[] {
  const own = (usableSpf?.composed.facts.nodes ?? []).filter(({ isOwn }) => isOwn)
  const servers = own.flatMap(({ domain, followed }) =>
    followed
      .flatMap(({ terms }) => terms.filter(isDirective))
      .filter(({ kind, qualifier }) => qualifier === '+' && OWN_MECHANISMS.has(kind))
      .map(({ text }) => text.replace(TERM_NAME, '').replace(/\/(?:32|128)$/, '') || domain),
  )
  return [...new Set(servers)]
}

const TERM_NAME = /^\+?(?:ip[46]|a):?/i

const OWN_MECHANISMS: ReadonlySet<string> = new Set(['a', 'ip4', 'ip6'])

/** Whether a server that no catalog entry describes may sign; false if only known services send. */
export function mayHaveOwnServer(context: PlanContext): boolean {
  const { facts, services } = context
  const hasUnknownInclude = spfOf(context).terms.some(
    (term) =>
      (term.kind === 'include' || term.kind === 'redirect') &&
      findServiceBySpfHost(term.target?.text ?? '') === null,
  )
  return (
    services.mailboxProviders.length === 0 ||
    namingTerms(spfOf(context)).length === 0 ||
    services.mailboxProviders.some(({ entry }) => entry.setup.dkim === null) ||
    hasOwnMailServers(facts) ||
    findUnknownMailHost(facts) !== null ||
    findOwnServers(context).length > 0 ||
    hasUnknownInclude
  )
}

/** The record as the plan leaves it. */
function spfOf({ usableSpf }: PlanContext): SpfRecord {
  return parseSpf(usableSpf?.composed.value ?? 'v=spf1')
}
