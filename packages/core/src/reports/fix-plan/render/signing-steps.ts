/** Writes the steps that let a service sign: get its values, publish the records, turn on signing. */
import type { MailService } from '../../../catalog/mail-services.js'
import { describeScreen } from '../../../catalog/mail-services.js'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import { formatList } from '../../../checks/format-list.js'
import { OWN_SERVER, streamIdOf } from '../../../streams/stream.js'
import { describeRotation, type KeyStep } from '../dkim/key-steps.js'
import type { ServiceToTurnOn } from '../dkim/plan-dkim.js'
import { type Placeholder, streamOf } from '../planned-record.js'
import { type Said, type Sayable, say, writeConditions, writeSaid } from '../say.js'
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

/** Whose mail is to be signed, with which records. */
interface Signing {
  /** Null for a server of the owner's, and for unknown mailboxes. */
  readonly service: MailService | null
  /** In the middle of a sentence. */
  readonly signer: string
  readonly isOwnServer: boolean
  readonly added: readonly PanelRecord[]
  /** The step at the signer, as far as it is the same whatever is done there. */
  readonly there: StepDraft
  readonly input: StepsInput
}

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
  const isOwnServer = streamOf(first) === OWN_SERVER
  const signer = service?.name ?? (isOwnServer ? 'your own server' : 'your mailbox provider')
  const publish = recordsStep(group, publishTitle(group, service, signer), input)
  const where = service ? describeScreen(service) : upperFirst(signer)
  const there = { ...publish, where, records: [] }
  const signing = { service, signer, isOwnServer, added, there, input }
  const isSet = added.every((record) => record.isSpare || isRepair(record))
  const isSigning = added.some(({ purpose }) => purpose === 'dkim')
  const [start, ...rest] = [
    ...(hasValues || isSetUp ? [valuesStep(signing)] : []),
    publish,
    ...(isSigning && !isSet ? turnOnSteps(signing) : []),
    ...added.flatMap((key) => (key.signerStep ? [signerStep(key, key.signerStep, signing)] : [])),
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

function signerStep(key: PanelRecord, change: Said, { signer, there, input }: Signing): StepDraft {
  return {
    ...there,
    kind: 'turn-on-signing',
    title: `Have ${signer} sign with rsa-sha256`,
    actions: [writeSaid(change)],
    verify: signedVerification(signer, key, input, key.setUpAt),
  }
}

function isNewKey({ action, purpose, isSpare, isMoved }: PanelRecord): boolean {
  return action === 'create' && purpose === 'dkim' && !isSpare && !isMoved
}

/** The service goes on signing with the same key. */
function isRepair({ action, type, placeholders }: PanelRecord): boolean {
  return action === 'replace' && type === 'TXT' && placeholders.length === 0
}

function publishTitle(group: Group, service: MailService | null, signer: string): string {
  const [first] = group
  if (group.every(({ action }) => action === 'delete'))
    return writeSaid(say('step.delete-alias', { selectors: group.map(selectorOf) }))
  if (group.every(isRepair)) return `Correct the DKIM record for ${signer}`
  if (group.every(({ isSpare }) => isSpare)) return `Add the missing key for ${signer}`
  if (group.some(({ successorOf }) => successorOf)) return `Publish the new key for ${signer}`
  if (first.isOptional && service) return `Let ${signer} use your domain for bounces`
  if (group.every(({ purpose }) => purpose === 'spf'))
    return `Publish the bounce record for ${signer}`
  return streamOf(first) === OWN_SERVER
    ? 'Publish your own server’s DKIM key'
    : `Let ${signer} sign your mail`
}

/** Asks about what may be a leftover. */
function askAboutUse(step: StepDraft, service: MailService | null, isUnsure: boolean): StepDraft {
  if (!service || step.optional || !isUnsure) return step
  return { ...step, title: `${step.title}, if you still use it` }
}

const STILL_USED = 'when.still-used'

function isSuccessor({ successorOf }: PanelRecord): boolean {
  return successorOf !== undefined
}

function valuesStep(signing: Signing): StepDraft {
  const { service, signer, added, there } = signing
  const placeholders = added.flatMap((record) => record.placeholders)
  const successor = added.find(isSuccessor)
  const create = service
    ? (service.setup.dkim?.getValues ??
      `Copy the records that ${service.name} shows for your domain.`)
    : (placeholders[0]?.whereToFind ?? '')
  const createNext = successor
    ? [`Create a 2048-bit RSA key with the selector ${asCode(selectorOf(successor))}.`]
    : []
  return {
    ...there,
    kind: 'get-values',
    title: valuesTitle(signing, placeholders.length > 0),
    actions: [
      ...createNext,
      ...(successor && service ? [] : [create]),
      ...placeholderNote(placeholders, signer),
    ],
    verify: { text: valuesVerification(placeholders, signer), url: null },
  }
}

function valuesTitle({ service, signer, isOwnServer, added }: Signing, hasValues: boolean): string {
  if (isOwnServer) return 'Create a DKIM key on your own server'
  if (!service) return `Get the DKIM record from ${signer}`
  if (added.some(isSuccessor)) return `Create a new key in ${signer}`
  return hasValues ? `Get the DNS records from ${signer}` : `Add your domain to ${signer}`
}

/** What to do with the values in the next step. */
function placeholderNote(placeholders: readonly Placeholder[], signer: string): string[] {
  const tokens = placeholders.map(({ token }) => token)
  const [first] = tokens
  if (first === undefined) return []
  return [
    placeholders.every(isPublicKey)
      ? `In the next step, replace ${asCode(first)} with the public key, which is the long text after p=.`
      : `In the next step, replace ${formatList(tokens, asCode)} with what ${signer} shows you.`,
  ]
}

function isPublicKey({ token }: Placeholder): boolean {
  return token.endsWith('-public-key}')
}

function valuesVerification(placeholders: readonly Placeholder[], signer: string): string {
  if (placeholders.length === 0) return `${signer} should show the records for the next step.`
  return placeholders.every(isPublicKey)
    ? 'You’ve copied the public key.'
    : 'You’ve copied the name and value of every record.'
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function turnOnSteps({ service, signer, added, there, input }: Signing): StepDraft[] {
  const successor = added.find(isSuccessor)
  const key = successor ?? added[0]
  if (service && !successor) {
    const { screen, turnOn } = service.setup.dkim ?? {}
    return screen || turnOn
      ? [{ ...there, ...drawTurnOn(service, added, input, key?.setUpAt) }]
      : []
  }
  const selector = key ? selectorOf(key) : ''
  const old = successor?.successorOf ?? ''
  // A key that stays is used beside the new one.
  const isReplaced = input.records.some(
    (record) => record.action === 'delete' && selectorOf(record) === old,
  )
  return [
    {
      ...there,
      kind: 'turn-on-signing',
      title: successor
        ? isReplaced
          ? `Switch ${signer} to the new key`
          : `Have ${signer} sign with both keys`
        : `Have ${signer} sign your mail`,
      actions: [
        successor
          ? `Choose the selector ${asCode(selector)} for signing, ${isReplaced ? 'instead of' : 'in addition to'} ${asCode(old)}.`
          : `Turn on DKIM signing for outgoing mail with the domain ${input.domain} and the selector ${asCode(selector)}.`,
      ],
      verify: signedVerification(signer, key, input, key?.setUpAt),
    },
  ]
}

/** Without a record: the key is behind CNAMEs, or only its signer knows it. */
export function keyStep(step: KeyStep, input: StepsInput): StepDraft {
  const [first] = step.keys
  const { title, where, actions, verify } = drawKeyStep(step, input)
  return {
    ...TODAY,
    kind: step.kind === 'rotate' || step.kind === 'switch' ? 'turn-on-signing' : 'verify',
    stream: step.service?.id ?? null,
    title: writeSaid(title),
    service: step.service?.id ?? null,
    where: writeSaid(where),
    actions: actions.map(writeSaid),
    verify: {
      text: writeSaid(verify),
      url: checkUrl(input.baseUrl, 'dkim', input.domain, first && { selector: first.selector }),
    },
  }
}

interface DrawnKeyStep {
  readonly title: Said
  readonly where: Sayable
  readonly actions: readonly (Sayable | readonly Sayable[])[]
  readonly verify: Said
}

function drawKeyStep(step: KeyStep, { zone, domain, displayName }: StepsInput): DrawnKeyStep {
  const atDnsHost = say('step.dns-host-of', { zone: [zone.apex] })
  switch (step.kind) {
    case 'switch': {
      const [longer, ...others] = step.keys
      const short = others.map(({ selector }) => selector)
      const values = { name: step.service.name, longer: [longer.selector], short }
      return {
        title: say('step.switch', values),
        where: describeScreen(step.service),
        actions: [say('step.choose-selector', values)],
        verify: say('step.switched', values),
      }
    }
    case 'rotate': {
      const { where, how } = describeRotation(step, domain)
      const title = say('step.rotate', { name: step.service.name })
      return { title, where, actions: how, verify: say('step.rotated', {}) }
    }
    case 'tell-apart':
      return drawTellApart(step)
    case 'dead-delegation': {
      const name = [`_domainkey.${domain}`]
      return {
        title: say('step.dead-delegation', { name }),
        where: atDnsHost,
        actions: [say('step.no-answers', { name }), say('step.undelegate', { name })],
        verify: say('step.delegation-works', {}),
      }
    }
    case 'lockdown': {
      const { name, setup } = step.service
      const { label = '', how = '' } = setup.dkim?.lockdown ?? {}
      return {
        title: say('step.lockdown', { name, domain: [displayName] }),
        where: atDnsHost,
        actions: [[say('step.lockdown-why', { name }), how]],
        verify: say('step.locked-down', { label, name }),
      }
    }
  }
}

function drawTellApart({
  service,
  isOfServer,
  keys,
}: Extract<KeyStep, { kind: 'tell-apart' }>): DrawnKeyStep {
  const [{ name, selector }] = keys
  const isUnknown = !service && !isOfServer
  const compare = service
    ? say('step.compare-at-service', { name: service.name })
    : isUnknown
      ? say('step.compare-at-signer', { selector: [selector] })
      : say('step.compare-on-server', {})
  return {
    title: isUnknown
      ? say('step.tell-apart-unknown', { selector: [selector] })
      : say('step.tell-apart', { signer: service?.name ?? null, selector: [selector] }),
    where: service
      ? describeScreen(service)
      : isUnknown
        ? say('step.unknown-signer', {})
        : 'Your own server',
    actions: [
      say('step.several-keys', { name: [name], count: keys.length }),
      [compare, say('step.keep-matching', {})],
    ],
    verify: say('step.one-key-left', {}),
  }
}

export function waitingStep(
  { service, setUpAt, onlyIf, toCompare }: ServiceToTurnOn,
  input: StepsInput,
): StepDraft {
  const { id, name } = service
  const turnOn = drawTurnOn(service, [], input, setUpAt ?? undefined)
  const compare = say('step.compare-targets', { name, names: toCompare })
  const step = {
    ...TODAY,
    ...turnOn,
    stream: streamIdOf({ entry: service, setUpAt }),
    service: id,
    where: describeScreen(service),
    actions: [...(toCompare.length > 0 ? [writeSaid(compare)] : []), ...turnOn.actions],
    onlyIf: writeConditions(onlyIf),
  }
  const isUnsure = onlyIf?.some(({ key }) => key === STILL_USED) ?? false
  return askAboutUse(nameSetUp(step, setUpAt), service, isUnsure)
}

function drawTurnOn(
  { name, setup }: MailService,
  added: readonly PanelRecord[],
  input: StepsInput,
  setUpAt: string | undefined,
): Pick<StepDraft, 'kind' | 'title' | 'actions' | 'verify'> {
  const { turnOn, shownAs } = setup.dkim ?? {}
  const key = added.find((each) => isKeyAt(each.name, input.domain))
  const { text, url } = signedVerification(name, key, input, setUpAt ?? signerBelow(added, input))
  return {
    kind: turnOn ? 'turn-on-signing' : 'verify',
    title: turnOn ? `Turn on DKIM signing in ${name}` : `Check that ${name} signs your mail`,
    actions: [turnOn ?? 'Check that it has found the records and signs with DKIM.'],
    verify: { text: shownAs ? `${name} should show ${shownAs}. ${text}` : text, url },
  }
}

/** The name that the keys are for, if none is for the domain itself. */
function signerBelow(added: readonly PanelRecord[], { domain }: StepsInput): string | undefined {
  const names = added
    .filter(({ purpose }) => purpose === 'dkim')
    .map(({ name }) => name.replace(/^.*\._domainkey\./, ''))
  const [first] = names
  return first && !names.includes(domain) && !hasPlaceholder(first) ? first : undefined
}

function signedVerification(
  signer: string,
  key: Pick<PanelRecord, 'name'> | undefined,
  { domain, baseUrl, isExact }: StepsInput,
  setUpAt: string | undefined,
): StepDraft['verify'] {
  const selector = key && !hasPlaceholder(key.name) ? selectorOf(key) : null
  const values = { signer, domain: setUpAt ?? domain }
  const isForName = isExact || setUpAt !== undefined
  return {
    text: writeSaid(isForName ? say('step.signed.exact', values) : say('step.signed', values)),
    url: selector ? checkUrl(baseUrl, 'dkim', domain, { selector }) : null,
  }
}
