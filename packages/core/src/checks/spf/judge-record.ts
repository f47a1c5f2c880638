/** What is wrong with there being no record, or more than one, or none that can be read. */
import { exactTxt, finding } from '../finding.js'
import { brief, listed } from '../listed.js'
import { joined } from '../txt.js'
import { isHarmless } from './harmless.js'
import { corrected, isNearMiss } from './near-miss.js'
import { isSpf } from './parse-spf.js'
import type { Reach } from './spf-reach.js'
import { allOf, brokenTerms, isDirective } from './spf-record.js'
import { LOOKUP_LIMIT } from './spf-report.js'
import { evidenceOf, namesOf, recordEvidence, type SpfRule, toMend } from './spf-rule.js'
import { isShown, mergedTerms, type SpfNode } from './spf-tree.js'

const missing: SpfRule = ({ domain, published, texts, leftovers }) => {
  if (published.length > 0) return null
  const [meant, ...others] = texts.map(joined).filter(isNearMiss).map(corrected)
  const [leftover] = leftovers.filter(isSpf)
  const known = others.length === 0 && meant ? meant : leftover
  return finding('spf.missing', {
    title: 'No SPF record',
    detail: `Nothing says which servers may send mail as ${domain}, so a forged sender looks no different from a real one.`,
    fix: known
      ? `Publish what was meant: "${domain} TXT ${known}".`
      : `If ${domain} sends no mail, publish "${domain} TXT v=spf1 -all". Otherwise publish one record that names everybody who sends for it, for instance "v=spf1 include:<your provider’s SPF host> ~all".`,
    ...(known && isHarmless(known) && exactTxt(domain, known)),
  })
}

const nearMiss: SpfRule = ({ domain, published, texts }) => {
  const misses = texts.map(joined).filter(isNearMiss)
  const [miss, ...others] = misses
  if (miss === undefined) return null
  const better = others.length === 0 ? corrected(miss) : null
  const correction = better
    ? `Replace it by "${domain} TXT ${better}".`
    : `Correct the beginning of the TXT record of ${domain} to "v=spf1 ", or delete the record if it is not needed. Only one SPF record may remain.`
  return finding(
    'spf.near-miss',
    {
      title: 'A record that was meant as SPF does not count',
      detail:
        'Receivers read only records that begin with exactly "v=spf1" and a space. This one is skipped as if it were not there.',
      fix:
        published.length === 0
          ? correction
          : `Delete it: ${domain} has an SPF record that counts, and may have only one. Add to that one what is missing in it.`,
    },
    recordEvidence(
      domain,
      misses.map((text) => ({ text })),
    ),
  )
}

const multipleRecords: SpfRule = ({ tree, nodes, reach }) => {
  const several = nodes.filter(({ state }) => state === 'several')
  if (several.length === 0) return null
  const names = namesOf(several)
  const merged = several.length === 1 && several[0] === tree ? mergedRecord(tree) : null
  const fix = merged
    ? `Publish one TXT record at ${names} that holds the terms of all, "${merged}", and delete the others.`
    : `Merge the terms of all into one TXT record at ${names} with a single "v=spf1" and a single "all", and delete the others.`
  return finding(
    'spf.multiple-records',
    {
      title: `More than one SPF record at ${names}`,
      detail:
        'Receivers that find two SPF records use neither and report a permanent error, so nobody passes.',
      fix: several.every(({ isOwn }) => isOwn)
        ? fix
        : `Tell whoever runs ${names}, and remove the term that leads there until it is mended.`,
      ...(merged && isSafe(merged, reach) && exactTxt(tree.domain, merged)),
    },
    evidenceOf(several),
  )
}

/** Merged, the records come into force: they must neither open the door nor shut everybody out. */
function isSafe(merged: string, { authorizesSenders, opensOnceRead }: Reach): boolean {
  return !opensOnceRead && (authorizesSenders || merged === 'v=spf1 -all')
}

/** One record that says what several say; null where that is not clear. */
function mergedRecord({ records, lookups }: SpfNode): string | null {
  const isPlain = records.every(({ terms }) => terms.every(isDirective))
  if (!isPlain || lookups > LOOKUP_LIMIT) return null
  const terms = mergedTerms(records).filter(({ kind }) => kind !== 'all')
  // The mildest of them, so that nobody is refused who was named in one only.
  const isStrict = records.every((record) => allOf(record)?.qualifier === '-')
  return ['v=spf1', ...terms.map(({ text }) => text), isStrict ? '-all' : '~all'].join(' ')
}

const syntax: SpfRule = ({ nodes }) => {
  const broken = nodes.filter(
    (node) => isShown(node) && node.records.some((one) => brokenTerms(one).length > 0),
  )
  const faults = broken.flatMap(({ records }) => records.flatMap(brokenTerms))
  if (faults.length === 0) return null
  const terms = listed(faults.map(({ text }) => `"${text}"`))
  return finding(
    'spf.syntax',
    {
      title: `SPF term that is not valid: ${listed(faults.map(({ text }) => text))}`,
      detail: `One bad term makes the whole record a permanent error, and nobody passes. ${faults
        .slice(0, 6)
        .map(
          ({ text, position, problem }) =>
            `"${brief(text)}" (octet ${position}): ${brief(problem)}.`,
        )
        .join(' ')}`,
      fix: toMend(
        broken,
        `Correct or remove ${terms} in the record of ${namesOf(broken)}.`,
        `correct or remove ${terms}`,
      ),
    },
    evidenceOf(broken),
  )
}

export const RECORD_RULES: readonly SpfRule[] = [missing, nearMiss, multipleRecords, syntax]
