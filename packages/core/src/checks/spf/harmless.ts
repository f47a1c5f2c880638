/** Whether a record that nobody has read yet can be put in force as it stands. */
import { findServiceBySpfHost } from '../../catalog/mail-services.js'
import { parseSpf } from './parse-spf.js'
import { isDirective, type Term } from './spf-record.js'

/** A range as large as the largest that were ever given to anybody. */
const WIDEST_IPV4 = 8
const WIDEST_IPV6 = 16

/**
 * What its terms lead to was not looked up, so only such terms will do as surely let nobody in but
 * the domain's own hosts and services that we know.
 */
export function isSafeToPublish(text: string): boolean {
  return parseSpf(text).terms.every(isHarmlessTerm)
}

function isHarmlessTerm(term: Term): boolean {
  if (!isDirective(term)) return false
  const { kind, qualifier, target, ipv4Prefix, ipv6Prefix } = term
  if (kind === 'all') return qualifier === '-' || qualifier === '~'
  if (kind === 'ip4' || kind === 'ip6') {
    return ipv4Prefix >= WIDEST_IPV4 && ipv6Prefix >= WIDEST_IPV6
  }
  if (kind === 'include') return target !== null && findServiceBySpfHost(target.text) !== null
  const isPlain = target === null && ipv4Prefix === 32 && ipv6Prefix === 128
  return (kind === 'a' || kind === 'mx') && isPlain
}
