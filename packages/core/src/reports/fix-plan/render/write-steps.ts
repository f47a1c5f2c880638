/** Writes the steps that an administrator follows: one thing each, where, and how to check it. */
import type { DnsHost, DnsPanel } from '../../../catalog/find-dns-host.js'
import { findServiceById, type MailService } from '../../../catalog/mail-services.js'
import type { Finding } from '../../../checks/finding.js'
import { formatList } from '../../../checks/format-list.js'
import { registrableDomain } from '../../../names/domain-name.js'
import { MAX_STRING_OCTETS } from '../../character-strings.js'
import type { ServiceToTurnOn } from '../dkim/plan-dkim.js'
import { describeScreen } from '../dkim/service-screen.js'
import type { PlanStep } from '../fix-plan-report.js'
import { expectedTextLength, hasPlaceholder, type Zone } from '../planned-record.js'
import type { SenderInUse } from '../services-in-use.js'
import { isChange, nameRelativeToZone, type PanelRecord } from './panel-record.js'
import { asCode, type PanelContext, writeRecordStep } from './write-record-step.js'

export type StepDraft = Omit<PlanStep, 'order'>

export interface StepsInput extends PanelContext {
  readonly records: readonly PanelRecord[]
  readonly zone: Zone
  /** Null if the host is unknown or only parks domains. */
  readonly host: DnsHost | null
  readonly domain: string
  /** With its Unicode form, if it has one. */
  readonly displayName: string
  /** The zone is hosted by a parking service. */
  readonly isParked: boolean
  /** What to know about the records that are published today at this host. */
  readonly pitfalls: readonly string[]
  /** Services whose records are right, but that do not sign yet. */
  readonly toTurnOn: readonly ServiceToTurnOn[]
  /** Services that may be leftovers. */
  readonly toConfirm: readonly SenderInUse[]
  /** CNAMEs that the DNS host answers with its own addresses. */
  readonly proxied: readonly string[]
  /** Why not all senders fit into the SPF record, and what to do about it; null if they do. */
  readonly crowdedSpf: Pick<Finding, 'title' | 'detail' | 'fix'> | null
  /** DKIM keys exist, but not at a selector that we know. */
  readonly hasHiddenKeys: boolean
  /** A mail address for reports that may not exist yet. */
  readonly newMailbox: string | null
  readonly mailboxProvider: string | null
  /** Mail is lost today, because nothing signs it. */
  readonly isUrgent: boolean
  /** What no record of the plan fixes. */
  readonly faults: readonly Finding[]
  /** Steps after the records: reports, stages, logo. */
  readonly closing: readonly StepDraft[]
  readonly baseUrl: string | null
}

export function writeSteps(input: StepsInput): PlanStep[] {
  const changes = input.records.filter(isChange)
  const groups = groupRecords(changes)
  const urgent = input.isUrgent ? groups.find(isAuthentication) : undefined
  const stepsOf = (isWanted: (first: PanelRecord) => boolean | undefined) =>
    groups
      .filter(([first]) => isWanted(first))
      .flatMap((group) => markUrgent(stepsOfGroup(group, input), group === urgent))
  const drafts = stepsOf(({ isLater, isOptional }) => !isLater && !isOptional)
  const policyAt = drafts.findIndex(({ records }) =>
    changes.some(({ order, purpose }) => purpose === 'dmarc' && records.includes(order)),
  )
  const at = policyAt === -1 ? drafts.length : policyAt
  const all = [
    ...drafts.slice(0, at),
    ...markUrgent(
      input.toTurnOn.map((each) => waitingStep(each, input)),
      input.isUrgent && !urgent,
    ),
    ...input.toConfirm.map((sender) => confirmStep(sender, input)),
    ...makeRoomStep(input),
    ...selectorStep(input),
    ...mailboxStep(input),
    ...drafts.slice(at),
    ...stepsOf(({ isLater }) => isLater),
    ...input.faults.map((fault) => faultStep(fault, input)),
    ...input.closing.filter(({ optional }) => !optional),
    ...stepsOf(({ isOptional }) => isOptional),
    ...input.closing.filter(({ optional }) => optional),
  ]
  return withPanelNotes(all, input).map((step, index) => ({ order: index + 1, ...step }))
}

