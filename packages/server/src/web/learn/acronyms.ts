/** Explains each acronym where a page uses it first. */
import type { Template } from '../../content/page-template.js'

const MEANINGS: Readonly<Record<string, string>> = {
  SPF: 'the list of who may send as you',
  DKIM: 'a signature on your mail',
  DMARC: 'your policy for forged mail',
  MX: 'mail server',
  'MTA-STS': 'encrypted delivery',
  'TLS-RPT': 'reports about encryption',
  BIMI: 'your logo in the inbox',
  DNSSEC: 'signed domain records',
  DNS: 'the Domain Name System',
  TXT: 'text',
  CNAME: 'alias',
  TLS: 'encryption in transit',
  TTL: 'time to live',
  IP: 'Internet Protocol',
  DS: 'delegation signer',
  RSA: 'the usual kind',
  XML: 'a format for programs',
  SVG: 'a format for drawings',
}

export const ACRONYMS: readonly string[] = Object.keys(MEANINGS)

const ACRONYM = new RegExp(
  `(?<![\\w-])(?:${ACRONYMS.toSorted((one, other) => other.length - one.length).join('|')})(?![\\w-])`,
  'g',
)

/** A word that makes one term with the acronym before it: an explanation between them breaks it. */
const REST_OF_TERM =
  /^ (?:policy file|reporting record|records?|policy|keys?|host|lookups?|address(?:es)?|answers?|reports?|target|limit|files?)(?![\w-])/

/**
 * Returns a function for the texts of one page, in the order in which people read them. `explained`
 * are acronyms that the page has explained before.
 */
export function createAcronymExpander(explained: readonly string[]): (text: string) => string {
  const seen = new Set(explained)
  return (text) => text.split('`').map(expandUnlessCode).join('`')

  function expandUnlessCode(piece: string, index: number): string {
    return index % 2 === 1 ? piece : expandPiece(piece)
  }

  function expandPiece(text: string): string {
    let expanded = ''
    let end = 0
    for (const { 0: acronym, index } of text.matchAll(ACRONYM)) {
      const before = text.slice(0, index)
      const after = text.slice(index + acronym.length)
      const isExplainedHere = after.startsWith(' (') || (before.endsWith('(') && after[0] === ')')
      const isKnown = seen.has(acronym) || isExplainedHere
      seen.add(acronym)
      if (isKnown) continue
      const [rest = ''] = REST_OF_TERM.exec(after) ?? []
      const explanation = rest === '' ? MEANINGS[acronym] : `${acronym}: ${MEANINGS[acronym]}`
      const next = index + acronym.length + rest.length
      expanded += `${text.slice(end, next)} (${explanation})`
      end = next
    }
    return expanded + text.slice(end)
  }
}

/** The same for compiled prose, whose tags and code stay as they are. */
export function expandProse(template: Template, expand: (text: string) => string): Template {
  return template.map((piece) =>
    typeof piece === 'string'
      ? piece.replace(
          /(<code>.*?<\/code>|<[^>]*>)|[^<]+/g,
          (text, markup) => markup ?? expand(text),
        )
      : piece,
  )
}
