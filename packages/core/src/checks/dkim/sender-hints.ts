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
const REDIRECT = /^redirect=([^%/]+)$/i
const SENDER_TERM = /^[+\-~?]?(?:include:|redirect=)([^%/]+)$/i

/** The operators of the mail servers, most preferred first. */
export function findMailboxProviders(servers: readonly Mx[]): MailService[] {
  const preferred = [...servers].sort((one, other) => one.preference - other.preference)
  const known = preferred
    .slice(0, MAX_HOSTS)
    .flatMap(({ exchange }) => findProviderByMx(exchange) ?? [])
  return [...new Set(known)]
}

/** The known services that the SPF record names. Macros are skipped: they need a message. */
export function findIncludedSenders(texts: readonly string[]): MailService[] {
  const known = includedHosts(texts).flatMap((host) => findServiceBySpfHost(host) ?? [])
  return [...new Set(known)]
}

/** Selectors that contain a number of the include, such as the account number of HubSpot. */
export function findNumberedSelectors(texts: readonly string[]): string[] {
  return includedHosts(texts).flatMap((host) => {
    const service = findServiceBySpfHost(host)
    const shown = service && readIncludedToken(service, host)
    if (!shown) return []
    const { token, value } = shown
    return (service.setup.dkim?.records ?? []).map(({ selector }) =>
      selector.replace(`{${token}}`, value),
    )
  })
}

/** Where the record goes on: behind its `redirect=`, or in an include of the domain's own. */
export function findContinuedHosts(texts: readonly string[], domain: string): string[] {
  const own = new Set([
    ...includedHosts(texts, REDIRECT),
    ...includedHosts(texts).filter((host) => host.endsWith(`.${domain}`)),
  ])
  return [...own].filter((host) => findServiceBySpfHost(host) === null)
}

function includedHosts(texts: readonly string[], pattern = SENDER_TERM): string[] {
  const hosts = spfTerms(texts).flatMap((term) => pattern.exec(term)?.[1] ?? [])
  return [...new Set(hosts.map((host) => host.toLowerCase()))].slice(0, MAX_HOSTS)
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
