import { type Finding, txtEvidence } from '../finding.js'
import { listed } from '../listed.js'
import { shown } from '../txt.js'
import type { SpfFacts } from './spf-facts.js'
import type { SpfRecord } from './spf-record.js'
import type { SpfNode } from './spf-tree.js'

/** Looks at one kind of fault; null when there is none. */
export type SpfRule = (facts: SpfFacts) => Finding | null

export function evidenceOf(nodes: readonly SpfNode[]): Finding['evidence'] {
  const unique = new Map(nodes.map((node) => [node.domain, node]))
  return [...unique.values()].flatMap(({ domain, records }) => recordEvidence(domain, records))
}

export function recordEvidence(
  domain: string,
  records: readonly Pick<SpfRecord, 'text'>[],
): Finding['evidence'] {
  return records.map(({ text }) => txtEvidence(shown(domain), shown(text)))
}

/** The nodes in whose records the terms stand that lead to `led`. */
export function holdersOf(nodes: readonly SpfNode[], led: readonly SpfNode[]): SpfNode[] {
  const wanted = new Set(led)
  return nodes.filter(({ children }) => children.some((child) => wanted.has(child)))
}

/** What the owner can do, or what to ask of those whose records it is in. */
export function toMend(holders: readonly SpfNode[], own: string, request: string): string {
  return holders.every(({ isOwn }) => isOwn)
    ? own
    : `Ask whoever runs ${namesOf(holders)} to ${request}, and remove what leads there until then.`
}

export function termsOf(nodes: readonly SpfNode[]): string {
  return listed(nodes.map(({ term }) => term?.text ?? ''))
}

export function namesOf(nodes: readonly SpfNode[]): string {
  return listed(nodes.map(({ domain }) => domain))
}
