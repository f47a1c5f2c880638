/** What is wrong with how the domain's own record is written. */
import type { CharacterStrings } from '@mailgrade/doh/dns'
import { formatCodePoint } from '../../names/quote-input.js'
import { createFinding, txtEvidence } from '../finding.js'
import { formatList } from '../format-list.js'
import { joinStrings, toDisplayText } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import { isSpfRecord, parseSpf } from './parse-spf.js'
import { findMissingSpaces, isSpfNearMiss, removeHiddenCharacters } from './spf-near-miss.js'
import {
  activeTerms,
  findAll,
  invalidTerms,
  isDirective,
  isIncludeOrRedirect,
  MECHANISMS,
  type Modifier,
  type Redirect,
} from './spf-record.js'
import { type SpfRule, spfRecordEvidence } from './spf-rule.js'

const COMFORTABLE_OCTETS = 450
const TIGHT_OCTETS = 512

const hiddenCharacters: SpfRule = ({ domain, tree }) => {
  const records = tree.records.filter(({ text }) => /[^\x20-\x7e]/.test(text))
  const [record, ...others] = records
  if (!record) return null
  const characters = records.flatMap(
    ({ text }) => toDisplayText(text).match(/[^\x20-\x7e]/gu) ?? [],
  )
  const names = [...new Set(characters)].map(formatCodePoint)
  const better = others.length === 0 ? removeHiddenCharacters(record.text) : null
  return createFinding(
    'spf.hidden-characters',
    {
      title: `Characters in the SPF record that must not be there: ${formatList(names)}`,
      detail:
        'Only printable ASCII and plain spaces may stand in an SPF record. Others, such as tabs, no-break or zero-width spaces and curly quotes, come from copying out of documents and break it.',
      fix: better
        ? `Replace the record of ${domain} by "${better}", in plain text.`
        : `Type the record of ${domain} anew in plain text and replace the old one.`,
    },
    spfRecordEvidence(domain, records),
  )
}

const splitWithoutSpace: SpfRule = (facts) => {
  const { domain, txtRecords } = facts
  const torn = txtRecords
    .filter((strings) => isSpfRecord(joinStrings(strings)) || isSpfNearMiss(joinStrings(strings)))
    .map((strings) => {
      const text = joinStrings(strings)
      return {
        strings,
        joints: findMissingSpaces(strings).filter(({ at }) => !isWhole(facts, text, at)),
      }
    })
    .filter(({ joints }) => joints.length > 0)
  if (torn.length === 0) return null
  const mended = torn.map(({ strings, joints }) => {
    const starts = new Set(joints.map(({ index }) => index))
    return quoted(strings.map((text, index) => (starts.has(index + 1) ? `${text} ` : text)))
  })
  return createFinding(
    'spf.split-without-space',
    {
      title: `Two SPF terms run together: ${formatList(torn.flatMap(({ joints }) => joints.map(({ text }) => text)))}`,
      detail:
        'The strings of a TXT record are joined without anything between them. Where one string ends a term and the next begins one, the space has to be inside the quotes.',
      fix: `Publish the TXT record of ${domain} with a space at the end of the string: ${mended.join(', ')}.`,
    },
    torn.map(({ strings }) => txtEvidence(domain, quoted(strings))),
  )
}

function quoted(strings: CharacterStrings): string {
  return strings.map((text) => `"${toDisplayText(text)}"`).join(' ')
}

/** Whether the term that a split goes through is one that works, such as `include:spf.acme.ca`. */
function isWhole({ tree, costs }: SpfFacts, text: string, at: number): boolean {
  const term = tree.records
    .filter((record) => record.text === text)
    .flatMap(activeTerms)
    .find(({ position, text: { length } }) => position < at && position + length > at)
  if (!term) return false
  if (isIncludeOrRedirect(term)) {
    const led = tree.children.find((child) => child.term === term)
    return led !== undefined && (led.records.length > 0 || led.state === 'loop')
  }
  const { ipv4VoidLookups, ipv6VoidLookups } = costs.termCost(term)
  return ipv4VoidLookups === 0 || ipv6VoidLookups === 0
}

