/**
 * RFC 7208 §4 check_host(): the SPF result for one message. It reads records with the same parser as
 * the report on a domain, which is about all senders at once.
 */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH, MAX_LABEL_LENGTH } from '../../names/host-problem.js'
import {
  addressLabels,
  formatIpAddress,
  type IpAddress,
  isInRange,
  parseIpAddress,
  rangeAround,
  reverseName,
  unmapIpAddress,
} from '../ip-address.js'
import { readTxtRecords, toDisplayText } from '../txt-records.js'
import {
  expandMacros,
  isMalformedSpec,
  type MacroValues,
  parseExplanation,
  unescapeName,
  usesMacro,
} from './domain-spec.js'
import { MAX_MX_HOSTS, resolveTermTarget, type TermTarget } from './spf-graph.js'
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from './spf-limits.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  invalidTerms,
  type Modifier,
  QUALIFIER_RESULTS,
  readSpfRecords,
  type SpfRecord,
} from './spf-record.js'
import type { SpfEvaluation } from './spf-report.js'

export interface SpfMessage {
  /** The address of the sending server. */
  readonly ip: string
  /** The MAIL FROM address, or a domain. */
  readonly sender: string
  /** The name that the server gives in HELO or EHLO, if known. */
  readonly helo: string | null
  /** Seconds since 1970, for the macro `%{t}` of an explanation. */
  readonly timestamp: number
}

/** §4.6.4: receivers look at no more names of a sender's address. */
const MAX_PTR_NAMES = 10
/** §7.2: for a value that is not known. */
const UNKNOWN = 'unknown'
/** Far more than any receiver passes on. */
const MAX_EXPLANATION_LENGTH = 1_000

type ErrorResult = 'temperror' | 'permerror'
type Match = NonNullable<SpfEvaluation['matched']>

interface HostResult {
  readonly result: SpfEvaluation['result']
  readonly matched: Match | null
  /** The `exp` that applies to a fail, and the domain whose record holds it. */
  readonly explained: { readonly domain: string; readonly modifier: Modifier } | null
}

const NOTHING = { matched: null, explained: null }

