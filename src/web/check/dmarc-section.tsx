/** DMARC: what receivers do with forged mail, and where the policy comes from. */
import type { DmarcReport } from '../../checks/dmarc/dmarc-report.js'
import { Facts, Text } from '../parts/facts.js'
import { Section } from './section.js'

const FATES = {
  none: 'none: forged mail is delivered',
  quarantine: 'quarantine: forged mail goes to the spam folder',
  reject: 'reject: forged mail is refused',
}

export function DmarcSection({ report }: { report: DmarcReport }) {
  const { status, record, policy, subdomainPolicy, alignment } = report
  return (
    <Section id="dmarc" title="DMARC: what becomes of forged mail" status={status}>
      {record === null ? <p>No policy applies.</p> : <Text>{record}</Text>}
      {policy !== null && (
        <Facts
          facts={[
            ['Policy', FATES[policy]],
            report.testing ? ['Test mode', 't=y: receivers do one step less'] : null,
            ['Where it comes from', <Source report={report} />],
            subdomainPolicy && subdomainPolicy !== policy
              ? ['Names below it', FATES[subdomainPolicy]]
              : null,
            alignment && ['Alignment', `SPF ${alignment.spf}, DKIM ${alignment.dkim}`],
            ['Reports go to', <Destinations report={report} />],
          ]}
        />
      )}
    </Section>
  )
}

function Source({ report }: { report: DmarcReport }) {
  const { recordName, inherited, organizationalDomain } = report
  return (
    <>
      <code>{recordName}</code>
      {inherited
        ? `, inherited from ${organizationalDomain ?? 'a domain above'}`
        : ', its own record'}
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
        </li>
      ))}
    </ul>
  )
}
