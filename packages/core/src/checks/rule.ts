/**
 * How everything is judged: a rule looks at facts and names the finding they prove, with values and
 * evidence. Its severity, reference and words are the entry's in `data/findings/`.
 */
import { fillWords, type WordValues } from '../catalog/fill-words.js'
import type { FindingKey, FindingValues } from '../catalog/findings.js'
import { FINDING_DATA } from '../catalog/generated/findings.js'
import type { Finding } from './finding.js'
import { formatList } from './format-list.js'

/** What proves a finding, and the record that fixes it. */
type Proof = Partial<Pick<Finding, 'evidence' | 'record'>>

export interface Found extends Proof {
  /** An id, or `id (case)` where other words fit. */
  readonly key: FindingKey
  readonly values: WordValues
}

/** Null or nothing if all is well. */
export type Rule<Facts> = (facts: Facts) => Found | readonly Found[] | null

/** A value from DNS is passed in a list, which is shortened and made safe to display. */
export function found<Key extends FindingKey>(
  key: Key,
  values: FindingValues[Key],
  proof: Proof = {},
): Found {
  return { key, values, ...proof }
}

export function judge<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Finding[] {
  const findings: Finding[] = []
  for (const rule of rules) {
    const judged = rule(facts)
    if (judged === null) continue
    if (isSeveral(judged)) findings.push(...judged.map(writeFinding))
    else findings.push(writeFinding(judged))
  }
  return findings
}

/** `Array.isArray` does not narrow a list that is readonly. */
function isSeveral(judged: Found | readonly Found[]): judged is readonly Found[] {
  return Array.isArray(judged)
}

export function writeFinding({ key, values, evidence = [], record }: Found): Finding {
  const [id] = key.split(' ', 1) as [keyof typeof FINDING_DATA.entries]
  const entry = FINDING_DATA.entries[id]
  const { severity, reference } = entry
  const {
    title = entry.title,
    meaning = entry.meaning,
    steps = entry.steps,
  } = FINDING_DATA.cases[key] ?? entry
  const write = (text: string) => fillWords(text.replaceAll('`', '"'), values, formatList)
  return {
    id,
    severity,
    title: write(title),
    detail: write(meaning),
    fix: steps.map((step) => endSentence(write(step))).join(' '),
    ...(record && { record }),
    evidence,
    reference,
  }
}

/** A step may end in a record. */
function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
