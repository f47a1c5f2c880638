/** Writes the steps that need no record: a question, a mailbox, what the plan cannot fix. */
import { findServiceByWebTarget } from '../../../catalog/mail-services.js'
import type { Finding } from '../../../checks/finding.js'
import type { SenderInUse } from '../../../streams/find-senders.js'
import { checkUrl, type StepDraft, type StepsInput, TODAY } from './step-draft.js'
import { asCode } from './write-record-step.js'

export function confirmStep(
  { entry: { id, name }, evidence }: SenderInUse,
  { domain }: StepsInput,
): StepDraft {
  return {
    ...TODAY,
    kind: 'verify',
    stream: id,
    title: isWebsite(evidence)
      ? `Does ${name} send mail as ${domain}?`
      : `Do you still use ${name}?`,
    service: id,
    where: `${name}, or the person who manages your services`,
    actions: isWebsite(evidence)
      ? [
          `${asCode(evidence)} shows that you use ${name}, but we can’t see whether it sends mail for you, such as receipts or replies.`,
          `If it sends with an address at ${domain}, get a new plan and list ${name} as a service you use. If it doesn’t, you don’t need to change anything.`,
        ]
      : [
          `${asCode(evidence)} points to ${name}, but we can’t see whether it still sends for you.`,
          `If it does, get a new plan and list ${name} as a service you use. If it doesn’t, get one and list ${name} as no longer used. That plan will remove what’s left of its SPF and DKIM records.`,
        ],
    verify: { text: `You know whether ${name} sends mail as ${domain}.`, url: null },
  }
}

/** A website is in use, whoever sends its mail. */
function isWebsite(evidence: string): boolean {
  const target = / CNAME (\S+)$/.exec(evidence)?.[1]
  return target !== undefined && findServiceByWebTarget(target) !== null
}

export function faultStep({ id, title, detail, fix }: Finding, input: StepsInput): StepDraft {
  const { domain, baseUrl } = input
  return {
    ...TODAY,
    kind: 'verify',
    title,
    where: 'Your DNS host or the service itself',
    actions: isAboutMove({ id }) ? [detail, fix] : [fix],
    verify: isAboutMove({ id })
      ? {
          text: `The MX check should show only providers you use. Send a message to an address at ${domain}. It should arrive.`,
          url: checkUrl(baseUrl, 'mx', domain),
        }
      : id.startsWith('plan.')
        ? { text: `${showOriginal} SPF or DKIM should say PASS with ${domain}.`, url: null }
        : {
            text: `The domain check should no longer show “${title}”.`,
            url: checkUrl(baseUrl, 'check', domain),
          },
  }
}

/** What may be removed depends on where mail arrives, so this comes before everything else. */
export function isAboutMove({ id }: Pick<Finding, 'id'>): boolean {
  return id === 'plan.unused-receives-mail'
}

const showOriginal =
  'In Gmail, open a message from each service that sends your mail and choose Show original.'

export function makeRoomStep({ crowdedSpf, domain, baseUrl }: StepsInput): StepDraft[] {
  if (crowdedSpf === null) return []
  return [
    {
      ...TODAY,
      kind: 'verify',
      title: 'Make room in the SPF record',
      where: 'The services that send your mail',
      actions: [`${crowdedSpf.title}. ${crowdedSpf.detail}`, crowdedSpf.fix],
      verify: {
        text: 'The SPF check should show at most 10 lookups, and every sender should pass.',
        url: checkUrl(baseUrl, 'spf', domain),
      },
    },
  ]
}

export function selectorStep({ hasHiddenKeys, domain, baseUrl }: StepsInput): StepDraft[] {
  if (!hasHiddenKeys) return []
  return [
    {
      ...TODAY,
      kind: 'verify',
      title: 'Check that your mail is signed',
      where: 'A message you sent from each service',
      actions: [
        `Open it in Gmail, choose Show original, and look for DKIM: PASS with ${domain}. We can see in DNS that you have keys, but not which selectors they use.`,
        'Note the selector (s= in the DKIM-Signature header), and enter it when you get a new plan.',
      ],
      verify: {
        text: 'Enter the selector in the DKIM check. It should find the key.',
        url: checkUrl(baseUrl, 'dkim', domain),
      },
    },
  ]
}

/** Reports are lost if their mailbox does not exist. */
export function mailboxStep({ newMailbox, mailboxProvider }: StepsInput): StepDraft[] {
  if (newMailbox === null) return []
  return [
    {
      ...TODAY,
      kind: 'monitor',
      title: 'Create a mailbox for the reports',
      where: mailboxProvider ?? `The mailbox provider for ${newMailbox.split('@')[1]}`,
      actions: [
        `Create ${asCode(newMailbox)} as a mailbox, an alias, or a forwarding address. Gmail, Outlook, and other receivers will each send it one report a day.`,
      ],
      onlyIf: `${newMailbox} doesn’t exist yet.`,
      verify: { text: `Send a message to ${newMailbox}. It should arrive.`, url: null },
    },
  ]
}
