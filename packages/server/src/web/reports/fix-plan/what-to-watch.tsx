/** For a plan without work today: what to watch, and until when. */
import { type FixPlan, reportMailboxes, stageDate } from '@mailgrade/core'
import { useLink } from '../../site-context.js'

export function WhatToWatch({ plan }: { plan: FixPlan }) {
  const { domain, rollout, effort, sendsMail } = plan
  const [first, next] = rollout
  const mailboxes = reportMailboxes(plan)
  const watched = (
    <>
      Watch the DMARC reports
      {mailboxes.length > 0 && ' that arrive at '}
      {mailboxes.map((address, index) => (
        <>
          {index > 0 && ', '}
          <code>{address}</code>
        </>
      ))}
    </>
  )
  if (first && next) {
    return (
      <>
        <p>
          There is nothing to publish today. {watched}. They show every server that sends as{' '}
          {domain}, and whether its mail passes.
        </p>
        <p>
          Watch until all conditions of stage {first.stage} below are met. Then publish stage{' '}
          {next.stage}, on {stageDate(rollout, 1, effort.earliestEnd)} at the earliest. The last
          stage can follow on {effort.earliestEnd}.
        </p>
      </>
    )
  }
  return (
    <>
      <p>There is nothing to publish, today or later.</p>
      {mailboxes.length > 0 ? (
        <p>
          {watched} for as long as you own {domain}:{' '}
          {sendsMail
            ? 'a new service that sends for you shows up there first.'
            : 'they show who tries to send as this domain.'}
        </p>
      ) : (
        <WatchWithoutReports domain={domain} />
      )}
      <p>
        {sendsMail
          ? 'Get a new plan before you add a service that sends mail, or change your mail provider.'
          : 'Get a new plan before the domain sends or receives mail.'}
      </p>
    </>
  )
}

function WatchWithoutReports({ domain }: { domain: string }) {
  const link = useLink()
  return (
    <p>
      Your DMARC record names no mailbox for reports. Instead,{' '}
      <a href={`${link('/')}?${new URLSearchParams({ domain })}`}>check {domain} again</a> after
      every change of its DNS.
    </p>
  )
}
