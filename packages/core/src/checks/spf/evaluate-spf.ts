/** The SPF result for one message, with what a person wants to know about it. */
import { type Dns, type DnsAnswer, queryAll } from '@mailgrade/doh/dns'
import { intersectSets } from '../address-set.js'
import {
  addressLabels,
  formatIpAddress,
  type IpAddress,
  parseIpAddress,
  reverseName,
  unmapIpAddress,
} from '../ip-address.js'
import { readTxtRecords, toDisplayText } from '../txt-records.js'
import {
  type DomainSpec,
  expandMacros,
  isMalformedSpec,
  type MacroValues,
  parseExplanation,
  unescapeName,
  usesMacro,
} from './domain-spec.js'
import {
  evaluateSenders,
  isAtOrBelow,
  type MatchStep,
  type SpfOutcome,
  type SpfSenders,
} from './evaluate-senders.js'
import { MAX_EXPLANATION_LENGTH, MAX_PTR_NAMES } from './spf-limits.js'
import type { Modifier } from './spf-record.js'
import type { SpfEvaluation } from './spf-report.js'
import {
  isVoid,
  type Known,
  networkRanges,
  resolveTermTarget,
  type SpfQuery,
  type SpfQueryType,
} from './term-lookups.js'

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

/** §7.2: for a value that is not known. */
const UNKNOWN = 'unknown'

export async function evaluateSpf(
  dns: Dns,
  domain: string,
  message: SpfMessage,
): Promise<SpfEvaluation> {
  const parsed = parseIpAddress(message.ip)
  if (!parsed) throw new Error(`Not an IP address: ${message.ip}`)
  const client = unmapIpAddress(parsed)
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
  const known = new Map<string, DnsAnswer>()
  const missing = new Map<string, SpfQuery>()
  let clientNames: ClientNames | null = null
  let needsNames = false

  function macroValues(host: string): MacroValues {
    const name = bestName(clientNames?.names ?? [], host)
    const values: Readonly<Record<string, string>> = { ...macros, d: unescapeName(host), p: name }
    return (letter) => values[letter] ?? null
  }

  async function findNames(): Promise<void> {
    clientNames ??= await findClientNames(dns, client)
  }

  const sender: SpfSenders = {
    family: client.family,
    addresses: [{ first: client.value, last: client.value }],
    endsAtErrors: true,
    answers: {
      answer<T extends SpfQueryType>(name: string, type: T) {
        const key = `${type} ${name}`
        const answer = known.get(key)
        if (!answer) missing.set(key, { name, type })
        return answer?.kind === 'failed' ? undefined : (answer as Known<T> | undefined)
      },
    },
    resolve({ kind, target: spec }, host) {
      // §4.6.4: each use of the names counts their void lookups again.
      const uses = Number(usesName(spec)) + Number(kind === 'ptr')
      needsNames = uses > 0 && clientNames === null
      if (needsNames) return null
      const target = resolveTermTarget(spec, host, macroValues(host))
      const { names = [], voidLookups = 0 } = clientNames ?? {}
      return { target, clientNames: names, voidLookups: uses * voidLookups }
    },
  }

  /** What is not known ends the evaluation, so each turn looks it up and gets further. */
  async function evaluate(): Promise<SpfOutcome> {
    for (;;) {
      const { outcomes } = evaluateSenders(sender, domain)
      if (needsNames) await findNames()
      else if (missing.size === 0) return outcomes[0] as SpfOutcome
      const queries = [...missing]
      const answers = await queryAll(
        dns,
        queries.map(([, query]) => query),
      )
      for (const [index, [key]] of queries.entries()) known.set(key, answers[index] as DnsAnswer)
      missing.clear()
    }
  }

  async function expand(explanation: DomainSpec, host: string): Promise<string | null> {
    if (usesName(explanation)) await findNames()
    return expandMacros(explanation, macroValues(host))
  }

  /** §6.2: without exactly one valid text there is no explanation. It costs no lookup. */
  async function explain({ host, record }: MatchStep): Promise<string | null> {
    const spec = record.terms.find((term): term is Modifier => term.kind === 'exp')?.target
    if (!spec) return null
    if (usesName(spec)) await findNames()
    const target = resolveTermTarget(spec, host, macroValues(host))
    if (target.kind !== 'name') return null
    const answer = await dns.query(target.name, 'TXT')
    const [text, ...others] = answer.kind === 'failed' ? [] : readTxtRecords(answer)
    if (text === undefined || others.length > 0) return null
    const explanation = parseExplanation(text)
    const expanded = isMalformedSpec(explanation) ? null : await expand(explanation, host)
    return expanded?.slice(0, MAX_EXPLANATION_LENGTH) ?? null
  }

  const { result, path, lookups, voidLookups } = await evaluate()
  // §6.1: a redirect only leads to the record that decides.
  const deciding = path.find(({ terms }) => terms[0].kind !== 'redirect')
  return {
    ip: message.ip,
    sender: macros.s ?? '',
    helo: message.helo,
    result,
    matched: deciding ? describeMatch(path, deciding, sender) : null,
    explanation: result === 'fail' && deciding ? await explain(deciding) : null,
    lookups,
    voidLookups,
  }
}

function describeMatch(
  path: readonly MatchStep[],
  deciding: MatchStep,
  sender: SpfSenders,
): SpfEvaluation['matched'] {
  return {
    term: matchingTerm(deciding, sender),
    record: deciding.host,
    path: path.map(({ host }) => host),
    innerTerm: matchingTerm(path.at(-1) ?? deciding, sender),
  }
}

/** Of several networks, the first that has the address. */
function matchingTerm({ terms }: MatchStep, { family, addresses }: SpfSenders): string {
  const [first, ...others] = terms
  const term =
    others.length === 0
      ? first
      : terms.find((each) => intersectSets(networkRanges([each], family), addresses).length > 0)
  return toDisplayText((term ?? first).text)
}

function usesName(spec: DomainSpec | null): boolean {
  return spec !== null && usesMacro(spec, 'p')
}

/** §7.3: best the domain itself, else a name below it, else any. */
function bestName(names: readonly string[], host: string): string {
  const best = names.find((name) => name === host) ?? names.find((name) => isAtOrBelow(name, host))
  return best ?? names[0] ?? UNKNOWN
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

/** §4.3: without a local part it is "postmaster". */
function splitSender(sender: string): { localPart: string; senderDomain: string } {
  const at = sender.lastIndexOf('@')
  const localPart = at > 0 ? sender.slice(0, at) : 'postmaster'
  return { localPart, senderDomain: sender.slice(at + 1) }
}
