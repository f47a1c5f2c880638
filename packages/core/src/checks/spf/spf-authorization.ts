/** Whom a record lets send, and what becomes of everybody else. */
import { evaluatedMxHosts, MAX_MX_HOSTS, type SpfAnswers } from './spf-answers.js'
import { findSpfRecord, type SpfRecordResult } from './spf-at.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  findAll,
  findRedirect,
  invalidTerms,
  isIncludeOrRedirect,
  type SpfRecord,
} from './spf-record.js'
import { resolveTermTarget, type TermTarget } from './term-target.js'

export interface SpfAuthorization {
  readonly authorizesSenders: boolean
  /** The terms that let anybody pass, with the names of the records they stand in. */
  readonly openTerms: readonly { readonly domain: string; readonly term: Directive }[]
  /** Whether a term would, if receivers read what stands there. */
  readonly isOpenOnceValid: boolean
}

interface Passing {
  /** Whose record holds it. */
  readonly domain: string
  readonly term: ActiveTerm
  readonly target: TermTarget
}

type Grant = Passing & { readonly term: Directive }

/**
 * Goes wherever a sender can get a pass: an include passes when the included record does
 * (RFC 7208 §5.2), a redirect takes the other record's word (§6.1).
 */
export function evaluateAuthorization(answers: SpfAnswers, origin: string): SpfAuthorization {
  const grants: Grant[] = []
  const visited = new Set<string>()
  const ahead: TermTarget[] = [{ kind: 'name', name: origin }]
  let isUnread = false
  for (const target of ahead) {
    const found = findSpfRecord(answers, target)
    // What depends on the sender, or was not asked, may let somebody send.
    isUnread ||= found.state === 'dynamic' || found.state === 'unasked'
    if (found.name === null || visited.has(found.name)) continue
    const { name } = found
    visited.add(name)
    const passing = readable(found, origin)
      .flatMap(activeTerms)
      .filter(canPass)
      .map((term) => ({
        domain: name,
        term,
        target: resolveTermTarget(term, { domain: name, origin }),
      }))
    ahead.push(...passing.filter(({ term }) => isIncludeOrRedirect(term)).map((one) => one.target))
    grants.push(...passing.filter((one): one is Grant => hasHosts(answers, one)))
  }
  const start = findSpfRecord(answers, { kind: 'name', name: origin })
  // Where receivers report an error instead of reading on, nobody passes.
  const isReadable = start.state === 'record' && invalidTerms(start.record).length === 0
  const open = openGrants(answers, grants)
  return {
    authorizesSenders: isUnread || grants.length > 0,
    openTerms: isReadable ? open : [],
    isOpenOnceValid: open.length > 0,
  }
}

/** Of several records receivers read none; those of the domain itself show whom it means to let send. */
function readable(found: SpfRecordResult, origin: string): readonly SpfRecord[] {
  if (found.state === 'record') return [found.record]
  return found.state === 'several' && found.name === origin ? found.records : []
}

function canPass(term: ActiveTerm): boolean {
  return term.kind === 'redirect' || term.qualifier === '+'
}

/** A host without an address lets nobody send. What was not asked may let somebody. */
export function hasHosts(
  answers: SpfAnswers,
  { term, target }: Pick<Passing, 'term' | 'target'>,
): boolean {
  if (isIncludeOrRedirect(term)) return false
  if (target.kind !== 'name') return target.kind === 'dynamic'
  const isThere = (name: string, type: 'A' | 'AAAA') => {
    const answer = answers.answer(name, type)
    return answer === undefined || answer.kind === 'records'
  }
  const hasAddress = (name: string) => isThere(name, 'A') || isThere(name, 'AAAA')
  if (term.kind === 'a') return hasAddress(target.name)
  if (term.kind === 'exists') return isThere(target.name, 'A')
  if (term.kind !== 'mx') return true
  const answer = answers.answer(target.name, 'MX')
  if (answer?.kind !== 'records') return answer === undefined
  // Too many mail servers are an error, but not a sign that nobody sends.
  return answer.records.length > MAX_MX_HOSTS || evaluatedMxHosts(answer).some(hasAddress)
}

function openGrants(answers: SpfAnswers, grants: readonly Grant[]): readonly Grant[] {
  const open = grants.filter((grant) => isOpen(answers, grant))
  if (open.length > 0) return open
  const ranges = grants.filter(({ term }) => term.kind === 'ip4')
  return coverAllOfIPv4(ranges.map(({ term }) => term)) ? ranges : []
}

function isOpen(answers: SpfAnswers, { term, target }: Grant): boolean {
  const { kind, ipv4Prefix, ipv6Prefix } = term
  if (kind === 'all') return true
  if (kind === 'ip4' || kind === 'ip6') return ipv4Prefix === 0 || ipv6Prefix === 0
  if (target.kind !== 'name') return ipv4Prefix === 0 || ipv6Prefix === 0
  // §5.7: it asks only whether there is an address; without a macro the sender does not matter.
  if (kind === 'exists') return answers.answer(target.name, 'A')?.kind === 'records'
  // §5.3: a prefix widens addresses of its own family, where there are any.
  const servers = kind === 'mx' ? answers.answer(target.name, 'MX') : undefined
  const hosts = servers ? evaluatedMxHosts(servers) : [target.name]
  const isThere = (type: 'A' | 'AAAA') =>
    hosts.some((host) => answers.answer(host, type)?.kind === 'records')
  return (ipv4Prefix === 0 && isThere('A')) || (ipv6Prefix === 0 && isThere('AAAA'))
}

/** `0.0.0.0/1` beside `128.0.0.0/1` is everybody too. */
function coverAllOfIPv4(directives: readonly Directive[]): boolean {
  const ranges = directives
    .map(({ address, ipv4Prefix }) => rangeOf(address ?? '', ipv4Prefix))
    .sort((one, other) => one.start - other.start)
  let covered = 0
  for (const { start, end } of ranges) {
    if (start > covered) return false
    covered = Math.max(covered, end)
  }
  return covered === 2 ** 32
}

function rangeOf(address: string, prefix: number): { start: number; end: number } {
  const number = address.split('.').reduce((value, octet) => value * 256 + Number(octet), 0)
  const size = 2 ** (32 - prefix)
  const start = Math.floor(number / size) * size
  return { start, end: start + size }
}

/** The first and the last IPv4 address of a range. */
export function ipv4RangeEnds(address: string, prefix: number): { first: string; last: string } {
  const { start, end } = rangeOf(address, prefix)
  return { first: dotted(start), last: dotted(end - 1) }
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join('.')
}

/** What happens to a sender that nothing matched. */
export type DefaultResult =
  | { readonly kind: 'all'; readonly domain: string; readonly term: Directive }
  /** No `all` and no redirect: the result is neutral (§4.7). */
  | { readonly kind: 'none'; readonly domain: string }
  /** A redirect leads to where there is no record to read. */
  | { readonly kind: 'unreadable' }

export function findDefaultResult(answers: SpfAnswers, origin: string): DefaultResult {
  const visited = new Set<string>()
  let target: TermTarget = { kind: 'name', name: origin }
  for (;;) {
    const found = findSpfRecord(answers, target)
    if (found.state !== 'record' || visited.has(found.name)) return { kind: 'unreadable' }
    visited.add(found.name)
    const all = findAll(found.record)
    if (all) return { kind: 'all', domain: found.name, term: all }
    const redirect = findRedirect(found.record)
    if (!redirect) return { kind: 'none', domain: found.name }
    target = resolveTermTarget(redirect, { domain: found.name, origin })
  }
}
