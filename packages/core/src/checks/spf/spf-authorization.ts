/** Which senders a record authorizes, and the result for all others. */
import {
  evaluatedMxHosts,
  MAX_MX_HOSTS,
  type SpfAnswers,
  type SpfGraph,
  type SpfHost,
  type TermTarget,
} from './spf-graph.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  findAll,
  findRedirect,
  invalidTerms,
  isDirective,
  isIncludeOrRedirect,
} from './spf-record.js'

export interface SpfAuthorization {
  readonly authorizesSenders: boolean
  /** The terms that let every sender pass, and the domains whose records hold them. */
  readonly openTerms: readonly { readonly domain: string; readonly term: Directive }[]
  /** Whether a term would let every sender pass if the record were valid. */
  readonly isOpenOnceValid: boolean
}

interface Grant {
  /** The host whose record holds the term. */
  readonly domain: string
  readonly term: Directive
  readonly target: TermTarget
}

/**
 * Follows every way to a pass: an include passes when the included record does (RFC 7208 §5.2), a
 * redirect takes over the other record's result (§6.1).
 */
export function evaluateAuthorization(graph: SpfGraph): SpfAuthorization {
  const { root, answers, targetOf, hostOf } = graph
  const grants: Grant[] = []
  const visited = new Set<string>()
  const pending = [root]
  let hasUnreadHosts = false
  for (const { state, name, followed } of pending) {
    // A host that depends on the sender, or was not queried, may authorize senders.
    hasUnreadHosts ||= state === 'dynamic' || state === 'unasked'
    if (name === null || visited.has(name)) continue
    visited.add(name)
    const passing = followed.flatMap(activeTerms).filter(canPass)
    pending.push(...passing.filter(isIncludeOrRedirect).map(hostOf))
    grants.push(
      ...passing
        .filter(isDirective)
        .map((term) => ({ domain: name, term, target: targetOf(term) }))
        .filter((grant) => hasHosts(answers, grant)),
    )
  }
  const [record] = root.records
  // Where receivers report an error, no sender passes.
  const isReadable = root.state === 'record' && record && invalidTerms(record).length === 0
  const open = openGrants(answers, grants)
  return {
    authorizesSenders: hasUnreadHosts || grants.length > 0,
    openTerms: isReadable ? open : [],
    isOpenOnceValid: open.length > 0,
  }
}

function canPass(term: ActiveTerm): boolean {
  return term.kind === 'redirect' || term.qualifier === '+'
}

/** A host without an address authorizes no sender; one that was not queried may authorize some. */
export function hasHosts(
  answers: SpfAnswers,
  { term, target }: { readonly term: ActiveTerm; readonly target: TermTarget },
): boolean {
  if (isIncludeOrRedirect(term)) return false
  if (target.kind !== 'name') return target.kind === 'dynamic'
  const mayExist = (name: string, type: 'A' | 'AAAA') => {
    const answer = answers.answer(name, type)
    return answer === undefined || answer.kind === 'records'
  }
  const hasAddress = (name: string) => mayExist(name, 'A') || mayExist(name, 'AAAA')
  if (term.kind === 'a') return hasAddress(target.name)
  if (term.kind === 'exists') return mayExist(target.name, 'A')
  if (term.kind !== 'mx') return true
  const answer = answers.answer(target.name, 'MX')
  if (answer?.kind !== 'records') return answer === undefined
  // Too many mail servers are an error, but they still show that mail is sent.
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
  // §5.7: it only tests for an address, so without a macro it is the same for every sender.
  if (kind === 'exists') return answers.answer(target.name, 'A')?.kind === 'records'
  // §5.3: a prefix applies to the addresses of its own family.
  const servers = kind === 'mx' ? answers.answer(target.name, 'MX') : undefined
  const hosts = servers ? evaluatedMxHosts(servers) : [target.name]
  const hasAddress = (type: 'A' | 'AAAA') =>
    hosts.some((host) => answers.answer(host, type)?.kind === 'records')
  return (ipv4Prefix === 0 && hasAddress('A')) || (ipv6Prefix === 0 && hasAddress('AAAA'))
}

/** `0.0.0.0/1` and `128.0.0.0/1` together also cover every address. */
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

/** The result for a sender that no term matches. */
export type DefaultResult =
  | { readonly kind: 'all'; readonly domain: string; readonly term: Directive }
  /** No `all` and no redirect: the result is neutral (§4.7). */
  | { readonly kind: 'none'; readonly domain: string }
  /** A redirect leads to a host without a usable record. */
  | { readonly kind: 'unreadable' }

export function findDefaultResult({ root, hostOf }: SpfGraph): DefaultResult {
  const visited = new Set<SpfHost>()
  let host = root
  for (;;) {
    const { state, name, records } = host
    const [record] = records
    if (state !== 'record' || name === null || !record || visited.has(host)) {
      return { kind: 'unreadable' }
    }
    visited.add(host)
    const all = findAll(record)
    if (all) return { kind: 'all', domain: name, term: all }
    const redirect = findRedirect(record)
    if (!redirect) return { kind: 'none', domain: name }
    host = hostOf(redirect)
  }
}
