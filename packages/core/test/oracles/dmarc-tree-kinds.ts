/** The kinds of trees that a run must contain to be meaningful. */
import type { DmarcReport } from '../../src/checks/dmarc/dmarc-report.js'
import { type DmarcTree, withParentDomains } from './random-dmarc-tree.js'

interface Case {
  readonly tree: DmarcTree
  readonly report: DmarcReport
}

/** A report in which a policy applies. */
const APPLIED_KINDS: Readonly<Record<string, (found: Case) => boolean>> = {
  'own record': ({ report }) => !report.inherited,
  'own record, in another organisation': ({ report }) =>
    !report.inherited && isAbove(report.organizationalDomain, report.domain),
  'own record, organisation not known': ({ report }) => report.organizationalDomain === null,
  'own records that cancel each other': ({ report }) => report.records.length > 1,
  'inherited record': ({ report }) => report.inherited,
  'inherited over several levels': ({ report, tree }) =>
    labels(tree.domain) - labels(policyDomainOfReport(report)) > 1,
  'inherited, decided by sp': ({ report, tree }) =>
    isDecidedBy('sp', report) && tree.domainNode.kind !== 'nxdomain',
  'inherited, decided by np': ({ report, tree }) =>
    isDecidedBy('np', report) && tree.domainNode.kind === 'nxdomain',
  'inherited, exists by an alias that leads nowhere': ({ report, tree }) =>
    report.inherited && tree.domainNode.kind === 'dangling',
  'inherited from a public suffix': ({ report }) => report.inherited && isTag(report, 'psd', 'y'),
  'inherited from a department': ({ report }) => report.inherited && isTag(report, 'psd', 'n'),
  'own record of a public suffix': ({ report }) => !report.inherited && isTag(report, 'psd', 'y'),
  'counts as none for want of a valid policy': ({ report }) =>
    report.policy === 'none' && ['quarantine', 'reject', 'bogus'].includes(report.tags.p ?? ''),
  'counts as none for want of any policy': ({ report }) => report.tags.p === undefined,
  'under test': ({ report }) => report.testing === true && report.policy !== 'none',
  'behind an alias': ({ report, tree }) => nodeOf(report, tree)?.alias === true,
  'beside unrelated records': ({ report, tree }) => (nodeOf(report, tree)?.texts.length ?? 0) > 1,
  'with repeated tags': ({ report }) => /;\s*p\s*=.*;\s*p\s*=/i.test(report.record ?? ''),
  'failure where the walk does not come': ({ report, tree }) =>
    report.organizationalDomain !== null &&
    withParentDomains(tree.domain).some((name) => tree.dmarcNodes.get(name)?.kind === 'failing'),
  'more than eight labels': ({ tree }) => labels(tree.domain) > 8,
  'a single label': ({ tree }) => labels(tree.domain) === 1,
}

export const TREE_KINDS: readonly string[] = [
  ...Object.keys(APPLIED_KINDS),
  'no record',
  'record that does not apply',
]

export function classifyTree(found: Case): string[] {
  const { record, policy } = found.report
  if (record === null) return ['no record']
  if (policy === null) return ['record that does not apply']
  return Object.entries(APPLIED_KINDS).flatMap(([kind, is]) => (is(found) ? [kind] : []))
}

export function policyDomainOfReport({ recordName }: DmarcReport): string {
  return recordName?.slice('_dmarc.'.length) ?? ''
}

function labels(domain: string): number {
  return domain.split('.').length
}

function isAbove(name: string | null, domain: string): boolean {
  return name !== null && domain.endsWith(`.${name}`)
}

function isTag({ tags }: DmarcReport, tag: string, value: string): boolean {
  return tags[tag]?.toLowerCase() === value
}

/** The tag decides the policy: without it, another would apply. */
function isDecidedBy(tag: 'sp' | 'np', { inherited, policy, tags }: DmarcReport): boolean {
  const otherwise = tag === 'np' ? (tags.sp ?? tags.p) : tags.p
  return inherited && tags[tag]?.toLowerCase() === policy && otherwise?.toLowerCase() !== policy
}

function nodeOf(report: DmarcReport, tree: DmarcTree) {
  const node = tree.dmarcNodes.get(policyDomainOfReport(report))
  return node?.kind === 'records' ? node : null
}
