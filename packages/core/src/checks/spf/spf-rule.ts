/** What the rules about SPF share: whose records hold a term, what proves it, and what to publish. */
import type { FindingKey } from '../../catalog/findings.js'
import { hasUselessInclude, type MailService } from '../../catalog/mail-services.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { type Finding, proposeTxtRecord, txtEvidence } from '../finding.js'
import { toDisplayText } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import type { SpfRecord } from './spf-record.js'
import type { SpfNode } from './spf-tree.js'

type Elsewhere<Key> = Key extends `${infer Id} (elsewhere)` ? Id : never

/** The id, or its case for records that someone else has to change. */
export function inRecordsOf<Id extends Elsewhere<FindingKey>>(
  holders: readonly SpfNode[],
  id: Id,
): Id | `${Id} (elsewhere)` {
  return holders.every(({ isOwn }) => isOwn) ? id : `${id} (elsewhere)`
}

/** RFC 1034 §3.6.2: a name with a CNAME can hold no TXT record. */
export function proposeAtDomain(
  { domain, cnames }: SpfFacts,
  text: string,
): Pick<Finding, 'record'> {
  return cnames.length > 0 ? {} : proposeTxtRecord(domain, text)
}

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

export function domainsOf(nodes: readonly SpfNode[]): string[] {
  return nodes.map(({ domain }) => domain)
}

/** The terms that lead to nodes, as written. */
export function leadingTerms(nodes: readonly SpfNode[]): string[] {
  return nodes.map(({ term }) => term?.text ?? '')
}

/**
 * Whether receivers never use the include of a service here. A subdomain may be its bounce domain,
 * and then it needs the include.
 */
export function isNeedless(service: MailService | null, domain: string): boolean {
  return service !== null && hasUselessInclude(service) && registrableDomain(domain) === domain
}
