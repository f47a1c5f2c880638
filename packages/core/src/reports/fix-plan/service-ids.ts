/** Parses ids of mail services that a caller gives. */
import { ALL_SERVICES, findServiceById, type MailService } from '../../catalog/mail-services.js'
import { quoteUnlessSecret } from '../../names/quote-input.js'
import { isTypo } from '../../names/typo.js'

export type ParsedServiceIds =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** A sentence for the person who entered them. */
  | { readonly kind: 'refused'; readonly reason: string }

/** More services than any domain has. */
const MAX_IDS = 50

/** Comma-separated, in any case; empty items are left out. */
export function parseServiceIds(text: string): ParsedServiceIds {
  const ids = [...new Set(text.split(',').map((id) => id.trim().toLowerCase()))].filter(
    (id) => id !== '',
  )
  if (ids.length > MAX_IDS) {
    return { kind: 'refused', reason: `There are more than ${MAX_IDS} service ids. Send fewer.` }
  }
  const unknown = ids.find((id) => findServiceById(id) === null)
  if (unknown === undefined) return { kind: 'ids', ids }
  const nearest = suggestServiceIds(unknown)
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.join(' or ')}?`
      : 'A fix plan lists the ids of the services it finds, under "senders".'
  return {
    kind: 'refused',
    reason: `${quoteUnlessSecret(unknown, unknown)} isn’t a service id. ${hint}`,
  }
}

/** Why the answers contradict each other; null if they don't. */
export function contradictionIn(
  uses: readonly string[] = [],
  unused: readonly string[] = [],
): string | null {
  const both = uses.find((id) => unused.includes(id))
  return both === undefined
    ? null
    : `${both} is in both uses and unused. Put it in only one of them.`
}

const MAX_SUGGESTIONS = 3
/** Shorter texts are the beginning of too many names. */
const MIN_PREFIX_LENGTH = 3
/** Longer texts are no names. */
const MAX_LENGTH = 60

/** The ids of up to three services with a similar id or name, the most similar first. */
export function suggestServiceIds(text: string): string[] {
  if (text.length > MAX_LENGTH) return []
  const typed = toPlainName(text)
  return ALL_SERVICES.map((service) => ({ id: service.id, rank: rankMatch(typed, service) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id }) => id)
}

/** The same name, a word of it, a typing mistake, the beginning of a name, or a name and more. */
function rankMatch(typed: string, { id, name }: MailService): number {
  const full = [id, name].map(toPlainName)
  const names = [...full, ...name.split(/[^\p{L}\p{N}]+/u).map(toPlainName)].filter(Boolean)
  const isLong = typed.length >= MIN_PREFIX_LENGTH
  if (full.includes(typed)) return 0
  if (names.includes(typed)) return 1
  if (isLong && full.some((each) => isTypo(typed, each))) return 2
  if (isLong && names.some((each) => isTypo(typed, each))) return 3
  if (isLong && names.some((each) => each.startsWith(typed))) return 4
  const isContinued = (each: string) => each.length > MIN_PREFIX_LENGTH && typed.startsWith(each)
  return full.some(isContinued) ? 5 : Number.POSITIVE_INFINITY
}

/** `Zoho Mail` → `zohomail`. */
function toPlainName(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
