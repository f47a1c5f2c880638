/** Every finding: its stable id, severity, reference and words, from `data/findings/`. */
export type { FindingId, FindingKey, FindingValues } from './generated/findings.js'

import { fillWords } from './fill-words.js'
import type { FindingEntry, FindingFacts } from './finding-entry.js'
import { FINDING_DATA, type FindingId } from './generated/findings.js'

/** What code decides by; reading them fills no words. */
export const FINDING_FACTS: Readonly<Record<FindingId, FindingFacts>> = FINDING_DATA.entries

/** As they are explained without a report: no value has a place. */
export const FINDINGS = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(FINDING_DATA.entries).map(([id, entry]) => [id, lazily(entry)]),
  ),
) as Readonly<Record<FindingId, FindingEntry>>

/** Filled when it is read, because a start reads none. */
function lazily(entry: FindingEntry): PropertyDescriptor {
  let explained: FindingEntry | undefined
  return { enumerable: true, get: () => (explained ??= explain(entry)) }
}

function explain(entry: FindingEntry): FindingEntry {
  return {
    ...entry,
    title: fillWords(entry.title),
    meaning: fillWords(entry.meaning),
    steps: entry.steps.map((step) => fillWords(step)),
    check: fillWords(entry.check),
    ...(entry.note !== undefined && { note: fillWords(entry.note) }),
  }
}

/** Null for an id that this version does not know. */
export function findEntry(id: string): FindingEntry | null {
  return isFindingId(id) ? FINDINGS[id] : null
}

/** Null for an id that this version does not know. */
export function findFacts(id: string): FindingFacts | null {
  return isFindingId(id) ? FINDING_FACTS[id] : null
}

function isFindingId(id: string): id is FindingId {
  return Object.hasOwn(FINDINGS, id)
}

/** What is wrong in our words alone: a report's title may have text from DNS, which a model could obey. */
export function findingTitle(id: string): string {
  return findEntry(id)?.title.replaceAll('`', '') ?? ''
}

/** `RFC 7208 §4.6.4`, as the catalogs of findings and reasons write a reference. */
const RFC_SECTION = /^RFC (\d+)(?: §([0-9A-Z][0-9.]*))?$/

/** Null for anything but an RFC. */
export function rfcUrl(text: string): string | null {
  const [, number, section] = RFC_SECTION.exec(text) ?? []
  if (!number) return null
  const page = `https://www.rfc-editor.org/rfc/rfc${number}`
  if (!section) return page
  return `${page}#${/^\d/.test(section) ? 'section' : 'appendix'}-${section}`
}