/** Mail is lost until the first step for SPF or DKIM is done. */
function markUrgent(steps: readonly StepDraft[], isUrgent: boolean): StepDraft[] {
  return steps.map((step, index) =>
    isUrgent && index === 0 ? { ...step, title: `Urgent: ${step.title}` } : step,
  )
}

function isAuthentication([{ purpose, isLater, isOptional }]: Group): boolean {
  return (purpose === 'spf' || purpose === 'dkim') && !isLater && !isOptional
}

type Group = readonly [PanelRecord, ...PanelRecord[]]

/** Records that are published together: those of a service, or those of the same purpose. */
function groupRecords(changes: readonly PanelRecord[]): Group[] {
  const groups = new Map<string, [PanelRecord, ...PanelRecord[]]>()
  for (const record of changes) {
    const key = groupKey(record)
    const group = groups.get(key)
    if (group) group.push(record)
    else groups.set(key, [record])
  }
  return [...groups.values()]
}

function groupKey({
  purpose,
  service,
  name,
  action,
  isInOtherZone,
  isLater,
  isOptional,
  successorOf,
}: PanelRecord): string {
  const when = isLater ? 'later' : isOptional ? 'optional' : 'now'
  const isMisplaced = purpose === 'dmarc' && action === 'delete' && !name.startsWith('_dmarc.')
  // Each of these keys is created and switched to by itself.
  const isOwnKey = purpose === 'dkim' && !isLater && (service === null || successorOf !== undefined)
  const what =
    service !== null && !isOwnKey && (purpose === 'dkim' || purpose === 'spf')
      ? service
      : isInOtherZone || isMisplaced || isOwnKey
        ? name
        : purpose
  return `${when} ${what}`
}

function stepsOfGroup(group: Group, input: StepsInput): StepDraft[] {
  const [first] = group
  const service = first.service === null ? null : findServiceById(first.service)
  if (first.isLater) return [recordsStep(group, `Remove the old key${ofSigner(service)}`, input)]
  if (first.purpose === 'dkim' || (service && first.purpose === 'spf')) {
    return signingSteps(group, service, input)
  }
  const step = recordsStep(group, titleOf(group, input), input)
  return [{ ...step, actions: [...placeholderActions(group), ...step.actions] }]
}

