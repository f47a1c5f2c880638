/** DMARC for a terminal: the policy, where it comes from, where reports go. */
import {
  type DmarcReport,
  destinationProblems,
  POLICY_EFFECTS,
  policySource,
} from '@mailgrade/core'
import { describeList, joinBlocks, type Layout } from '../terminal/layout.js'
import { issueBlocks } from './findings-text.js'
import { recordLines, reportHeading } from './status-text.js'

export function dmarcText(report: DmarcReport, layout: Layout): string {
  const { issues } = report
  return joinBlocks([
    reportHeading('DMARC of ', report, layout),
    publishedText(report),
    factsText(report, layout),
    ...issueBlocks(issues, layout),
  ])
}

/** What is published, even if receivers ignore it. */
function publishedText({ record, records, policy }: DmarcReport): string {
  const shown = record === null ? records : [record]
  if (policy !== null) return recordLines(shown)
  return shown.length === 0
    ? 'No policy applies.'
    : `${recordLines(shown)}\n\nNo policy applies: receivers can’t use this.`
}

function factsText(report: DmarcReport, { columns }: Layout): string | null {
  const { policy, subdomainPolicy, alignment, testing, rua, recordName } = report
  if (policy === null) return null
  const facts: (readonly [string, string] | null)[] = [
    ['Policy', POLICY_EFFECTS[policy]],
    testing && policy !== 'none'
      ? ['Test mode', 't=y: receivers apply the next weaker policy']
      : null,
    ['Policy source', `${recordName}, ${policySource(report)}`],
    subdomainPolicy && subdomainPolicy !== policy
      ? ['Subdomains', POLICY_EFFECTS[subdomainPolicy]]
      : null,
    alignment && ['Alignment', `SPF ${alignment.spf}, DKIM ${alignment.dkim}`],
    [
      'Reports go to',
      rua.length === 0
        ? 'no one'
        : rua
            .map((destination) => `${destination.uri}${destinationProblems(destination)}`)
            .join(', '),
    ],
  ]
  return describeList(
    facts.filter((fact) => fact !== null),
    columns,
    '',
  )
}
