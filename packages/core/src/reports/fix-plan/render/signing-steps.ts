/** Writes the steps that let a service sign: get its values, publish the records, turn on signing. */
import type { MailService } from '../../../catalog/mail-services.js'
import { describeScreen } from '../../../catalog/mail-services.js'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import { formatList } from '../../../checks/format-list.js'
import { streamIdOf } from '../../../streams/stream.js'
import { describeRotation, type KeyStep, type Rotation } from '../dkim/key-steps.js'
import type { ServiceToTurnOn } from '../dkim/plan-dkim.js'
import type { Placeholder } from '../planned-record.js'
import { say, writeConditions, writeSaid } from '../say.js'
import type { PanelRecord } from './panel-record.js'
import { recordsStep } from './record-steps.js'
import {
  checkUrl,
  type Group,
  isKeyAt,
  type StepDraft,
  type StepsInput,
  selectorOf,
  TODAY,
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
  // Some services have to be told about the domain before their records work.
  const isStarted = added.some(({ name }) => input.proxied.includes(name))
  const isSetUp = !isStarted && added.some(isNewKey) && service?.setup.dkim?.getValues !== undefined
  const signer = nameSigner(first, service)
  const isSet = added.every((record) => record.isSpare || isRepair(record))
  const publish = recordsStep(group, publishTitle(group, service), input)
  const { stream, when, notBefore, onlyIf, optional } = publish
  const common = { stream, when, notBefore, service: first.service, onlyIf, optional }
  const isSigning = added.some(({ purpose }) => purpose === 'dkim')
  const [start, ...rest] = [
    ...(hasValues || isSetUp ? [valuesStep(added, service, signer, common)] : []),
    publish,
    ...(isSigning && !isSet ? turnOnSteps(added, service, signer, common, input) : []),
    ...added.flatMap((key) => signerSteps(key, service, signer, common, input)),
  ]
  const isUnsure = group.some(({ conditions }) => conditions.includes(STILL_USED))
  const all = start ? [askAboutUse(start, service, isUnsure), ...rest] : rest
  return all.map((step) => nameSetUp(step, first.setUpAt ?? null))
}

/** A service may be set up for several names, each with values of its own. */
function nameSetUp(step: StepDraft, setUpAt: string | null): StepDraft {
  if (setUpAt === null) return step
  return { ...step, title: writeSaid([say('step.set-up-at', { title: step.title, setUpAt })]) }
}

function signerSteps(
  key: PanelRecord,
  service: MailService | null,
  signer: string,
  common: Common,
  input: StepsInput,
): StepDraft[] {
  if (!key.signerStep) return []
  return [
    {
      ...common,
      kind: 'turn-on-signing',
      title: `Have ${signer} sign with rsa-sha256`,
      where: service ? describeScreen(service) : upperFirst(signer),
      actions: [writeSaid([key.signerStep])],
      records: [],
      verify: signedVerification(signer, key, input, key.setUpAt),
    },
  ]
}

function isNewKey({ action, purpose, isSpare, isMoved }: PanelRecord): boolean {
  return action === 'create' && purpose === 'dkim' && !isSpare && !isMoved
}

/** The service goes on signing with the same key. */
function isRepair({ action, type, placeholders }: PanelRecord): boolean {
  return action === 'replace' && type === 'TXT' && placeholders.length === 0
}

function isDeletion({ action }: PanelRecord): boolean {
  return action === 'delete'
}

const isOfUnknownMailboxes = ({ name }: PanelRecord) => name.startsWith('{mailbox-provider-')

function nameSigner(first: PanelRecord, service: MailService | null): string {
  if (service) return service.name
  return isOfUnknownMailboxes(first) ? 'your mailbox provider' : 'your own server'
}

function publishTitle([first, ...others]: Group, service: MailService | null): string {
  const signer = nameSigner(first, service)
  const all = [first, ...others]
  if (all.every(isDeletion))
    return writeSaid([say('step.delete-alias', { selectors: all.map(selectorOf) })])
  if (all.every(isRepair)) return `Correct the DKIM record for ${signer}`
  if (all.every(({ isSpare }) => isSpare)) return `Add the missing key for ${signer}`
  if (all.some(({ successorOf }) => successorOf)) return `Publish the new key for ${signer}`
  if (first.isOptional && service) return `Let ${signer} use your domain for bounces`
  if (all.every(({ purpose }) => purpose === 'spf'))
    return `Publish the bounce record for ${signer}`
  return service || isOfUnknownMailboxes(first)
    ? `Let ${signer} sign your mail`
    : 'Publish your own server’s DKIM key'
}

/** Asks about what may be a leftover. */
function askAboutUse(step: StepDraft, service: MailService | null, isUnsure: boolean): StepDraft {
  if (!service || step.optional || !isUnsure) return step
  return { ...step, title: `Do you still use ${service.name}? ${step.title}` }
}

const STILL_USED = 'when.still-used'

type Common = Pick<StepDraft, 'stream' | 'when' | 'notBefore' | 'service' | 'onlyIf' | 'optional'>

