/** DMARC: what receivers do with forged mail, and where the policy comes from. */
import type { DmarcReport } from '@mailgrade/core'
import { FactList, RecordText } from '../parts/fact-list.js'
import { CheckSection } from './check-section.js'

const FATES = {
  none: 'none: forged mail is delivered',
  quarantine: 'quarantine: forged mail goes to the spam folder',
  reject: 'reject: forged mail is refused',
}

export function DmarcSection({ report }: { report: DmarcReport }) {
  const { status, policy, subdomainPolicy, alignment } = report
  return (
    <CheckSection id="dmarc" title="DMARC: what becomes of forged mail" status={status}>
      <Record report={report} />
      {policy !== null && (
        <FactList
          facts={[
            ['Policy', FATES[policy]],
            report.testing && policy !== 'none'
              ? ['Test mode', 't=y: receivers do one step less']
              : null,
            ['Where it comes from', <Source report={report} />],
            subdomainPolicy && subdomainPolicy !== policy
              ? ['Names below it', FATES[subdomainPolicy]]
              : null,
            alignment && ['Alignment', `SPF ${alignment.spf}, DKIM ${alignment.dkim}`],
            ['Reports go to', <Destinations report={report} />],
          ]}
        />
      )}
    </CheckSection>
  )
}

/** What stands there is shown even where receivers make nothing of it. */
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
            : 'No policy applies: receivers cannot use this.'}
        </p>
      )}
    </>
  )
}

function Source({ report: { recordName, inherited } }: { report: DmarcReport }) {
  return (
    <>
      <code>{recordName}</code>
      {inherited ? `, inherited from ${recordName?.replace(/^_dmarc\./, '')}` : ', its own record'}
    </>
  )
}

function Destinations({ report: { rua } }: { report: DmarcReport }) {
  if (rua.length === 0) return <>nobody</>
  return (
    <ul class="plain">
      {rua.map(({ uri, valid, authorized, acceptsMail }) => (
        <li>
          <code>{uri}</code>
          {!valid && ' (not valid)'}
          {authorized === false && ' (has not agreed to it)'}
          {acceptsMail === false && ' (takes no mail)'}
          {valid && (authorized ?? acceptsMail) === null && ' (not looked up)'}
        </li>
      ))}
    </ul>
  )
}
