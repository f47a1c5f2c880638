/** Findings about how the domain's own record is written. */
import type { CharacterStrings } from '@mailgrade/doh/dns'
import { formatCodePoint } from '../../names/quote-input.js'
import { txtEvidence } from '../finding.js'
import { quoteForDisplay } from '../format-list.js'
import { found, type Rule } from '../rule.js'
import { joinStrings, toDisplayText } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import { addMissingSpaces, findBrokenSplits } from './missing-spaces.js'
import { isSpfNearMiss, removeHiddenCharacters } from './spf-near-miss.js'
import {
  findAll,
  invalidTerms,
  isDirective,
  isMechanismName,
  isSpfRecord,
  type Modifier,
  parseSpf,
  type Redirect,
} from './spf-record.js'
import { spfRecordEvidence } from './spf-rule.js'

const RECOMMENDED_OCTETS = 450
const UDP_OCTETS = 512

export const FORMAT_RULES: readonly Rule<SpfFacts>[] = [
  ({ domain, tree }) => {
    const records = tree.records.filter(({ text }) => /[^\x20-\x7e]/.test(text))
    const [record, ...others] = records
    if (!record) return null
    const characters = records
      .flatMap(({ text }) => toDisplayText(text).match(/[^\x20-\x7e]/gu) ?? [])
      .map(formatCodePoint)
    const cleaned = others.length === 0 ? removeHiddenCharacters(record.text) : null
    const evidence = spfRecordEvidence(domain, records)
    return cleaned
      ? found(
          'spf.hidden-characters (cleaned)',
          { characters, domain, record: cleaned },
          { evidence },
        )
      : found('spf.hidden-characters', { characters, domain }, { evidence })
  },

  (facts) => {
    const { domain, txtRecords } = facts
    const split = txtRecords
      .filter((strings) => isSpfRecord(joinStrings(strings)) || isSpfNearMiss(joinStrings(strings)))
      .map((strings) => ({ strings, missingSpaces: findBrokenSplits(facts, strings) }))
      .filter(({ missingSpaces }) => missingSpaces.length > 0)
    if (split.length === 0) return null
    const terms = split.flatMap(({ missingSpaces }) => missingSpaces.map(({ text }) => text))
    const record = split.map(({ strings }) => quoted(addMissingSpaces(facts, strings))).join(', ')
    const evidence = split.map(({ strings }) => txtEvidence(domain, quoted(strings)))
    return found('spf.split-without-space', { terms, domain, record }, { evidence })
  },

  ({ domain, tree }) => {
    const ignored = tree.records
      .flatMap(({ terms }) => terms)
      .filter(
        (term): term is Modifier => term.kind === 'unknown-modifier' && isMechanismName(term.name),
      )
    if (ignored.length === 0) return null
    const withColon = ignored.map(({ text }) => text.replace('=', ':'))
    const areValid = invalidTerms(parseSpf(`v=spf1 ${withColon.join(' ')}`)).length === 0
    return found(
      areValid ? 'spf.ignored-term' : 'spf.ignored-term (invalid)',
      {
        terms: ignored.map(({ text }) => quoteForDisplay(text)),
        corrected: withColon.map(quoteForDisplay),
        domain,
      },
      { evidence: spfRecordEvidence(domain, tree.records) },
    )
  },

  ({ domain, tree }) => {
    const ignored = tree.records
      .filter(findAll)
      .flatMap(({ terms }) => terms.filter((term): term is Redirect => term.kind === 'redirect'))
    if (ignored.length === 0) return null
    return found(
      'spf.redirect-ignored',
      {
        redirects: ignored.map(({ text }) => text),
        includes: ignored.map(({ target }) => `"include:${target.text}"`),
        domain,
      },
      { evidence: spfRecordEvidence(domain, tree.records) },
    )
  },

  ({ domain, tree }) => {
    const unread = tree.records.flatMap((record) => {
      const all = findAll(record)
      return all
        ? record.terms.filter((term) => isDirective(term) && term.position > all.position)
        : []
    })
    if (unread.length === 0) return null
    const isAllAgain = unread.every(({ kind }) => kind === 'all')
    return found(
      isAllAgain ? 'spf.terms-after-all (repeated-all)' : 'spf.terms-after-all',
      { terms: unread.map(({ text }) => text), domain },
      { evidence: spfRecordEvidence(domain, tree.records) },
    )
  },

  ({ domain, tree }) => {
    const [record] = tree.records.filter(({ text }) => text.length > RECOMMENDED_OCTETS)
    if (!record) return null
    const count = record.text.length
    return found(
      count > UDP_OCTETS ? 'spf.long-record (over-512)' : 'spf.long-record',
      { count, domain },
      { evidence: spfRecordEvidence(domain, [record]) },
    )
  },

  ({ domain, type99Records, spfRecords }) => {
    if (type99Records.length === 0) return null
    const evidence = type99Records.map((text) => {
      return { name: domain, type: 'SPF', value: toDisplayText(text) }
    })
    const key = spfRecords.length === 0 ? 'spf.type-99 (no-txt)' : 'spf.type-99'
    return found(key, { domain }, { evidence })
  },
]

function quoted(strings: CharacterStrings): string {
  return strings.map((text) => `"${toDisplayText(text)}"`).join(' ')
}
