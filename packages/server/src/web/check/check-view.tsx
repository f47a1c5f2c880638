/** The free check as a page: the answer, pictures, a tile for each mechanism, the fixes, the details. */
import {
  type DomainReport,
  describeNoMail,
  dkimStatus,
  dmarcStatus,
  type Finding,
  findingsBySeverity,
  isActionable,
  isUndecided,
  noMailRecords,
} from '@mailgrade/core'
import { fixPlan } from '@mailgrade/operations/fix-plan'
import type { OperationResult } from '@mailgrade/operations/operation'
import { sampleReportPath } from '@mailgrade/operations/service-paths'
import type { FormValues } from '../../http/query-parameters.js'
import { mechanismPagePath } from '../page-paths.js'
import { FindingList } from '../parts/finding-list.js'
import { TextWithCode } from '../parts/inline-text.js'
import { RecordFields } from '../parts/record-fields.js'
import { useLink, useSite } from '../site-context.js'
import { AnswerPanel } from './answer-panel.js'
import { DkimSection } from './dkim-section.js'
import { DmarcSection } from './dmarc-section.js'
import { ForgedMailPath } from './forged-mail-path.js'
import { MxSection } from './mx-section.js'
import { PolicyLadder } from './policy-ladder.js'
import { SpfSection } from './spf-section.js'
import { Tiles } from './tiles.js'
import { TransportSection } from './transport-section.js'

interface CheckViewProps {
  readonly report: OperationResult<DomainReport>
  /** The parameters of the page. */
  readonly values: FormValues
}

export function CheckView({ report, values }: CheckViewProps) {
  const { meta } = report
  return (
    <>
      <AnswerPanel report={report} values={values} />
      <ForgedMailPath report={report} />
      <PolicyLadder report={report.dmarc} />
      <Tiles report={report} values={values} />
      <Fixes report={report} />
      <SpfSection report={report.spf} values={values} />
      <DkimSection report={report.dkim} status={dkimStatus(report)} />
      <DmarcSection report={report.dmarc} status={dmarcStatus(report).status} />
      <MxSection report={report.mx} />
      <TransportSection report={report.transport} />
      <p class="meta">
        {meta.dnsQueries} DNS queries, {meta.durationMs} ms,{' '}
        {meta.resolvers.length === 1 ? 'resolver' : 'resolvers'}: {meta.resolvers.join(', ')}
      </p>
    </>
  )
}

function Fixes({ report }: { report: DomainReport }) {
  const findings = findingsBySeverity(report)
  const faults = findings.filter(isActionable)
  const notes = findings.filter((finding) => !isActionable(finding))
  return (
    <section aria-labelledby="fixes">
      {isUndecided(report) ? (
        <MailOrNoMail domain={report.domain} faults={faults} />
      ) : (
        <Faults faults={faults} />
      )}
      <Notes notes={[...notes, ...report.transport.issues]} />
    </section>
  )
}

/** Only the owner knows which of the two it is. */
function MailOrNoMail({ domain, faults }: { domain: string; faults: readonly Finding[] }) {
  const link = useLink()
  const { question, no, effect, conditions, yes } = describeNoMail(domain)
  return (
    <>
      <h2 id="fixes">{question}</h2>
      <h3 id="no-mail">{no}</h3>
      <p>
        <TextWithCode text={effect} />
      </p>
      <ul>
        {conditions.map((condition) => (
          <li>
            <TextWithCode text={condition} />
          </li>
        ))}
      </ul>
      {noMailRecords(domain).map((record) => (
        <RecordFields {...record} />
      ))}
      <p>
        <a href={link(`${mechanismPagePath('dmarc')}#dns-hosts`)}>Where to enter them</a>
      </p>
      <h3 id="mail">{yes(faults.length)}</h3>
      <FindingList findings={faults} />
    </>
  )
}

function Faults({ faults }: { faults: readonly Finding[] }) {
  const [first, ...others] = faults
  if (!first) {
    return (
      <>
        <h2 id="fixes">What to fix</h2>
        <p>Nothing.</p>
      </>
    )
  }
  return (
    <>
      <h2 id="fixes">Fix this first</h2>
      <FindingList findings={[first]} />
      <FixPlanHint />
      {others.length > 0 && (
        <>
          <h2 id="then">Then fix {others.length === 1 ? 'this' : `these ${others.length}`}</h2>
          <FindingList findings={others} />
        </>
      )}
    </>
  )
}

function FixPlanHint() {
  const { terms } = useSite()
  const link = useLink()
  if (!terms) return null
  return (
    <p>
      Want every record written out, in order, with steps for your DNS host?{' '}
      <a href="#reports">Get the fix plan</a> or{' '}
      <a href={link(sampleReportPath(fixPlan))}>see a sample</a>.
    </p>
  )
}

function Notes({ notes }: { notes: readonly Finding[] }) {
  if (notes.length === 0) return null
  return (
    <details class="notes">
      <summary>Good to know ({notes.length})</summary>
      <FindingList findings={notes} />
    </details>
  )
}
