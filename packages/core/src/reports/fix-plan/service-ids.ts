/** Parses ids of mail services that a caller gives. */
import { findServiceById } from '../../catalog/mail-services.js'
import { quoteUnlessSecret } from '../../names/quote-input.js'
import { suggestServiceIds } from './suggest-service.js'

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
      : 'A fix plan lists the ids of the services that it finds under "senders".'
  return {
    kind: 'refused',
    reason: `${quoteUnlessSecret(unknown, unknown)} is not the id of a service. ${hint}`,
  }
}