function valuesStep(
  added: readonly PanelRecord[],
  service: MailService | null,
  signer: string,
  common: Common,
): StepDraft {
  const placeholders = added.flatMap((record) => record.placeholders)
  const { getValues } = service?.setup.dkim ?? {}
  const successor = added.find(({ successorOf }) => successorOf !== undefined)
  const create = service
    ? (getValues ?? `Copy the records that ${service.name} shows for your domain.`)
    : (placeholders[0]?.whereToFind ?? '')
  const createNext = successor
    ? `Create a 2048-bit RSA key with the selector ${asCode(selectorOf(successor))}.`
    : null
  return {
    ...common,
    kind: 'get-values',
    title: valuesTitle(service, signer, successor !== undefined, placeholders.length > 0),
    where: service ? describeScreen(service) : upperFirst(signer),
    actions: [
      ...(createNext ? [createNext] : []),
      ...(createNext && service ? [] : [create]),
      ...placeholderNote(placeholders, signer),
    ],
    records: [],
    verify: { text: valuesVerification(placeholders, signer), url: null },
  }
}

function valuesTitle(
  service: MailService | null,
  signer: string,
  isSuccessor: boolean,
  hasValues: boolean,
): string {
  if (!service) {
    return signer === 'your own server'
      ? 'Create a DKIM key on your own server'
      : `Get the DKIM record from ${signer}`
  }
  if (isSuccessor) return `Create a new key in ${service.name}`
  return hasValues
    ? `Get the DNS records from ${service.name}`
    : `Add your domain to ${service.name}`
}

const PUBLIC_KEY = /-public-key\}$/

/** What to do with the values in the next step. */
function placeholderNote(placeholders: readonly Placeholder[], signer: string): string[] {
  const [first] = placeholders
  if (!first) return []
  const tokens = formatList(
    placeholders.map(({ token }) => token),
    asCode,
  )
  const isOnlyKey = placeholders.every(({ token }) => PUBLIC_KEY.test(token))
  return [
    isOnlyKey
      ? `In the next step, replace ${asCode(first.token)} with the public key, which is the long text after p=.`
      : `In the next step, replace ${tokens} with what ${signer} shows you.`,
  ]
}

function valuesVerification(placeholders: readonly Placeholder[], signer: string): string {
  if (placeholders.length === 0) return `${signer} should show the records for the next step.`
  return placeholders.every(({ token }) => PUBLIC_KEY.test(token))
    ? 'You’ve copied the public key.'
    : 'You’ve copied the name and value of every record.'
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
  if (service && !successor) return turnOnAtService(service, added, common, input)
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
      kind: 'turn-on-signing',
      title: successor
        ? isReplaced
          ? `Switch ${signer} to the new key`
          : `Have ${signer} sign with both keys`
        : `Have ${signer} sign your mail`,
      where: service ? describeScreen(service) : upperFirst(signer),
      actions: [
        successor
          ? `Choose the selector ${asCode(selector)} for signing, ${isReplaced ? 'instead of' : 'in addition to'} ${asCode(old)}.`
          : `Turn on DKIM signing for outgoing mail with the domain ${input.domain} and the selector ${asCode(selector)}.`,
      ],
      records: [],
      verify: signedVerification(signer, key, input, key?.setUpAt),
    },
  ]
}

function turnOnAtService(
  service: MailService,
  added: readonly PanelRecord[],
  common: Common,
  input: StepsInput,
): StepDraft[] {
  const { screen, turnOn } = service.setup.dkim ?? {}
  return screen || turnOn
    ? [{ ...turnOnStep(service, added, input, added[0]?.setUpAt), ...common }]
    : []
}

/** Without a record: the key is behind CNAMEs, or only its signer knows it. */
export function keyStep(step: KeyStep, input: StepsInput): StepDraft {
  const { service, keys } = step
  const [first] = keys
  const drawn = drawKeyStep(step, input)
  return {
    ...TODAY,
    kind: step.kind === 'rotate' || step.kind === 'switch' ? 'turn-on-signing' : 'verify',
    stream: service?.id ?? null,
    ...drawn,
    service: service?.id ?? null,
    records: [],
    onlyIf: null,
    optional: false,
    verify: {
      ...drawn.verify,
      url: checkUrl(input.baseUrl, 'dkim', input.domain, first && { selector: first.selector }),
    },
  }
}

type Drawn = Pick<StepDraft, 'title' | 'where' | 'actions'> & {
  readonly verify: { readonly text: string }
}

function drawKeyStep(step: KeyStep, input: StepsInput): Drawn {
  switch (step.kind) {
    case 'switch':
      return switchStep(step)
    case 'rotate':
      return rotateStep(step, input)
    case 'tell-apart':
      return tellApartStep(step)
    case 'dead-delegation':
      return deadDelegationStep(input)
    case 'lockdown':
      return lockdownStep(step, input)
  }
}

function deadDelegationStep({ zone, domain }: StepsInput): Drawn {
  const name = [`_domainkey.${domain}`]
  return {
    title: writeSaid([say('step.dead-delegation', { name })]),
    where: writeSaid([say('step.dns-host-of', { zone: [zone.apex] })]),
    actions: [
      writeSaid([say('step.no-answers', { name })]),
      writeSaid([say('step.undelegate', { name })]),
    ],
    verify: { text: writeSaid([say('step.delegation-works', {})]) },
  }
}