export async function evaluateSpf(
  dns: Dns,
  domain: string,
  message: SpfMessage,
): Promise<SpfEvaluation> {
  const parsed = parseIpAddress(message.ip)
  if (!parsed) throw new Error(`Not an IP address: ${message.ip}`)
  const client = unmapIpAddress(parsed)
  const addressType = client.family === 'ipv4' ? 'A' : 'AAAA'
  const { localPart, senderDomain } = splitSender(message.sender)
  const macros: Readonly<Record<string, string>> = {
    s: `${localPart}@${senderDomain}`,
    l: localPart,
    o: senderDomain,
    i: addressLabels(client).join('.').toUpperCase(),
    c: formatIpAddress(client),
    v: client.family === 'ipv4' ? 'in-addr' : 'ip6',
    h: message.helo ?? UNKNOWN,
    r: UNKNOWN,
    t: String(message.timestamp),
  }
  let lookups = 0
  let voidLookups = 0
  let names: Promise<ClientNames> | undefined

  async function query<T extends 'A' | 'AAAA' | 'MX' | 'TXT'>(name: string, type: T) {
    const answer = await dns.query(name, type)
    if (isVoid(answer)) voidLookups += 1
    return answer
  }

  async function checkHost(host: string): Promise<HostResult> {
    const record = await readRecord(host)
    if (typeof record === 'string') return { result: record, ...NOTHING }
    for (const term of activeTerms(record)) {
      const outcome = await evaluateTerm(term, host)
      if (typeof outcome === 'string') return { result: outcome, ...NOTHING }
      if (outcome) return term.kind === 'redirect' ? outcome : decide(term, outcome, record, host)
    }
    return { result: 'neutral', ...NOTHING }
  }

  /** §4.3 to §4.6: the record, or the result without a usable one. */
  async function readRecord(host: string): Promise<SpfRecord | 'none' | ErrorResult> {
    if (!isMultiLabelName(host)) return 'none'
    const isFirst = lookups === 0
    const answer = await (isFirst ? dns.query(host, 'TXT') : query(host, 'TXT'))
    if (answer.kind === 'failed') return 'temperror'
    const [record, ...others] = readSpfRecords(answer)
    if (!record) return 'none'
    return others.length > 0 || invalidTerms(record).length > 0 ? 'permerror' : record
  }

  /** Null when the term does not match. */
  async function evaluateTerm(
    term: ActiveTerm,
    host: string,
  ): Promise<HostResult | ErrorResult | null> {
    if (LOOKUP_TERMS.has(term.kind)) lookups += 1
    if (lookups > LOOKUP_LIMIT) return 'permerror'
    const target = resolveTermTarget(term, host, await macroValues(term, host))
    const outcome =
      term.kind === 'include' || term.kind === 'redirect'
        ? await followTerm(term, target, host)
        : await matchesClient(term, target)
    if (voidLookups > VOID_LOOKUP_LIMIT) return 'permerror'
    if (outcome === false) return null
    if (outcome !== true) return outcome
    const matched = { term: toDisplayText(term.text), record: host, path: [host] }
    return { result: 'pass', matched: { ...matched, innerTerm: matched.term }, explained: null }
  }

  /** §5.2: an include matches when the other record passes. §6.1: a redirect takes its result. */
  async function followTerm(
    term: ActiveTerm,
    target: TermTarget,
    host: string,
  ): Promise<HostResult | ErrorResult | null> {
    if (target.kind !== 'name') return 'permerror'
    const inner = await checkHost(target.name)
    const { result, matched } = inner
    if (result === 'none') return 'permerror'
    if (result === 'temperror' || result === 'permerror') return result
    const path = [host, ...(matched?.path ?? [])]
    if (term.kind === 'redirect') return { ...inner, matched: matched && { ...matched, path } }
    if (result !== 'pass') return null
    const text = toDisplayText(term.text)
    const innerTerm = matched?.innerTerm ?? text
    return { ...NOTHING, result, matched: { term: text, record: host, path, innerTerm } }
  }

  async function matchesClient(
    term: Directive,
    target: TermTarget,
  ): Promise<boolean | ErrorResult> {
    switch (term.kind) {
      case 'all':
        return true
      case 'ip4':
      case 'ip6':
        return matchesNetwork(term, term.address ?? '')
      case 'ptr':
        return (await clientNames()).some(
          (name) => target.kind === 'name' && isAtOrBelow(name, target.name),
        )
    }
    // §4.8: a name that cannot exist has no records.
    if (target.kind !== 'name') return false
    switch (term.kind) {
      case 'a':
        return matchesHost(term, target.name)
      case 'mx':
        return matchesMailServers(term, target.name)
      case 'exists':
        return hasRecords(await query(target.name, 'A'))
      case 'include':
        return 'permerror'
    }
  }

  async function matchesMailServers(term: Directive, name: string): Promise<boolean | ErrorResult> {
    const answer = await query(name, 'MX')
    if (answer.kind === 'failed') return 'temperror'
    if (answer.kind !== 'records') return false
    if (answer.records.length > MAX_MX_HOSTS) return 'permerror'
    const hosts = answer.records
      .toSorted((one, other) => one.preference - other.preference)
      .map(({ exchange }) => exchange)
      .filter((host) => host !== '.')
    const answers = await Promise.all(hosts.map((host) => dns.query(host, addressType)))
    const error = findFirstError(answers)
    return error ?? answers.some((addresses) => matchesAnyAddress(term, addresses))
  }

  /** §5: an error ends the evaluation, so the first one decides. */
  function findFirstError(answers: readonly DnsAnswer[]): ErrorResult | null {
    for (const answer of answers) {
      if (answer.kind === 'failed') return 'temperror'
      if (isVoid(answer)) voidLookups += 1
      if (voidLookups > VOID_LOOKUP_LIMIT) return 'permerror'
    }
    return null
  }

  async function matchesHost(term: Directive, name: string): Promise<boolean | ErrorResult> {
    const answer = await query(name, addressType)
    return answer.kind === 'failed' ? 'temperror' : matchesAnyAddress(term, answer)
  }

  function matchesAnyAddress(term: Directive, answer: DnsAnswer<'A' | 'AAAA'>): boolean {
    return (
      answer.kind === 'records' && answer.records.some((address) => matchesNetwork(term, address))
    )
  }

  function matchesNetwork({ ipv4Prefix, ipv6Prefix }: Directive, address: string): boolean {
    const network = parseIpAddress(address)
    if (network?.family !== client.family) return false
    const prefix = client.family === 'ipv4' ? ipv4Prefix : ipv6Prefix
    return isInRange(rangeAround(network, prefix), client.value)
  }

  /** §5.5. Each term that needs them counts their void lookups again (§4.6.4). */
  async function clientNames(): Promise<readonly string[]> {
    names ??= findClientNames(dns, client)
    const found = await names
    voidLookups += found.voidLookups
    return found.names
  }

  async function macroValues(
    { target }: Pick<ActiveTerm, 'target'>,
    host: string,
  ): Promise<MacroValues> {
    const name = target && usesMacro(target, 'p') ? await clientName(host) : UNKNOWN
    const values: Readonly<Record<string, string>> = { ...macros, d: unescapeName(host), p: name }
    return (letter) => values[letter] ?? null
  }

  /** §7.3: best the domain itself, else a name below it, else any. */
  async function clientName(host: string): Promise<string> {
    const known = await clientNames()
    const best =
      known.find((name) => name === host) ?? known.find((name) => isAtOrBelow(name, host))
    return best ?? known[0] ?? UNKNOWN
  }

  /** §6.2: without exactly one valid record there is no explanation. It costs no lookup. */
  async function explain({ explained }: HostResult): Promise<string | null> {
    if (!explained) return null
    const { domain: host, modifier } = explained
    const target = resolveTermTarget(modifier, host, await macroValues(modifier, host))
    if (target.kind !== 'name') return null
    const answer = await dns.query(target.name, 'TXT')
    const [text, ...others] = answer.kind === 'failed' ? [] : readTxtRecords(answer)
    if (text === undefined || others.length > 0) return null
    const parsedText = parseExplanation(text)
    if (isMalformedSpec(parsedText)) return null
    const expanded = expandMacros(parsedText, await macroValues({ target: parsedText }, host))
    return expanded?.slice(0, MAX_EXPLANATION_LENGTH) ?? null
  }

  const checked = await checkHost(domain)
  const { result, matched } = checked
  // §4.6.4: the lookups of an explanation come after the result and do not count.
  const counts = { lookups: Math.min(lookups, LOOKUP_LIMIT + 1), voidLookups }
  return {
    ip: message.ip,
    sender: macros.s ?? '',
    helo: message.helo,
    result,
    matched,
    explanation: result === 'fail' ? await explain(checked) : null,
    ...counts,
  }
}

