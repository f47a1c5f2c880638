/** Writes the steps that need no record: a question, a mailbox, what the plan cannot fix. */
import type { Finding } from '../../../checks/finding.js'
import type { SenderInUse } from '../services-in-use.js'
import { checkUrl, type StepDraft, type StepsInput } from './step-draft.js'
import { asCode } from './write-record-step.js'

export function confirmStep(
  { entry: { id, name }, evidence }: SenderInUse,
  { domain }: StepsInput,
): StepDraft {
  return {
    title: `Do you still use ${name}?`,
    service: id,
    where: `${name}, or the person who manages your services`,
    actions: [
      `${asCode(evidence)} shows ${name}, but nothing shows that it still sends for you.`,
      `If it does, get a new plan and say that you use ${name}. If it does not, get one and say that you no longer use it: its SPF and DKIM records are then removed.`,
    ],
    records: [],
    onlyIf: null,
    optional: false,
    verify: { text: `You know whether ${name} sends mail as ${domain}.`, url: null },
  }
}

export function faultStep({ id, title, fix }: Finding, input: StepsInput): StepDraft {
  const { domain, baseUrl } = input
  return {
    title,
    service: null,
    where: 'Your DNS host, or the service in question',
    actions: [fix],
    records: [],
    onlyIf: null,
    optional: false,
    verify: id.startsWith('plan.')
      ? { text: `${showOriginal} SPF or DKIM shows PASS with ${domain}.`, url: null }
      : {
          text: `The domain check no longer shows “${title}”.`,
          url: checkUrl(baseUrl, 'check', domain),
        },
  }
}

const showOriginal =
  'Open a message from each service that sends your mail and choose "Show original".'

export function makeRoomStep({ crowdedSpf, domain, baseUrl }: StepsInput): StepDraft[] {
  if (crowdedSpf === null) return []
  return [
    {
      title: 'Make room in the SPF record',
      service: null,
      where: 'The services that send your mail',
      actions: [`${crowdedSpf.title}. ${crowdedSpf.detail}`, crowdedSpf.fix],
      records: [],
      onlyIf: null,
      optional: false,
      verify: {
        text: 'The SPF check shows at most 10 lookups, and every sender passes.',
        url: checkUrl(baseUrl, 'spf', domain),
      },
    },
  ]
}

export function selectorStep({ hasHiddenKeys, domain, baseUrl }: StepsInput): StepDraft[] {
  if (!hasHiddenKeys) return []
  return [
    {
      title: 'Check that your mail is signed',
      service: null,
      where: 'A message that you sent from each service',
      actions: [
        `Open it in Gmail, choose "Show original", and look for DKIM: PASS with ${domain}. DNS shows that keys exist, but not their selectors.`,
        'Note the selector, which is s= in the DKIM-Signature header, and get a new plan with this selector.',
      ],
      records: [],
      onlyIf: null,
      optional: false,
      verify: {
        text: 'Enter the selector in the DKIM check: it finds the key.',
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
      title: 'Create a mailbox for the reports',
      service: null,
      where: mailboxProvider ?? `The provider of the mailboxes of ${newMailbox.split('@')[1]}`,
      actions: [
        `Create the mailbox, alias or forwarding address ${asCode(newMailbox)}. Gmail, Outlook and other receivers each send one report a day to it.`,
      ],
      records: [],
      onlyIf: `${newMailbox} does not exist yet.`,
      optional: false,
      verify: { text: `Send a message to ${newMailbox}. It arrives.`, url: null },
    },
  ]
}
