/** DMARC: what receivers do with forged mail, and where the policy comes from. */
import {
  type DmarcReport,
  destinationProblems,
  POLICY_EFFECTS,
  policySource,
  type StatusName,
} from '@mailgrade/core'
import { FactList, RecordText } from '../parts/fact-list.js'
import { CheckSection } from './check-section.js'

interface DmarcSectionProps {
  readonly report: DmarcReport
  readonly status: StatusName
}

export function DmarcSection({ report, status }: DmarcSectionProps) {
  const { policy, subdomainPolicy, alignment } = report
  return (
    <CheckSection
      id="dmarc"
      title="DMARC: what happens to forged mail"
      about="Domain-based Message Authentication, Reporting and Conformance: a policy for mail that passes neither SPF nor DKIM."
      status={status}
    >
      <Record report={report} />
      {policy !== null && (
        <FactList
          facts={[
            ['Policy', POLICY_EFFECTS[policy]],
            report.testing && policy !== 'none'
              ? ['Test mode', 't=y: receivers apply the next weaker policy']
              : null,
            ['Policy source', <PolicySource report={report} />],
            subdomainPolicy && subdomainPolicy !== policy
              ? ['Subdomains', POLICY_EFFECTS[subdomainPolicy]]
              : null,
            alignment && ['Alignment', `SPF ${alignment.spf}, DKIM ${alignment.dkim}`],
            ['Reports go to', <Destinations report={report} />],
          ]}
        />
      )}
    </CheckSection>
  )
}

/** What is published, even if receivers ignore it. */
function Record({ report: { record, records, policy } }: { report: DmarcReport }) {
  const shown = record === null ? records : [record]
  return (
    <>
      {shown.map((text) => (
        <RecordText>{text}</RecordText>
      ))}
      {policy === null && (
        <p>
          {shown.length === 0
            ? 'No policy applies.'
            : 'No policy applies: receivers can’t use this.'}
        </p>
      )}
    </>
  )
}

function PolicySource({ report }: { report: DmarcReport }) {
  return (
    <>
      <code>{report.recordName}</code>, {policySource(report)}
    </>
  )
}

function Destinations({ report: { rua } }: { report: DmarcReport }) {
  if (rua.length === 0) return <>no one</>
  return (
    <ul class="plain">
      {rua.map((destination) => (
        <li>
          <code>{destination.uri}</code>
          {destinationProblems(destination)}
        </li>
      ))}
    </ul>
  )
}