function placeholderActions(group: Group): string[] {
  return [
    ...new Set(
      group
        .flatMap(({ placeholders }) => placeholders)
        .map(
          ({ token, whereToFind }) =>
            `Decide what to enter for ${asCode(token)}: ${lowerFirst(whereToFind)}`,
        ),
    ),
  ]
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

function ofSigner(service: MailService | null): string {
  return service ? ` of ${service.name}` : ''
}

/** Get the values, publish the records, turn on signing. */
function signingSteps(group: Group, service: MailService | null, input: StepsInput): StepDraft[] {
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

function selectorOf({ name }: Pick<PanelRecord, 'name'>): string {
  return name.slice(0, name.indexOf('._domainkey'))
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

function waitingStep({ service, onlyIf }: ServiceToTurnOn, input: StepsInput): StepDraft {
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

export function checkUrl(
  baseUrl: string | null,
  check: 'check' | 'mx' | 'spf' | 'dkim' | 'dmarc',
  domain: string,
  more: Readonly<Record<string, string>> = {},
): string | null {
  if (baseUrl === null) return null
  return `${baseUrl}/v1/${check}?${new URLSearchParams({ domain, ...more })}`
}

function recordsStep(group: Group, title: string, input: StepsInput): StepDraft {
  const [first] = group
  const conditions = [...new Set(group.map(({ onlyIf }) => onlyIf))].filter((text) => text !== null)
  return {
    title,
    service: first.service,
    where: whereToPublish(
      first,
      input,
      group.some(({ action }) => action === 'create'),
    ),
    actions: group.map((record) => actionFor(record, input)),
    records: group.map(({ order }) => order),
    onlyIf: conditions.join(' ') || null,
    optional: first.isOptional ?? false,
    verify: recordVerification(group, input),
  }
}

/** The last actions of a step are those of its records, one each. */
function actionFor(record: PanelRecord, input: StepsInput): string {
  if (input.proxied.includes(record.name)) {
    return `Open the CNAME record named ${asCode(record.host)} and set its proxy status to DNS only, so that receivers find the key.`
  }
  const notes = record.isInOtherZone ? [] : formNotes(record, input)
  return [writeRecordStep(record, input.records, input), ...notes].join(' ')
}

function whereToPublish(
  record: PanelRecord,
  { zone, host, panel, isParked }: StepsInput,
  isNew: boolean,
): string {
  if (record.isInOtherZone) {
    const delegated = zone.delegated.find(
      (each) => record.name === each || record.name.endsWith(`.${each}`),
    )
    return delegated
      ? `The service that runs ${delegated}, to which your zone delegates this name`
      : `The DNS of ${registrableDomain(record.name)}`
  }
  if (host) {
    return describePanel(host, panel, isNew)
  }
  if (isParked) return `The DNS host that you choose for ${zone.apex}`
  const servers =
    zone.nameServers.length > 0 ? ` (name servers: ${formatList(zone.nameServers)})` : ''
  return `The DNS host of ${zone.apex}${servers}: ${panel.screen.path}`
}

/** The list of records, or the form for a new one. */
export function describePanel({ name }: DnsHost, { screen }: DnsPanel, isNew: boolean): string {
  const path = isNew ? screen.path : screen.path.replace(/ > (?:\+ )?(?:Add|Create)[^>]*$/, '')
  return `${name}: ${path}${screen.confirmed ? ` (as of ${screen.confirmed})` : ''}`
}

const WAIT = 'It can take an hour until every receiver sees the change.'

function recordVerification(group: Group, input: StepsInput): StepDraft['verify'] {
  const [first] = group
  const { domain, baseUrl } = input
  const url = (check: Parameters<typeof checkUrl>[1], more?: Readonly<Record<string, string>>) =>
    checkUrl(baseUrl, check, domain, more)
  switch (first.purpose) {
    case 'spf':
      return first.name === domain
        ? { text: `The SPF check shows the new record. ${WAIT}`, url: url('spf') }
        : {
            text: `${findServiceById(first.service ?? '')?.name ?? 'The service'} finds the record. ${WAIT}`,
            url: null,
          }
    case 'dkim': {
      const key = group.find(({ name, action }) => action !== 'delete' && isKeyAt(name, domain))
      if (first.isLater)
        return {
          text: 'The DKIM check no longer finds it.',
          url: url('dkim', { selector: selectorOf(first) }),
        }
      return key
        ? {
            text: `The DKIM check finds the key. ${WAIT}`,
            url: url('dkim', { selector: selectorOf(key) }),
          }
        : {
            text: `The DKIM check finds the key when you give it the selector. ${WAIT}`,
            url: url('dkim'),
          }
    }
    case 'dmarc':
      return { text: `The DMARC check shows the change. ${WAIT}`, url: url('dmarc') }
    case 'mx':
      return { text: `The MX check shows the new records. ${WAIT}`, url: url('mx') }
    default:
      return { text: `The domain check shows the record. ${WAIT}`, url: url('check') }
  }
}

/** The record of a selector that is known, at the domain itself. */
function isKeyAt(name: string, domain: string): boolean {
  return name.endsWith(`._domainkey.${domain}`) && !hasPlaceholder(name)
}

function titleOf(group: Group, { displayName: domain }: StepsInput): string {
  const [first] = group
  const { purpose, value, action, name } = first
  switch (purpose) {
    case 'mx':
      if (group.every((record) => record.action === 'delete'))
        return 'Remove mail servers that do not work'
      return value === '0 .'
        ? `Say that ${domain} receives no mail`
        : `Deliver the mail of ${domain} to its mailboxes`
    case 'spf':
      if (value === 'v=spf1 -all') return `Say that no one sends mail as ${domain}`
      return action === 'create' ? 'Name your senders in an SPF record' : 'Correct the SPF record'
    case 'dmarc':
      if (first.isInOtherZone && name.includes('._report._dmarc.'))
        return 'Let the other organization accept your reports'
      if (group.every((record) => record.action === 'delete'))
        return 'Remove the DMARC record from where no one looks'
      return policyTitle(group, domain)
    case 'tls-rpt':
      return 'Hear when mail to you could not be encrypted (TLS-RPT)'
    default:
      return 'Protect mail to you from being read on the way (MTA-STS)'
  }
}

function policyTitle(group: Group, domain: string): string {
  const published = group.find(
    ({ action, name }) =>
      (action === 'create' || action === 'replace') && !name.includes('._report._dmarc.'),
  )
  const isReject = /;\s*p=reject\b/.test(published?.value ?? '')
  if (isReject && published?.onlyIf) return `Reject mail that pretends to be from ${domain}`
  return published?.action === 'create'
    ? 'Ask receivers for DMARC reports'
    : 'Correct the DMARC record'
}

function confirmStep(
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

function faultStep({ title, fix }: Finding, { domain, baseUrl }: StepsInput): StepDraft {
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

function makeRoomStep({ crowdedSpf, domain, baseUrl }: StepsInput): StepDraft[] {
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

function selectorStep({ hasHiddenKeys, domain, baseUrl }: StepsInput): StepDraft[] {
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
function mailboxStep({ newMailbox, mailboxProvider, domain }: StepsInput): StepDraft[] {
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

/** What to know about the panel, with the first step that it concerns; nothing without one. */
function withPanelNotes(steps: readonly StepDraft[], input: StepsInput): StepDraft[] {
  const { panel, pitfalls, isParked, zone, records } = input
  const parked = isParked
    ? [
        `The name servers of ${zone.apex} belong to a parking service. First move its DNS at your registrar to a host where you can publish records, and create the unchanged records there, too.`,
      ]
    : []
  const own = records.filter(({ isInOtherZone }) => !isInOtherZone)
  const firstStepWith = (wanted: readonly PanelRecord[]) => {
    const orders = new Set(wanted.map(({ order }) => order))
    return steps.findIndex((step) => step.records.some((order) => orders.has(order)))
  }
  const first = firstStepWith(own)
  const stepOf = (purpose: PanelRecord['purpose']) =>
    firstStepWith(own.filter((record) => isChange(record) && record.purpose === purpose))
  const stepFor = (note: string) => {
    if (/dmarc/i.test(note)) return stepOf('dmarc')
    return /\bSPF\b|include:/.test(note) ? stepOf('spf') : first
  }
  const notes = [...parked, ...(panel.lookElsewhere ? [panel.lookElsewhere] : [])]
  const notesAt = (index: number) => [
    ...(index === first ? notes : []),
    ...pitfalls.filter((note) => stepFor(note) === index),
  ]
  return steps.map((step, index) => ({ ...step, actions: [...notesAt(index), ...step.actions] }))
}

/** What to set in the form, with the first record that each note applies to. */
function formNotes(record: PanelRecord, { panel, zone, records }: StepsInput): string[] {
  const own = records.filter((each) => isChange(each) && !each.isInOtherZone)
  const subjects = Object.entries(panel.formNotes)
  const notes = [...new Set(subjects.map(([, note]) => note))]
  return notes.filter((note) => {
    const isNoted = (each: PanelRecord) =>
      subjects.some(([subject, text]) => text === note && isAbout(subject, each, zone))
    const isRepeated = /^Set /.test(note)
    return isRepeated ? isNoted(record) : own.find(isNoted) === record
  })
}

function isAbout(subject: string, record: PanelRecord, zone: Zone): boolean {
  if (record.action === 'delete' || record.action === 'keep') return false
  if (subject === 'below') return nameRelativeToZone(record.name, zone) !== ''
  if (subject === 'long-txt')
    return record.type === 'TXT' && expectedTextLength(record) > MAX_STRING_OCTETS
  return subject === record.type || subject === record.purpose
}
