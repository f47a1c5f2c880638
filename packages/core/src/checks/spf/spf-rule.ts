import { type Finding, txtEvidence } from '../finding.js'
import { formatList } from '../format-list.js'
import { toDisplayText } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import type { SpfRecord } from './spf-record.js'
import type { SpfNode } from './spf-tree.js'

/** Looks at one kind of fault; null when there is none. */
export type SpfRule = (facts: SpfFacts) => Finding | null

export function spfNodeEvidence(nodes: readonly SpfNode[]): Finding['evidence'] {
  const unique = new Map(nodes.map((node) => [node.domain, node]))
  return [...unique.values()].flatMap(({ domain, records }) => spfRecordEvidence(domain, records))
}

export function spfRecordEvidence(
  domain: string,
  records: readonly Pick<SpfRecord, 'text'>[],
): Finding['evidence'] {
  return records.map(({ text }) => txtEvidence(toDisplayText(domain), toDisplayText(text)))
}

/** The nodes in whose records the terms stand that lead to `led`. */
export function findParentNodes(nodes: readonly SpfNode[], led: readonly SpfNode[]): SpfNode[] {
  const wanted = new Set(led)
  return nodes.filter(({ children }) => children.some((child) => wanted.has(child)))
}

/** What the owner can do, or what to ask of those whose records it is in. */
export function fixOrRequest(holders: readonly SpfNode[], own: string, request: string): string {
  return holders.every(({ isOwn }) => isOwn)
    ? own
    : `Ask whoever runs ${formatNodeDomains(holders)} to ${request}, and remove what leads there until then.`
}

export function formatNodeTerms(nodes: readonly SpfNode[]): string {
  return formatList(nodes.map(({ term }) => term?.text ?? ''))
}

export function formatNodeDomains(nodes: readonly SpfNode[]): string {
  return formatList(nodes.map(({ domain }) => domain))
}
