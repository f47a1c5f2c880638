/**
 * Names that are no mail domains of the public DNS. `.test` and `.example` are reserved too, but
 * applications treat them like any other name (RFC 6761 §6.2, §6.5).
 */

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
  ...privateReverseZones().map(
    (name) => ({ name, use: 'unused', reference: 'RFC 6761 §6.1' }) as const,
  ),
]

/** The names of 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16. */
function privateReverseZones(): string[] {
  const sixteen = Array.from({ length: 16 }, (_, index) => `${16 + index}.172`)
  return ['10', ...sixteen, '168.192'].map((network) => `${network}.in-addr.arpa`)
}

const BY_NAME = new Map(RESERVED_NAMES.map((reserved) => [reserved.name, reserved]))

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