/** §4.6.2: the qualifier of the term that matched gives the result. */
function decide(
  { qualifier }: Directive,
  { matched }: HostResult,
  { terms }: SpfRecord,
  host: string,
): HostResult {
  const modifier = terms.find((term): term is Modifier => term.kind === 'exp')
  return {
    result: QUALIFIER_RESULTS[qualifier],
    matched,
    explained: modifier ? { domain: host, modifier } : null,
  }
}

interface ClientNames {
  readonly names: readonly string[]
  readonly voidLookups: number
}

/** §5.5: the names of the client's address that have this address. An error means none. */
async function findClientNames(dns: Dns, client: IpAddress): Promise<ClientNames> {
  const answer = await dns.query(reverseName(client), 'PTR')
  const candidates = answer.kind === 'records' ? answer.records.slice(0, MAX_PTR_NAMES) : []
  const addressType = client.family === 'ipv4' ? 'A' : 'AAAA'
  const answers = await Promise.all(candidates.map((name) => dns.query(name, addressType)))
  const names = candidates.filter((_, index) => {
    const found = answers[index]
    return (
      found?.kind === 'records' &&
      found.records.some((address) => parseIpAddress(address)?.value === client.value)
    )
  })
  return { names, voidLookups: [answer, ...answers].filter(isVoid).length }
}

/** §4.6.4: an answer without records. */
function isVoid({ kind }: DnsAnswer): boolean {
  return kind === 'nodata' || kind === 'nxdomain'
}

/** §4.6.4: the terms that cost a lookup. */
const LOOKUP_TERMS: ReadonlySet<ActiveTerm['kind']> = new Set([
  'include',
  'a',
  'mx',
  'ptr',
  'exists',
  'redirect',
])

/** §4.3: without a local part it is "postmaster". */
function splitSender(sender: string): { localPart: string; senderDomain: string } {
  const at = sender.lastIndexOf('@')
  const localPart = at > 0 ? sender.slice(0, at) : 'postmaster'
  return { localPart, senderDomain: sender.slice(at + 1) }
}

/** §4.3: anything else has no record. */
function isMultiLabelName(name: string): boolean {
  const labels = name.split('.')
  return (
    labels.length > 1 &&
    name.length <= MAX_DOMAIN_LENGTH &&
    labels.every((label) => label !== '' && label.length <= MAX_LABEL_LENGTH)
  )
}

function isAtOrBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`)
}

function hasRecords(answer: DnsAnswer): boolean | ErrorResult {
  return answer.kind === 'failed' ? 'temperror' : answer.kind === 'records'
}