const longRecord: SpfRule = ({ domain, tree }) => {
  const [record] = tree.records.filter(({ text }) => text.length > COMFORTABLE_OCTETS)
  if (!record) return null
  const octets = record.text.length
  return createFinding(
    'spf.long-record',
    {
      title: `SPF record of ${octets} octets`,
      detail:
        octets > TIGHT_OCTETS
          ? `Answers of more than ${TIGHT_OCTETS} octets do not fit into a plain UDP packet; where larger ones or TCP are blocked, the record is not seen.`
          : `With the other TXT records of the name, the answer comes close to the ${TIGHT_OCTETS} octets of a plain UDP packet.`,
      fix: `Bring the record of ${domain} under ${COMFORTABLE_OCTETS} octets: join address ranges, drop what no longer sends, or move a group of terms into a record of its own and include it.`,
    },
    spfRecordEvidence(domain, [record]),
  )
}

const termsAfterAll: SpfRule = ({ domain, tree }) => {
  const unread = tree.records.flatMap((record) => {
    const all = findAll(record)
    return all
      ? record.terms.filter((term) => isDirective(term) && term.position > all.position)
      : []
  })
  if (unread.length === 0) return null
  const terms = formatList(unread.map(({ text }) => text))
  const isAllAgain = unread.every(({ kind }) => kind === 'all')
  return createFinding(
    'spf.terms-after-all',
    {
      title: `Behind "all", and never read: ${terms}`,
      detail: '"all" matches every sender, so receivers stop there.',
      fix: isAllAgain
        ? `Keep one "all" in the record of ${domain}, the one that is meant: receivers obey the first.`
        : `Delete ${terms} from the record of ${domain}, or, where it names somebody who sends for you, move it before "all".`,
    },
    spfRecordEvidence(domain, tree.records),
  )
}

const redirectIgnored: SpfRule = ({ domain, tree }) => {
  const redirects = tree.records
    .filter(findAll)
    .flatMap(({ terms }) => terms.filter((term): term is Redirect => term.kind === 'redirect'))
  if (redirects.length === 0) return null
  const includes = formatList(redirects.map(({ target }) => `"include:${target.text}"`))
  return createFinding(
    'spf.redirect-ignored',
    {
      title: `Ignored because of "all": ${formatList(redirects.map(({ text }) => text))}`,
      detail:
        'A redirect applies only where the record has no "all". Whoever the other record lets send is not allowed by this one.',
      fix: `Remove "all" from the record of ${domain} to use the redirect, or write ${includes} before "all" in its place.`,
    },
    spfRecordEvidence(domain, tree.records),
  )
}

const ignoredTerm: SpfRule = ({ domain, tree }) => {
  const ignored = tree.records
    .flatMap(({ terms }) => terms)
    .filter(
      (term): term is Modifier =>
        term.kind === 'unknown-modifier' && (MECHANISMS as readonly string[]).includes(term.name),
    )
  if (ignored.length === 0) return null
  const meant = ignored.map(({ text }) => text.replace('=', ':'))
  const areValid = invalidTerms(parseSpf(`v=spf1 ${meant.join(' ')}`)).length === 0
  return createFinding(
    'spf.ignored-term',
    {
      title: `Skipped by receivers: ${formatList(ignored.map(({ text }) => text))}`,
      detail:
        'Mechanisms take a colon. With an equals sign it is an unknown modifier, which receivers must ignore, so it has no effect.',
      fix: areValid
        ? `Write ${formatList(meant.map((text) => `"${text}"`))} in the record of ${domain}.`
        : `Correct or remove ${formatList(ignored.map(({ text }) => `"${text}"`))} in the record of ${domain}.`,
    },
    spfRecordEvidence(domain, tree.records),
  )
}

const type99: SpfRule = ({ domain, type99Records, spfRecords }) =>
  type99Records.length === 0
    ? null
    : createFinding(
        'spf.type-99',
        {
          title: 'A record of the retired type SPF is left over',
          detail:
            'Receivers read TXT only. The old record does no harm, but may be mistaken for the real one.',
          fix:
            spfRecords.length > 0
              ? `Delete the record of type SPF (99) at ${domain}; keep the TXT record.`
              : `Publish an SPF record of type TXT at ${domain}, and delete the one of type SPF (99).`,
        },
        type99Records.map((text) => ({ name: domain, type: 'SPF', value: toDisplayText(text) })),
      )

export const FORMAT_RULES: readonly SpfRule[] = [
  hiddenCharacters,
  splitWithoutSpace,
  ignoredTerm,
  redirectIgnored,
  termsAfterAll,
  longRecord,
  type99,
]