function lockdownStep(
  { service: { name, setup } }: Extract<KeyStep, { kind: 'lockdown' }>,
  { zone, displayName: domain }: StepsInput,
): Drawn {
  const { label = '', how = '' } = setup.dkim?.lockdown ?? {}
  return {
    title: writeSaid([say('step.lockdown', { name, domain: [domain] })]),
    where: writeSaid([say('step.dns-host-of', { zone: [zone.apex] })]),
    actions: [writeSaid([say('step.lockdown-why', { name }), how])],
    verify: { text: writeSaid([say('step.locked-down', { label, name })]) },
  }
}

function switchStep({ service, keys }: Extract<KeyStep, { kind: 'switch' }>): Drawn {
  const [longer, ...short] = keys
  const values = {
    name: service.name,
    longer: [longer.selector],
    short: short.map(({ selector }) => selector),
  }
  return {
    title: writeSaid([say('step.switch', values)]),
    where: describeScreen(service),
    actions: [writeSaid([say('step.choose-selector', values)])],
    verify: { text: writeSaid([say('step.switched', values)]) },
  }
}

function rotateStep(rotation: Rotation, { domain }: StepsInput): Drawn {
  const { where, how } = describeRotation(rotation, domain)
  return {
    title: writeSaid([say('step.rotate', { name: rotation.service.name })]),
    where,
    actions: how.map((each) => writeSaid([each])),
    verify: { text: writeSaid([say('step.rotated', {})]) },
  }
}

function tellApartStep({
  service,
  isOfServer,
  keys,
}: Extract<KeyStep, { kind: 'tell-apart' }>): Drawn {
  const [{ name, selector }] = keys
  const isUnknown = !service && !isOfServer
  const compare = service
    ? say('step.compare-at-service', { name: service.name })
    : isUnknown
      ? say('step.compare-at-signer', { selector: [selector] })
      : say('step.compare-on-server', {})
  return {
    title: writeSaid([
      isUnknown
        ? say('step.tell-apart-unknown', { selector: [selector] })
        : say('step.tell-apart', { signer: service?.name ?? null, selector: [selector] }),
    ]),
    where: service
      ? describeScreen(service)
      : isUnknown
        ? writeSaid([say('step.unknown-signer', {})])
        : 'Your own server',
    actions: [
      writeSaid([say('step.several-keys', { name: [name], count: keys.length })]),
      writeSaid([compare, say('step.keep-matching', {})]),
    ],
    verify: { text: writeSaid([say('step.one-key-left', {})]) },
  }
}

export function waitingStep(
  { service, setUpAt, onlyIf, toCompare }: ServiceToTurnOn,
  input: StepsInput,
): StepDraft {
  const turnOn = turnOnStep(service, [], input, setUpAt ?? undefined)
  const compare = toCompare.length > 0 ? [compareTargets(service, toCompare)] : []
  const drawn = { ...turnOn, actions: [...compare, ...turnOn.actions] }
  const stream = streamIdOf({ entry: service, setUpAt })
  const step = nameSetUp({ ...drawn, stream, onlyIf: writeConditions(onlyIf) }, setUpAt)
  return askAboutUse(step, service, onlyIf?.some(({ key }) => key === STILL_USED) ?? false)
}

function compareTargets({ name }: MailService, names: readonly string[]): string {
  return writeSaid([say('step.compare-targets', { name, names })])
}

function turnOnStep(
  service: MailService,
  added: readonly PanelRecord[],
  input: StepsInput,
  setUpAt: string | undefined,
): StepDraft {
  const { turnOn, shownAs } = service.setup.dkim ?? {}
  const key = added.find(({ name }) => isKeyAt(name, input.domain))
  const signed = signedVerification(service.name, key, input, setUpAt)
  return {
    ...TODAY,
    kind: turnOn ? 'turn-on-signing' : 'verify',
    stream: service.id,
    title: turnOn
      ? `Turn on DKIM signing in ${service.name}`
      : `Check that ${service.name} signs your mail`,
    service: service.id,
    where: describeScreen(service),
    actions: [turnOn ?? 'Check that it has found the records and signs with DKIM.'],
    records: [],
    onlyIf: null,
    optional: false,
    verify: shownAs
      ? { ...signed, text: `${service.name} should show ${shownAs}. ${signed.text}` }
      : signed,
  }
}

function signedVerification(
  signer: string,
  key: Pick<PanelRecord, 'name'> | undefined,
  { domain, baseUrl, isExact }: StepsInput,
  setUpAt: string | undefined,
): StepDraft['verify'] {
  const selector = key && !hasPlaceholder(key.name) ? selectorOf(key) : null
  const values = { signer, domain: setUpAt ?? domain }
  const said =
    isExact || setUpAt !== undefined ? say('step.signed.exact', values) : say('step.signed', values)
  return {
    text: writeSaid([said]),
    url: selector ? checkUrl(baseUrl, 'dkim', domain, { selector }) : null,
  }
}
