/** Repairs single SPF terms. */
import { isWellFormedSpf, MECHANISM_TYPOS, MECHANISMS } from '../../../checks/spf/spf-record.js'

/** The terms that were meant; null if that is not clear, none for separators and a second `all`. */
export function repairInvalidTerm(original: string): string[] | null {
  const text = withoutSeparators(original)
  if (text === '') return []
  const repaired = splitRunTogether(text) ?? repairMechanism(text, original)
  return repaired?.filter((term) => !/^[+?~-]?all$/i.test(term)) ?? null
}

/** Terms are separated by spaces only (RFC 7208 §4.6.1). */
function withoutSeparators(text: string): string {
  return text.replace(/^[,;]{1,8}|[,;]{1,8}$/g, '')
}

/** A term can start here; a host name has no colon. */
const NEXT_TERM = /(?<=[a-z\d/]) ?(?=[+?~-]?(?:include:|ip4:|ip6:|exists:)|[+?~-]all$)/i

/** `ip4:192.0.2.1include:example.com` as two terms; null if it is one. */
export function splitRunTogether(text: string): string[] | null {
  const [first = '', ...others] = text.split(NEXT_TERM)
  // Macros may hold anything.
  if (others.length === 0 || text.includes('%')) return null
  const terms = [first, ...others]
  return terms.every((term) => isWellFormedSpf(`v=spf1 ${term}`)) ? terms : null
}

const CUT_TERM = /^[+?~-]?(?:include|ipv?[46]|exists|redirect|a|mx)[:=]$/i

/** `include: example.com`, which receivers read as two invalid terms. */
export function findSplitTerms(text: string): { from: string; to: string[] }[] {
  const words = text.split(/ +/)
  return words.flatMap((word, index) => {
    const next = words[index + 1] ?? ''
    const isWhole = !CUT_TERM.test(word) || isWellFormedSpf(`v=spf1 ${next}`)
    const repaired = isWhole ? null : repairTermText(`${word}${next}`)
    return repaired ? [{ from: `${word} ${next}`, to: repaired }] : []
  })
}

export function joinSplitTerms(text: string): string {
  return findSplitTerms(text).reduce(
    (joined, { from, to }) => joined.replace(/ +/g, ' ').replace(from, to.join(' ')),
    text,
  )
}

function repairTermText(text: string): string[] | null {
  return isWellFormedSpf(`v=spf1 ${text}`) ? [text] : repairInvalidTerm(text)
}

const MISSPELLED_TERM = /^([+?~-]?)([a-z\d]+)[=:](.+)$/is
const BARE_ADDRESS = /^\+?((?:\d{1,3}\.){3}\d{1,3}(?:\/\d+)?)$/
const NETMASK = /^([+?~-]?ip4:[\d.]+)\/(\d+\.\d+\.\d+\.\d+)$/i

/** Repairs `ipv4:192.0.2.1`, `include=example.com`, `192.0.2.1`, `ip4:192.0.2.1;` and netmasks. */
function repairMechanism(text: string, original: string): string[] | null {
  if (text !== original && isWellFormedSpf(`v=spf1 ${text}`)) return [text]
  const address = BARE_ADDRESS.exec(text)?.[1]
  const [, qualifier = '', name = '', rest = ''] = MISSPELLED_TERM.exec(text) ?? []
  const known = MECHANISM_TYPOS.get(name.toLowerCase()) ?? name.toLowerCase()
  const isMechanism = (MECHANISMS as readonly string[]).includes(known)
  const guess = address ? `ip4:${address}` : isMechanism ? `${qualifier}${known}:${rest}` : null
  const term = guess && withPrefixLength(guess)
  return term && isWellFormedSpf(`v=spf1 ${term}`) ? [term] : null
}

/** `/24` instead of `/255.255.255.0`. */
function withPrefixLength(term: string): string {
  const [, network = '', mask = ''] = NETMASK.exec(term) ?? []
  if (network === '') return term
  const bits = mask
    .split('.')
    .map((octet) => Number(octet).toString(2).padStart(8, '0'))
    .join('')
  return /^1*0*$/.test(bits) ? `${network}/${bits.replaceAll('0', '').length}` : term
}
