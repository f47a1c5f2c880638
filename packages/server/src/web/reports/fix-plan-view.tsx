/** The fix plan as a checklist: what to publish today, what comes after it, what stays. */
import type { FixPlan } from '@mailgrade/core'
import { TextWithCode } from '../docs/text-with-code.js'
import { CopyableBlock } from '../parts/copyable.js'
import { FactList } from '../parts/fact-list.js'
import { FindingList } from '../parts/finding-list.js'
import { GradeBadge } from './grade-badge.js'
import { PlanRecordList } from './plan-record-list.js'
import { RolloutTimeline } from './rollout-timeline.js'

export function FixPlanView({ report }: { report: FixPlan }) {
  const { domain, current, projected, records, rollout, warnings, dnsHost } = report
  const changes = records.filter(({ action }) => action !== 'keep')
  const kept = records.filter(({ action }) => action === 'keep')
  return (
    <>
      <p class="score">
        <GradeBadge grade={current.grade} words={`${current.score} today`} />{' '}
        <span aria-hidden="true">→</span>{' '}
        <GradeBadge grade={projected.grade} words={`${projected.score} when all is done`} />
      </p>
      <FactList facts={factsOf(report)} />
      {projected.assumes.length > 0 && <Assumed sentences={projected.assumes} />}
      {warnings.length > 0 && (
        <>
          <h3>Before you begin</h3>
          <FindingList findings={warnings} />
        </>
      )}
      <h3>Today</h3>
      {changes.length === 0 ? (
        <p>Nothing has to change in the DNS of {domain} today.</p>
      ) : (
        <PlanRecordList records={changes} />
      )}
      <details data-screen>
        <summary>The same in words{dnsHost && `, for ${dnsHost.name}`}</summary>
        <ol class="steps">
          {report.steps.map((step) => (
            <li>
              <TextWithCode text={step} />
            </li>
          ))}
        </ol>
      </details>
      {rollout.length > 0 && <RolloutTimeline stages={rollout} records={records} />}
      {kept.length > 0 && (
        <details>
          <summary>What stays as it is ({kept.length})</summary>
          <PlanRecordList records={kept} />
        </details>
      )}
      <Exports {...report.exports} />
    </>
  )
}

function factsOf({ sendsMail, mailboxProvider, dnsHost, senders }: FixPlan) {
  return [
    sendsMail ? null : (['Sends mail', 'nothing in the DNS shows that it does'] as const),
    mailboxProvider && (['Mailboxes', mailboxProvider.name] as const),
    ['DNS host', dnsHost?.name ?? 'none that we know, so that the steps are general'] as const,
    senders.length > 0
      ? (['Also sends for it', senders.map(({ name }) => name).join(', ')] as const)
      : null,
  ]
}

function Assumed({ sentences }: { sentences: readonly string[] }) {
  return (
    <details data-screen>
      <summary>What the points when all is done rest on ({sentences.length})</summary>
      <ul>
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </details>
  )
}

function Exports({ zoneFile, terraform }: FixPlan['exports']) {
  return (
    <details data-screen>
      <summary>As a zone file{terraform && ' and for Terraform'}</summary>
      <CopyableBlock text={zoneFile} what="the zone file" />
      {terraform && <CopyableBlock text={terraform} what="the Terraform code" />}
    </details>
  )
}
