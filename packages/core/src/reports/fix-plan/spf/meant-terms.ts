/** What the SPF records of a domain were meant to say, in whatever state they are. */
import { corrected, isNearMiss } from '../../../checks/spf/near-miss.js'
import { isWellFormed, MEANT_MECHANISMS, parseSpf } from '../../../checks/spf/parse-spf.js'
import type { SpfFacts } from '../../../checks/spf/spf-facts.js'
import { allOf, MECHANISMS, type SpfRecord, type Term } from '../../../checks/spf/spf-record.js'
import { joined } from '../../../checks/txt.js'

export type SpfEnding = '-all' | '~all'

export interface Meant {
  /** Each once, in order, without `all`. */
  readonly terms: readonly string[]
  readonly ending: SpfEnding
  /** Terms of which nobody can tell what they were to be. */
  readonly unreadable: readonly string[]
  /** Whether receivers read the same today. */
  readonly isAsPublished: boolean
}

export function meantTerms({ published, texts, ending }: SpfFacts): Meant {
  const records = meantRecords(published.map(joined), texts.map(joined))
  const read = records.flatMap(({ terms }) => terms).map((term) => [term, meaningOf(term)] as const)
  const terms = withoutRepeats(read.flatMap(([, meaning]) => meaning ?? []))
  const [only, ...others] = published.length === 0 ? [] : records
  const isClosed = ending.kind === 'all' && /[-~]/.test(ending.term.qualifier)
  return {
    terms,
    ending: isStrict(records, ending) ? '-all' : '~all',
    unreadable: read.flatMap(([term, meaning]) => (meaning ? [] : [term.text])),
    isAsPublished:
      only !== undefined && others.length === 0 && isClosed && isOrderly(only, terms.length),
  }
}

/** Near misses count only where nothing else does: beside a record that counts, nobody misses them. */
function meantRecords(published: readonly string[], texts: readonly string[]): SpfRecord[] {
  if (published.length > 0) return published.map(parseSpf)
  return texts.filter(isNearMiss).flatMap((text) => {
    const meant = corrected(text)
    return meant ? [parseSpf(meant)] : []
  })
}

/** Nothing in it is broken, said twice, or left behind an `all` or beside it. */
function isOrderly(record: SpfRecord, meant: number): boolean {
  const end = record.terms.findIndex(({ kind }) => kind === 'all')
  const isLast = end === -1 || end === record.terms.length - 1
  const isAlone = end === -1 || record.terms.every(({ kind }) => kind !== 'redirect')
  const said = record.terms.filter(({ kind }) => kind !== 'all').length
  return isWellFormed(record.text) && isLast && isAlone && said === meant
}

/** Never weaker than today; of several records the mildest, for receivers obey none of them. */
function isStrict(records: readonly SpfRecord[], ending: SpfFacts['ending']): boolean {
  if (records.length === 1 && ending.kind === 'all') return ending.term.qualifier === '-'
  return records.length > 0 && records.every((record) => allOf(record)?.qualifier === '-')
}

/** The term as it should be written; nothing where that cannot be told. */
function meaningOf(term: Term): string[] | null {
  if (term.kind === 'all') return []
  // Beside other terms a redirect is ignored or ends in somebody else's `all`; an include does neither.
  if (term.kind === 'redirect') return [`include:${term.target.text}`]
  if (term.kind === 'unknown-modifier') return [mechanismOf(term.text) ?? term.text]
  if (term.kind !== 'invalid') return [term.text]
  if (withoutMarks(term.text) === '') return []
  const mended = mechanismOf(term.text)
  if (mended && /^[+?~-]?all$/i.test(mended)) return []
  return mended ? [mended] : null
}

/** What people put between terms, where only a space belongs (RFC 7208 §4.6.1). */
function withoutMarks(text: string): string {
  return text.replace(/^[,;]{1,8}|[,;]{1,8}$/g, '')
}

const WRITTEN_OTHERWISE = /^([+?~-]?)([a-z\d]+)[=:](.+)$/is
const BARE_ADDRESS = /^\+?((?:\d{1,3}\.){3}\d{1,3}(?:\/\d+)?)$/

/** `ipv4:192.0.2.1`, `include=example.com`, `192.0.2.1`, `ip4:192.0.2.1;`. */
function mechanismOf(written: string): string | null {
  const text = withoutMarks(written)
  if (text !== written && isWellFormed(`v=spf1 ${text}`)) return text
  const address = BARE_ADDRESS.exec(text)?.[1]
  const [, qualifier = '', name = '', rest = ''] = WRITTEN_OTHERWISE.exec(text) ?? []
  const known = MEANT_MECHANISMS.get(name.toLowerCase()) ?? name.toLowerCase()
  const isMechanism = (MECHANISMS as readonly string[]).includes(known)
  const guess = address ? `ip4:${address}` : isMechanism ? `${qualifier}${known}:${rest}` : null
  return guess && isWellFormed(`v=spf1 ${guess}`) ? guess : null
}

export function withoutRepeats(terms: readonly string[]): string[] {
  const said = new Set<string>()
  return terms.filter((text) => {
    const essence = text.toLowerCase().replace(/^\+/, '').replace(/\.$/, '')
    const isNew = !said.has(essence)
    said.add(essence)
    return isNew
  })
}
