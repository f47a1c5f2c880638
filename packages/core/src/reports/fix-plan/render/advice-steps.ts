/** Writes the steps that need no record: a question, a mailbox, what the plan cannot fix. */
import type { Finding } from '../../../checks/finding.js'
import type { SenderInUse } from '../services-in-use.js'
import { checkUrl, type StepDraft, type StepsInput } from './step-draft.js'
import { asCode } from './write-record-step.js'

export function confirmStep(
  { entry: { id, name }, evidence }: SenderInUse,
  { domain, baseUrl }: StepsInput,
): StepDraft {
  return {
    title: `Do you still use ${name}?`,
    service: id,
    where: 'Your own list of services',
    actions: [
      `${asCode(evidence)} shows ${name}, but nothing shows that it still sends for you.`,
      `If it does, request the plan again with uses=${id}. If not, request it with unused=${id}, and its records are removed.`,
    ],
    records: [],
    onlyIf: null,
    optional: false,
    verify: {
      text: `You know whether ${name} sends mail as ${domain}.`,
      url: checkUrl(baseUrl, 'check', domain),
    },
  }
}

export function faultStep({ title, fix }: Finding, { domain, baseUrl }: StepsInput): StepDraft {
  return {
    title,
    service: null,
    where: 'Your DNS host, or the service that it is about',
    actions: [fix],
    records: [],
    onlyIf: null,
    optional: false,
    verify: {
      text: 'The domain check no longer shows it.',
      url: checkUrl(baseUrl, 'check', domain),
    },
  }
}

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
        `Choose "Show original" and look for DKIM: PASS with ${domain}. DNS shows that keys exist, but not their selectors.`,
        'Note the selector, which is s= in the DKIM-Signature header, and request the plan again with it in "selector".',
      ],
      records: [],
      onlyIf: null,
      optional: false,
      verify: {
        text: 'The DKIM check finds the key when you give it the selector.',
        url: checkUrl(baseUrl, 'dkim', domain),
      },
    },
  ]
}

/** Reports are lost if their mailbox does not exist. */
export function mailboxStep({ newMailbox, mailboxProvider, domain }: StepsInput): StepDraft[] {
  if (newMailbox === null) return []
  return [
    {
      title: 'Create a mailbox for the reports',
      service: null,
      where: mailboxProvider ?? `The provider of the mailboxes of ${domain}`,
      actions: [
        `Create the mailbox or alias ${asCode(newMailbox)}. Receivers send a report a day to it.`,
      ],
      records: [],
      onlyIf: `${newMailbox} does not exist yet.`,
      optional: false,
      verify: { text: `A message to ${newMailbox} arrives.`, url: null },
    },
  ]
}
