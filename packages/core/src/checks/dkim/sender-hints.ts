/** The services that send for a domain, judging by its mail servers and its own SPF record. */

import type { Mx } from '@mailgrade/doh/dns'
import {
  findProviderByMx,
  findServiceBySpfHost,
  type MailService,
  readIncludedToken,
} from '../../catalog/mail-services.js'

/** More than SPF allows to follow (RFC 7208 §4.6.4); a limit against abuse. */
const MAX_HOSTS = 20

const SPF_RECORD = /^v=spf1(?: |$)/i
/** A host without macros. */
const SENDER_TERM = /^(?:[+\-~?]?include:|redirect=)([^%/]+)$/i

/** The operators of the mail servers, most preferred first. */
export function findMailboxProviders(servers: readonly Mx[]): MailService[] {
  const preferred = [...servers].sort((one, other) => one.preference - other.preference)
  const known = preferred
    .slice(0, MAX_HOSTS)
    .flatMap(({ exchange }) => findProviderByMx(exchange) ?? [])
  return [...new Set(known)]
}

export interface NamedHost {
  readonly host: string
  readonly service: MailService | null
  /** The record goes on there: behind its `redirect=`, or in an include of the domain's own. */
  readonly continues: boolean
}

/** The hosts that the SPF records name. Macros are skipped: they need a message. */
export function findNamedHosts(texts: readonly string[], domain: string): NamedHost[] {
  const named = new Map<string, boolean>()
  for (const term of spfTerms(texts)) {
    const host = SENDER_TERM.exec(term)?.[1]?.toLowerCase()
    if (host === undefined || named.size === MAX_HOSTS) continue
    named.set(host, named.get(host) || /^redirect/i.test(term) || host.endsWith(`.${domain}`))
  }
  return [...named].map(([host, isOwn]) => {
    const service = findServiceBySpfHost(host)
    return { host, service, continues: isOwn && service === null }
  })
}

/** Those of the service, and those with a number of the host, such as the account of HubSpot. */
export function selectorsBehind({ host, service }: NamedHost): readonly string[] {
  const shown = service && readIncludedToken(service, host)
  if (!shown) return service?.selectors ?? []
  const { token, value } = shown
  const numbered = (service.setup.dkim?.records ?? []).map(({ selector }) =>
    selector.replace(`{${token}}`, value),
  )
  return [...service.selectors, ...numbered]
}

/**
 * Whether the domain declares that it sends no mail: its SPF record is only `-all`, or it has a null
 * MX (RFC 7505 §4.2) and no SPF record that authorizes senders.
 */
export function declaresNoMail(servers: readonly Mx[], texts: readonly string[]): boolean {
  const records = texts.filter((text) => SPF_RECORD.test(text))
  const terms = spfTerms(records)
  if (records.length === 1 && terms.length === 1 && /^-all$/i.test(terms[0] ?? '')) return true
  const isNullMx = servers.length > 0 && servers.every(({ exchange }) => exchange === '.')
  return isNullMx && records.length <= 1 && terms.every((term) => /^[-~?]all$/i.test(term))
}

function spfTerms(texts: readonly string[]): string[] {
  const records = texts.filter((text) => SPF_RECORD.test(text))
  return records.flatMap((text) =>
    text
      .split(' ')
      .slice(1)
      .filter((term) => term !== ''),
  )
}
