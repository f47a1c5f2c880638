import { type Finding, txtEvidence } from '../finding.js'
import { formatList } from '../format-list.js'
import { toDisplayText } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import type { SpfRecord } from './spf-record.js'
import type { SpfNode } from './spf-tree.js'

/** Checks one kind of problem; null when there is none. */
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

/** The nodes whose records lead to `targets`. */
export function findParentNodes(nodes: readonly SpfNode[], targets: readonly SpfNode[]): SpfNode[] {
  const wanted = new Set(targets)
  return nodes.filter(({ children }) => children.some((child) => wanted.has(child)))
}

/** The fix if all records are the owner's own; otherwise a request to their operators. */
export function fixOrRequest(holders: readonly SpfNode[], fix: string, request: string): string {
  return holders.every(({ isOwn }) => isOwn)
    ? fix
    : `Ask the operator of ${formatNodeDomains(holders)} to ${request}, and remove the term that leads there until then.`
}

export function formatNodeTerms(nodes: readonly SpfNode[]): string {
  return formatList(nodes.map(({ term }) => term?.text ?? ''))
}

export function formatNodeDomains(nodes: readonly SpfNode[]): string {
  return formatList(nodes.map(({ domain }) => domain))
}
