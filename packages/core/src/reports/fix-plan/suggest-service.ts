/** Suggests ids of mail services for a text that is not one. */
import { ALL_SERVICES, type MailService } from '../../catalog/mail-services.js'
import { isTypo } from '../../names/typo.js'

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
