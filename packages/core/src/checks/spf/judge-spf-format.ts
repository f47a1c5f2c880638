/** Findings about how the domain's own record is written. */
import type { CharacterStrings } from '@mailgrade/doh/dns'
import { formatCodePoint } from '../../names/quote-input.js'
import { createFinding, txtEvidence } from '../finding.js'
import { formatList, quoteForDisplay } from '../format-list.js'
import { joinStrings, toDisplayText } from '../txt-records.js'
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
import { type SpfRule, spfRecordEvidence } from './spf-rule.js'

const RECOMMENDED_OCTETS = 450
const UDP_OCTETS = 512

const hiddenCharacters: SpfRule = ({ domain, tree }) => {
  const records = tree.records.filter(({ text }) => /[^\x20-\x7e]/.test(text))
  const [record, ...others] = records
  if (!record) return null
  const characters = records.flatMap(
    ({ text }) => toDisplayText(text).match(/[^\x20-\x7e]/gu) ?? [],
  )
  const names = [...new Set(characters)].map(formatCodePoint)
  const cleaned = others.length === 0 ? removeHiddenCharacters(record.text) : null
  return createFinding(
    'spf.hidden-characters',
    {
      title: `Characters that are not allowed in the SPF record: ${formatList(names)}`,
      detail:
        'An SPF record may contain only printable ASCII and plain spaces. Tabs, no-break or zero-width spaces and curly quotes are copied from documents and break it.',
      fix: cleaned
        ? `Replace the record of ${domain} with "${cleaned}", in plain text.`
        : `Retype the record of ${domain} in plain text and replace the old one.`,
    },
    spfRecordEvidence(domain, records),
  )
}

const splitWithoutSpace: SpfRule = (facts) => {
  const { domain, txtRecords } = facts
  const split = txtRecords
    .filter((strings) => isSpfRecord(joinStrings(strings)) || isSpfNearMiss(joinStrings(strings)))
    .map((strings) => ({ strings, missingSpaces: findBrokenSplits(facts, strings) }))
    .filter(({ missingSpaces }) => missingSpaces.length > 0)
  if (split.length === 0) return null
  const repaired = split.map(({ strings }) => quoted(addMissingSpaces(facts, strings)))
  return createFinding(
    'spf.split-without-space',
    {
      title: `Two SPF terms run together: ${formatList(split.flatMap(({ missingSpaces }) => missingSpaces.map(({ text }) => text)))}`,
      detail:
        'The strings of a TXT record are joined without a space. Where one string ends a term and the next starts one, the space must be inside the quotes.',
      fix: `Publish the TXT record of ${domain} with a space at the end of the string: ${repaired.join(', ')}.`,
    },
    split.map(({ strings }) => txtEvidence(domain, quoted(strings))),
  )
}

function quoted(strings: CharacterStrings): string {
  return strings.map((text) => `"${toDisplayText(text)}"`).join(' ')
}

const longRecord: SpfRule = ({ domain, tree }) => {
  const [record] = tree.records.filter(({ text }) => text.length > RECOMMENDED_OCTETS)
  if (!record) return null
  const octets = record.text.length
  return createFinding(
    'spf.long-record',
    {
      title: `SPF record is long: ${octets} octets`,
      detail:
        octets > UDP_OCTETS
          ? `Answers of more than ${UDP_OCTETS} octets do not fit into a plain UDP packet. Where larger packets or TCP are blocked, the record is not found.`
          : `With the other TXT records of the name, the answer approaches the ${UDP_OCTETS} octets of a plain UDP packet.`,
      fix: `Shorten the record of ${domain} to under ${RECOMMENDED_OCTETS} octets: combine address ranges, remove unused senders, or move a group of terms into a separate record and include it.`,
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
      title: `Never read because they follow "all": ${terms}`,
      detail: '"all" matches every sender, so receivers stop there.',
      fix: isAllAgain
        ? `Keep one "all" in the record of ${domain}, the one you want: receivers use the first.`
        : `Delete ${terms} from the record of ${domain}. If it names one of your senders, move it before "all" instead.`,
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
        'A redirect applies only if the record has no "all". Senders that only the other record allows are not allowed by this one.',
      fix: `Remove "all" from the record of ${domain} to use the redirect, or write ${includes} before "all" instead.`,
    },
    spfRecordEvidence(domain, tree.records),
  )
}

const ignoredTerm: SpfRule = ({ domain, tree }) => {
  const ignored = tree.records
    .flatMap(({ terms }) => terms)
    .filter(
      (term): term is Modifier => term.kind === 'unknown-modifier' && isMechanismName(term.name),
    )
  if (ignored.length === 0) return null
  const corrected = ignored.map(({ text }) => text.replace('=', ':'))
  const areValid = invalidTerms(parseSpf(`v=spf1 ${corrected.join(' ')}`)).length === 0
  return createFinding(
    'spf.ignored-term',
    {
      title: `Ignored by receivers: ${formatList(
        ignored.map(({ text }) => text),
        quoteForDisplay,
      )}`,
      detail:
        'Mechanisms take a colon. With an equals sign it is an unknown modifier, which receivers must ignore.',
      fix: areValid
        ? `Write ${formatList(corrected, quoteForDisplay)} in the record of ${domain}.`
        : `Correct or remove ${formatList(
            ignored.map(({ text }) => text),
            quoteForDisplay,
          )} in the record of ${domain}.`,
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
          title: 'Leftover record of the retired type SPF',
          detail:
            'Receivers read only TXT. The old record does no harm, but may be mistaken for the real one.',
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
