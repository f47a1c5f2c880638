/** The free check as a page: the answer, pictures, a tile for each mechanism, the fixes, the details. */
import {
  type CheckDocument,
  type DomainReport,
  describeCheck,
  type MechanismSection,
} from '@mailgrade/core'
import { fixPlan } from '@mailgrade/operations/fix-plan'
import type { OperationResult } from '@mailgrade/operations/operation'
import { sampleReportPath } from '@mailgrade/operations/service-paths'
import type { PropsWithChildren } from 'hono/jsx'
import type { FormValues } from '../../http/query-parameters.js'
import { DocumentView } from '../document-view.js'
import { StatusBadge } from '../parts/status-badge.js'
import { useLink, useSite } from '../site-context.js'
import { AnswerPanel } from './answer-panel.js'
import { ForgedMailPath } from './forged-mail-path.js'
import { SpfSection } from './spf-section.js'
import { Tiles } from './tiles.js'

interface CheckViewProps {
  readonly report: OperationResult<DomainReport>
  /** The parameters of the page. */
  readonly values: FormValues
}

export function CheckView({ report, values }: CheckViewProps) {
  const { domain, meta } = report
  const document = describeCheck(report)
  const { verdict, path, ladder, tiles, spf, mechanisms } = document
  return (
    <>
      <AnswerPanel report={report} verdict={verdict} values={values} />
      <ForgedMailPath path={path} />
      <Ladder {...ladder} />
      <Tiles tiles={tiles.tiles} values={values} />
      <Fixes {...document} />
      <Mechanism {...spf}>
        <SpfSection domain={domain} spf={spf} values={values} />
      </Mechanism>
      {mechanisms.map((mechanism) => (
        <Mechanism {...mechanism}>
          <DocumentView blocks={mechanism.blocks} />
        </Mechanism>
      ))}
      <p class="meta">
        {meta.dnsQueries} DNS queries, {meta.durationMs} ms,{' '}
        {meta.resolvers.length === 1 ? 'resolver' : 'resolvers'}: {meta.resolvers.join(', ')}
      </p>
    </>
  )
}

function Ladder({ title, levels }: CheckDocument['ladder']) {
  return (
    <section aria-labelledby="ladder">
      <h2 id="ladder">{title}</h2>
      <ol class="ladder">
        {levels.map(({ name, effect, status, isDone, here, goal }) => (
          <li
            class={status ? `here ${status}` : isDone ? 'done' : undefined}
            aria-current={here ? 'step' : undefined}
          >
            <strong>{name}</strong>
            {here && <em>{here}</em>}
            <span>{effect}</span>
            {goal && <small>{goal}</small>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Fixes({ firstFix, fixes, notes }: CheckDocument) {
  return (
    <section aria-labelledby="fixes">
      <DocumentView blocks={firstFix} />
      {firstFix.length > 0 && <FixPlanHint />}
      <DocumentView blocks={[...fixes, ...notes]} />
    </section>
  )
}

function FixPlanHint() {
  const { terms } = useSite()
  const link = useLink()
  if (!terms) return null
  return (
    <p>
      To get every record written out, in order, with steps for your DNS host,{' '}
      <a href="#reports">get the fix plan</a> or{' '}
      <a href={link(sampleReportPath(fixPlan))}>see a sample</a>.
    </p>
  )
}

function Mechanism({ id, heading, about, status, children }: PropsWithChildren<MechanismSection>) {
  return (
    <section id={id} class="mechanism" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {heading} {status && <StatusBadge status={status} />}
      </h2>
      <p class="about">{about}</p>
      {children}
    </section>
  )
}
