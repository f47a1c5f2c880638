/** What is wrong with there being no record, or more than one, or none that can be read. */

import { findServiceBySpfHost } from '../../catalog/mail-services.js'
import { createFinding, proposeTxtRecord } from '../finding.js'
import { formatList, truncateForDisplay } from '../format-list.js'
import { joinStrings } from '../txt-records.js'
import { isSpfRecord, parseSpf } from './parse-spf.js'
import type { SpfAuthorization } from './spf-authorization.js'
import { isSpfNearMiss, repairSpfNearMiss } from './spf-near-miss.js'
import { findAll, invalidTerms, isDirective, mergeTerms, type Term } from './spf-record.js'
import { LOOKUP_LIMIT } from './spf-report.js'
import {
  fixOrRequest,
  formatNodeDomains,
  type SpfRule,
  spfNodeEvidence,
  spfRecordEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

const missing: SpfRule = ({ domain, spfRecords, txtRecords, type99Records }) => {
  if (spfRecords.length > 0) return null
  const [meant, ...others] = txtRecords
    .map(joinStrings)
    .filter(isSpfNearMiss)
    .map(repairSpfNearMiss)
  const [leftover] = type99Records.filter(isSpfRecord)
  const known = others.length === 0 && meant ? meant : leftover
  return createFinding('spf.missing', {
    title: 'No SPF record',
    detail: `Nothing says which servers may send mail as ${domain}, so a forged sender looks no different from a real one.`,
    fix: known
      ? `Publish what was meant: "${domain} TXT ${known}".`
      : `If ${domain} sends no mail, publish "${domain} TXT v=spf1 -all". Otherwise publish one record that names everybody who sends for it, for instance "v=spf1 include:<your provider’s SPF host> ~all".`,
    ...(known && isSafeToPublish(known) && proposeTxtRecord(domain, known)),
  })
}

const nearMiss: SpfRule = ({ domain, spfRecords, txtRecords }) => {
  const misses = txtRecords.map(joinStrings).filter(isSpfNearMiss)
  const [miss, ...others] = misses
  if (miss === undefined) return null
  const better = others.length === 0 ? repairSpfNearMiss(miss) : null
  const correction = better
    ? `Replace it by "${domain} TXT ${better}".`
    : `Correct the beginning of the TXT record of ${domain} to "v=spf1 ", or delete the record if it is not needed. Only one SPF record may remain.`
  return createFinding(
    'spf.near-miss',
    {
      title: 'A record that was meant as SPF does not count',
      detail:
        'Receivers read only records that begin with exactly "v=spf1" and a space. This one is skipped as if it were not there.',
      fix:
        spfRecords.length === 0
          ? correction
          : `Delete it: ${domain} has an SPF record that counts, and may have only one. Add to that one what is missing in it.`,
    },
    spfRecordEvidence(
      domain,
      misses.map((text) => ({ text })),
    ),
  )
}

const multipleRecords: SpfRule = ({ tree, nodes, authorization }) => {
  const several = nodes.filter(({ state }) => state === 'several')
  if (several.length === 0) return null
  const names = formatNodeDomains(several)
  const merged = several.length === 1 && several[0] === tree ? mergedRecord(tree) : null
  const fix = merged
    ? `Publish one TXT record at ${names} that holds the terms of all, "${merged}", and delete the others.`
    : `Merge the terms of all into one TXT record at ${names} with a single "v=spf1" and a single "all", and delete the others.`
  return createFinding(
    'spf.multiple-records',
    {
      title: `More than one SPF record at ${names}`,
      detail:
        'Receivers that find two SPF records use neither and report a permanent error, so nobody passes.',
      fix: several.every(({ isOwn }) => isOwn)
        ? fix
        : `Tell whoever runs ${names}, and remove the term that leads there until it is mended.`,
      ...(merged && isSafe(merged, authorization) && proposeTxtRecord(tree.domain, merged)),
    },
    spfNodeEvidence(several),
  )
}

/** Merged, the records come into force: they must neither open the door nor shut everybody out. */
function isSafe(merged: string, { authorizesSenders, isOpenOnceValid }: SpfAuthorization): boolean {
  return !isOpenOnceValid && (authorizesSenders || merged === 'v=spf1 -all')
}

/** One record that says what several say; null where that is not clear. */
function mergedRecord({ records, lookups }: SpfNode): string | null {
  const isPlain = records.every(({ terms }) => terms.every(isDirective))
  if (!isPlain || lookups > LOOKUP_LIMIT) return null
  const terms = mergeTerms(records).filter(({ kind }) => kind !== 'all')
  // The mildest of them, so that nobody is refused who was named in one only.
  const isStrict = records.every((record) => findAll(record)?.qualifier === '-')
  return ['v=spf1', ...terms.map(({ text }) => text), isStrict ? '-all' : '~all'].join(' ')
}

const syntax: SpfRule = ({ nodes }) => {
  const broken = nodes.filter(
    (node) => isFirstOccurrence(node) && node.records.some((one) => invalidTerms(one).length > 0),
  )
  const faults = broken.flatMap(({ records }) => records.flatMap(invalidTerms))
  if (faults.length === 0) return null
  const terms = formatList(faults.map(({ text }) => `"${text}"`))
  return createFinding(
    'spf.syntax',
    {
      title: `SPF term that is not valid: ${formatList(faults.map(({ text }) => text))}`,
      detail: `One bad term makes the whole record a permanent error, and nobody passes. ${faults
        .slice(0, 6)
        .map(
          ({ text, position, problem }) =>
            `"${truncateForDisplay(text)}" (octet ${position}): ${truncateForDisplay(problem)}.`,
        )
        .join(' ')}`,
      fix: fixOrRequest(
        broken,
        `Correct or remove ${terms} in the record of ${formatNodeDomains(broken)}.`,
        `correct or remove ${terms}`,
      ),
    },
    spfNodeEvidence(broken),
  )
}

export const SPF_RECORD_RULES: readonly SpfRule[] = [missing, nearMiss, multipleRecords, syntax]

/** A range as large as the largest that were ever given to anybody. */
const WIDEST_IPV4 = 8
const WIDEST_IPV6 = 16

/**
 * What its terms lead to was not looked up, so only such terms will do as surely let nobody in but
 * the domain's own hosts and services that we know.
 */
function isSafeToPublish(text: string): boolean {
  return parseSpf(text).terms.every(isHarmlessTerm)
}

function isHarmlessTerm(term: Term): boolean {
  if (!isDirective(term)) return false
  const { kind, qualifier, target, ipv4Prefix, ipv6Prefix } = term
  if (kind === 'all') return qualifier === '-' || qualifier === '~'
  if (kind === 'ip4' || kind === 'ip6') {
    return ipv4Prefix >= WIDEST_IPV4 && ipv6Prefix >= WIDEST_IPV6
  }
  if (kind === 'include') return target !== null && findServiceBySpfHost(target.text) !== null
  const isPlain = target === null && ipv4Prefix === 32 && ipv6Prefix === 128
  return (kind === 'a' || kind === 'mx') && isPlain
}
