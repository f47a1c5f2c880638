/**
 * Names that are no mail domains of the public DNS. `.test` and `.example` are reserved too, but
 * applications treat them like any other name (RFC 6761 §6.2, §6.5).
 */
import { type AbortableDns, type DnsAnswer, type DnsQuery, toQueryMethod } from '@mailgrade/doh/dns'

/**
 * `private`: a network may use them, and its resolver answers for them. `unused`: no DNS should
 * answer. `infrastructure`: in the public DNS, but not for mail.
 */
type ReservedUse = 'private' | 'unused' | 'infrastructure'

interface ReservedName {
  /** The name and everything below it. */
  readonly name: string
  readonly use: ReservedUse
  readonly reference: string
}

/** In 2018, ICANN stopped the applications for three names that networks use as their own. */
const NOT_DELEGATED = 'ICANN Board resolution 2018.02.04.12'
/** `::` and `::1` differ in the first of 32 digits. */
const ZEROS = Array(31).fill('0').join('.')
const IN_USE_ON_NETWORKS = 'RFC 6762 Appendix G'

const RESERVED_NAMES: readonly ReservedName[] = [
  { name: 'internal', use: 'private', reference: 'ICANN Board resolution 2024.07.29.06' },
  { name: 'home.arpa', use: 'private', reference: 'RFC 8375 §4' },
  { name: 'local', use: 'private', reference: 'RFC 6762 §3' },
  { name: 'corp', use: 'private', reference: NOT_DELEGATED },
  { name: 'home', use: 'private', reference: NOT_DELEGATED },
  { name: 'mail', use: 'private', reference: NOT_DELEGATED },
  { name: 'intranet', use: 'private', reference: IN_USE_ON_NETWORKS },
  { name: 'lan', use: 'private', reference: IN_USE_ON_NETWORKS },
  { name: 'private', use: 'private', reference: IN_USE_ON_NETWORKS },
  { name: 'alt', use: 'unused', reference: 'RFC 9476 §2' },
  { name: 'invalid', use: 'unused', reference: 'RFC 6761 §6.4' },
  { name: 'localhost', use: 'unused', reference: 'RFC 6761 §6.3' },
  { name: 'onion', use: 'unused', reference: 'RFC 7686 §2' },
  { name: 'arpa', use: 'infrastructure', reference: 'RFC 3172 §2' },
  ...reverseZones('in-addr.arpa', 'RFC 6761 §6.1', ['10', ...range(16, 31, '172'), '168.192']),
  // Not those for documentation (RFC 6303 §4.2), whose addresses examples look up like any other.
  ...reverseZones('in-addr.arpa', 'RFC 6303 §4.2', ['0', '127', '254.169', '255.255.255.255']),
  ...reverseZones('in-addr.arpa', 'RFC 7793 §1', range(64, 127, '100')),
  ...reverseZones('ip6.arpa', 'RFC 6303 §4.3', [`0.${ZEROS}`, `1.${ZEROS}`]),
  ...reverseZones('ip6.arpa', 'RFC 6303 §4.4', ['d.f']),
  ...reverseZones('ip6.arpa', 'RFC 4193 §4.4', ['c.f']),
  ...reverseZones('ip6.arpa', 'RFC 6303 §4.5', ['8.e.f', '9.e.f', 'a.e.f', 'b.e.f']),
]

/** The names of addresses of networks that are not public. */
function reverseZones(
  suffix: string,
  reference: string,
  networks: readonly string[],
): ReservedName[] {
  return networks.map((network) => ({ name: `${network}.${suffix}`, use: 'unused', reference }))
}

function range(first: number, last: number, network: string): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}.${network}`)
}

const BY_NAME = new Map(RESERVED_NAMES.map((reserved) => [reserved.name, reserved]))
/** Nearly all names end differently, and a check asks for more than a hundred of them. */
const RESERVED_END = new RegExp(
  `(?:^|\\.)(?:${RESERVED_NAMES.map(({ name }) => name)
    .filter((name) => !name.includes('.'))
    .join('|')})$`,
  'i',
)

export interface NameOptions {
  /** Accepts names for private use, which only the resolver of the same network should be asked. */
  readonly allowPrivateNames?: boolean | undefined
}

const PUBLIC_NAME = 'enter a public domain name, such as example.com.'

const PROBLEMS: Readonly<Record<ReservedUse, string>> = {
  private: `is a name for private networks, so public DNS has no records for it; ${PUBLIC_NAME}`,
  unused: `is a reserved name without DNS records; ${PUBLIC_NAME}`,
  infrastructure: `is a name that DNS uses for itself, not for mail; ${PUBLIC_NAME}`,
}

/** Completes a sentence that starts with the name; null if it may be a mail domain. */
export function findReservedProblem(
  domain: string,
  { allowPrivateNames = false }: NameOptions = {},
): string | null {
  const use = reservedUse(domain)
  return use === null || (use === 'private' && allowPrivateNames) ? null : PROBLEMS[use]
}

/** Why a name for private use is refused, as a sentence; null for other names. */
export function privateNameProblem(domain: string): string | null {
  return reservedUse(domain) === 'private' ? `${domain} ${PROBLEMS.private}` : null
}

/** Whether a resolver must not be asked about mail to the name. */
export function isNeverLookedUp(
  domain: string,
  { allowPrivateNames = false }: NameOptions = {},
): boolean {
  const use = reservedUse(domain)
  return use === 'unused' || (use === 'private' && !allowPrivateNames)
}

/** The longest name decides: `home.arpa` is for private use, `arpa` is not. */
function reservedUse(domain: string): ReservedUse | null {
  for (let name = domain; ; name = name.slice(name.indexOf('.') + 1)) {
    const reserved = BY_NAME.get(name)
    if (reserved) return reserved.use
    if (!name.includes('.')) return null
  }
}

const NO_SUCH_NAME = {
  kind: 'nxdomain',
  ttl: null,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver: null,
} as const satisfies DnsAnswer

const isPrivate = (name: string) => RESERVED_END.test(name) && isNeverLookedUp(name.toLowerCase())

/** Does not ask a resolver inside a network about its own names, whoever publishes them. */
export function withoutPrivateNames(dns: AbortableDns): AbortableDns {
  const queryEach: AbortableDns['queryEach'] = (queries, onAnswer, signal) => {
    const others: DnsQuery[] = []
    const indexes: number[] = []
    for (const [at, query] of queries.entries()) {
      if (isPrivate(query.name)) onAnswer(NO_SUCH_NAME, at)
      else indexes[others.push(query) - 1] = at
    }
    const onOther = (answer: DnsAnswer, at: number) =>
      onAnswer(hidePrivateTarget(answer), indexes[at] ?? 0)
    if (others.length > 0) dns.queryEach?.(others, onOther, signal)
  }
  const query = toQueryMethod(async (name, type, signal) =>
    isPrivate(name) ? NO_SUCH_NAME : hidePrivateTarget(await dns.query(name, type, signal)),
  )
  return { query, ...(dns.queryEach && { queryEach }) }
}

/** A resolver also follows a public CNAME or DNAME record to a name inside its network. */
function hidePrivateTarget(answer: DnsAnswer): DnsAnswer {
  const at = answer.cnames.findIndex(isPrivate)
  if (at === -1) return answer
  const { resolver, cnames } = answer
  return { ...NO_SUCH_NAME, resolver, cnames: cnames.slice(0, at + 1) }
}
