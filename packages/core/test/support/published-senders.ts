/** The servers that the SPF records of a random zone let send, read without the SPF parser. */
import { isIP } from 'node:net'
import { findServiceBySpfHost, hasUselessInclude } from '../../src/catalog/mail-services.js'
import type { ZoneLine } from './random-zones.js'

export interface PublishedSender {
  readonly ip: string
  /** The term of the domain's own record that leads to it. */
  readonly term: string
}

const TERM = /^\+?(ip4|ip6|a|mx|include|redirect)(?:[:=]([^/]+|[^/]*:[^/]*))?(?:\/(\d+))?$/i
/** Wider networks let everyone in. */
const WIDEST_PREFIX = 8

/** Without the senders of terms that let everyone in. */
export function listPublishedSenders(zone: readonly ZoneLine[], domain: string): PublishedSender[] {
  const dataAt = (owner: string, type: string) =>
    zone.filter((line) => line.owner === owner && line.type === type).map(({ data }) => data)
  const hostsOf = (name: string): string[] => {
    const [alias] = dataAt(name, 'CNAME')
    return alias ? hostsOf(withoutDot(alias)) : [...dataAt(name, 'A'), ...dataAt(name, 'AAAA')]
  }
  const serversOf = (name: string) =>
    dataAt(name, 'MX').flatMap((data) => hostsOf(withoutDot(data.replace(/^\d+ /, ''))))

  function addressesOf(name: string, path: readonly string[]): (readonly [string, string])[] {
    const records = dataAt(name, 'TXT').filter((text) => /^v=spf1(?: |$)/i.test(text))
    const terms = records.flatMap(termsInEffect)
    return terms.flatMap((term) => {
      const [, kind = '', target = name, prefix = ''] = TERM.exec(term) ?? []
      const isOpen = prefix !== '' && Number(prefix) < WIDEST_PREFIX
      const ips = isOpen ? [] : ipsOf(kind.toLowerCase(), target, [...path, name])
      return ips.map((ip) => [ip, term] as const)
    })
  }

  function ipsOf(kind: string, target: string, path: readonly string[]): string[] {
    if (kind === 'ip4' || kind === 'ip6') return isIP(target) ? [target] : []
    if (kind === 'a') return hostsOf(target)
    if (kind === 'mx') return serversOf(target)
    if (kind === '' || path.includes(target)) return []
    return addressesOf(target, path).map(([ip]) => ip)
  }

  return addressesOf(domain, []).map(([ip, term]) => ({ ip, term }))
}

/** Receivers ignore what follows `all`, and a redirect beside it (RFC 7208 §5.1, §6.1). */
function termsInEffect(record: string): string[] {
  const terms = record.split(/ +/).slice(1)
  const all = terms.findIndex((term) => /^[+?~-]?all$/i.test(term))
  return all === -1 ? terms : terms.slice(0, all).filter((term) => !/^redirect=/i.test(term))
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, '')
}

/** The service never uses the domain in MAIL FROM, so receivers never look for it there. */
export function isUselessTerm(term: string): boolean {
  const service = findServiceBySpfHost(term.replace(/^\+?(?:include:|redirect=)/i, ''))
  return service !== null && hasUselessInclude(service)
}
