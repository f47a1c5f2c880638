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
          You don’t need to publish anything today. {watched}. In them, you’ll see every server that
          sends as {domain}, and whether its mail passes.
        </p>
        <p>
          Keep watching until you meet all the conditions of stage {first.stage} below. Then publish
          stage {next.stage}, no earlier than {stageDate(rollout, 1, effort.earliestEnd)}. You can
          reach the last stage as early as {effort.earliestEnd}.
        </p>
      </>
    )
  }
  return (
    <>
      <p>You don’t need to publish anything, today or later.</p>
      {mailboxes.length > 0 ? (
        <p>
          {watched} for as long as you own {domain}.{' '}
          {sendsMail
            ? 'New services that send for you show up there first.'
            : 'They show who’s trying to send as this domain.'}
        </p>
      ) : (
        <WatchWithoutReports domain={domain} />
      )}
      <p>
        {sendsMail
          ? 'Get a new plan before you add a service that sends mail or switch mail providers.'
          : 'Get a new plan before you use the domain to send or receive mail.'}
      </p>
    </>
  )
}

function WatchWithoutReports({ domain }: { domain: string }) {
  const link = useLink()
  return (
    <p>
      Your DMARC record has no mailbox for reports. Instead,{' '}
      <a href={`${link('/')}?${new URLSearchParams({ domain })}`}>check {domain} again</a> after
      every DNS change.
    </p>
  )
}
