/** Writes the steps that let a service sign: get its values, publish the records, turn on signing. */
import type { MailService } from '../../../catalog/mail-services.js'
import { formatList } from '../../../checks/format-list.js'
import type { ServiceToTurnOn } from '../dkim/plan-dkim.js'
import { describeScreen } from '../dkim/service-screen.js'
import { hasPlaceholder } from '../planned-record.js'
import type { PanelRecord } from './panel-record.js'
import { recordsStep } from './record-steps.js'
import {
  checkUrl,
  type Group,
  isKeyAt,
  type StepDraft,
  type StepsInput,
  selectorOf,
} from './step-draft.js'
import { asCode } from './write-record-step.js'

/** Get the values, publish the records, turn on signing. */
export function signingSteps(
  group: Group,
  service: MailService | null,
  input: StepsInput,
): StepDraft[] {
  const [first] = group
  const added = group.filter(({ action }) => action !== 'delete')
  const hasValues = added.some(({ placeholders }) => placeholders.length > 0)
  const signer = nameSigner(first, service)
  const isSet = added.every((record) => record.isSpare || isRepair(record))
  const publish = recordsStep(group, publishTitle(group, service), input)
  const common = { service: first.service, onlyIf: publish.onlyIf, optional: publish.optional }
  const isSigning = added.some(({ purpose }) => purpose === 'dkim')
  const [start, ...rest] = [
    ...(hasValues ? [valuesStep(added, service, signer, common)] : []),
    publish,
    ...(isSigning && !isSet ? turnOnSteps(added, service, signer, common, input) : []),
  ]
  return start ? [{ ...start, title: askAboutUse(start, service) }, ...rest] : rest
}

/** The service goes on signing with the same key. */
function isRepair({ action, type, placeholders }: PanelRecord): boolean {
  return action === 'replace' && type === 'TXT' && placeholders.length === 0
}

const isOfUnknownMailboxes = ({ name }: PanelRecord) => name.startsWith('{mailbox-provider-')

function nameSigner(first: PanelRecord, service: MailService | null): string {
  if (service) return service.name
  return isOfUnknownMailboxes(first) ? 'your mailbox provider' : 'your own server'
}

function publishTitle([first, ...others]: Group, service: MailService | null): string {
  const signer = nameSigner(first, service)
  const all = [first, ...others]
  if (all.every(isRepair)) return `Correct the DKIM record of ${signer}`
  if (all.every(({ isSpare }) => isSpare)) return `Add the missing key of ${signer}`
  if (all.some(({ successorOf }) => successorOf)) return `Publish the new key of ${signer}`
  if (first.isOptional) return `Let bounces of ${signer} come back to your domain`
  return service || isOfUnknownMailboxes(first)
    ? `Let ${signer} sign your mail`
    : 'Publish the DKIM key of your own server'
}

/** Asks about what may be a leftover. */
function askAboutUse({ title, onlyIf }: StepDraft, service: MailService | null): string {
  const isUnsure = service && onlyIf?.startsWith(`You still use ${service.name}.`)
  return isUnsure ? `Do you still use ${service.name}? ${title}` : title
}

type Common = Pick<StepDraft, 'service' | 'onlyIf' | 'optional'>

function valuesStep(
  added: readonly PanelRecord[],
  service: MailService | null,
  signer: string,
  common: Common,
): StepDraft {
  const placeholders = added.flatMap((record) => record.placeholders)
  const tokens = formatList(
    placeholders.map(({ token }) => token),
    asCode,
  )
  const [place, ...more] = placeholders
  const what = `the ${more.length > 0 ? 'values' : 'value'} for ${tokens}`
  const note = `Note ${what}.`
  const { getValues } = service?.setup.dkim ?? {}
  const successor = added.find(({ successorOf }) => successorOf !== undefined)
  const rotate = successor
    ? [`Create a new key of 2048 bits with the selector ${asCode(selectorOf(successor))}.`]
    : []
  const copy = service
    ? (getValues ?? `Copy the records that ${service.name} shows for your domain.`)
    : (place?.whereToFind ?? '')
  return {
    ...common,
    title: service
      ? successor
        ? `Create a new key at ${service.name}`
        : `Get the DNS records from ${service.name}`
      : signer === 'your own server'
        ? 'Create a DKIM key on your own server'
        : `Get the DKIM record from ${signer}`,
    where: service ? describeScreen(service) : upperFirst(signer),
    actions: [...rotate, ...(successor && service ? [] : [copy]), note],
    records: [],
    verify: { text: `You have ${what}.`, url: null },
  }
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function turnOnSteps(
  added: readonly PanelRecord[],
  service: MailService | null,
  signer: string,
  common: Common,
  input: StepsInput,
): StepDraft[] {
  const successor = added.find(({ successorOf }) => successorOf !== undefined)
  if (service && !successor) {
    return service.setup.dkim?.screen ? [{ ...turnOnStep(service, added, input), ...common }] : []
  }
  const key = successor ?? added[0]
  const selector = key ? selectorOf(key) : ''
  const old = successor?.successorOf ?? ''
  // A key that stays is used beside the new one.
  const isReplaced = input.records.some(
    (record) => record.action === 'delete' && selectorOf(record) === old,
  )
  return [
    {
      ...common,
      title: successor
        ? isReplaced
          ? `Switch ${signer} to the new key`
          : `Sign with both keys at ${signer}`
        : `Turn on signing at ${signer}`,
      where: service ? describeScreen(service) : upperFirst(signer),
      actions: [
        successor
          ? `Let it sign with the selector ${asCode(selector)} ${isReplaced ? 'instead of' : 'as well as with'} ${asCode(old)}.`
          : `Let it sign outgoing mail with d=${input.domain} and the selector ${asCode(selector)}.`,
      ],
      records: [],
      verify: signedVerification(`a message that ${signer} sent`, key, input),
    },
  ]
}

export function waitingStep({ service, onlyIf }: ServiceToTurnOn, input: StepsInput): StepDraft {
  const step = { ...turnOnStep(service, [], input), onlyIf }
  return { ...step, title: askAboutUse(step, service) }
}

function turnOnStep(
  service: MailService,
  added: readonly PanelRecord[],
  input: StepsInput,
): StepDraft {
  const { turnOn, shownAs } = service.setup.dkim ?? {}
  const key = added.find(({ name }) => isKeyAt(name, input.domain))
  const signed = signedVerification(`a message that ${service.name} sent`, key, input)
  return {
    title: turnOn ? `Turn on signing at ${service.name}` : `Check that ${service.name} signs`,
    service: service.id,
    where: describeScreen(service),
    actions: [turnOn ?? 'Check that it has found the records and signs with DKIM.'],
    records: [],
    onlyIf: null,
    optional: false,
    verify: shownAs
      ? { ...signed, text: `${service.name} shows ${shownAs}. ${signed.text}` }
      : signed,
  }
}

function signedVerification(
  message: string,
  key: Pick<PanelRecord, 'name'> | undefined,
  { domain, baseUrl }: StepsInput,
): StepDraft['verify'] {
  const selector = key && !hasPlaceholder(key.name) ? selectorOf(key) : null
  const text = `"Show original" of ${message} has DKIM: PASS with ${domain} or a subdomain of it.`
  return { text, url: selector ? checkUrl(baseUrl, 'dkim', domain, { selector }) : null }
}
