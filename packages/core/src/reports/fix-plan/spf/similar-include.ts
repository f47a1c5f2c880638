/** Finds the include of a known service that a misspelled one probably meant. */
import { MAILBOX_PROVIDERS, SENDERS } from '../../../catalog/mail-services.js'
import { isTypo } from '../../../names/typo.js'

interface SimilarInclude {
  readonly term: string
  /** The name of the service. */
  readonly service: string
}

/** Null unless a host in the catalog differs by one typing mistake or a leading underscore. */
export function findSimilarInclude(term: string): SimilarInclude | null {
  const typed = term.toLowerCase().replace(/^[+?~-]?include:/, '')
  const known = KNOWN_HOSTS.find(
    ({ host }) => isTypo(typed, host) || `_${typed}` === host || typed === `_${host}`,
  )
  return known ? { term: `include:${known.host}`, service: known.name } : null
}

const KNOWN_HOSTS = [...MAILBOX_PROVIDERS, ...SENDERS].flatMap(({ name, spf }) =>
  spf.filter((pattern) => !pattern.includes('*')).map((host) => ({ name, host })),
)
