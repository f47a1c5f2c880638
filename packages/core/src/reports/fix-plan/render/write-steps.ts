/** Writes the steps that an administrator follows: one thing each, where, and how to check it. */
import { findServiceById, type MailService } from '../../../catalog/mail-services.js'
import type { PlanStep } from '../fix-plan-report.js'
import { inOrderOfNeed, isUrgentRecord } from '../urgent-mail.js'
import {
  confirmStep,
  faultStep,
  isAboutMove,
  mailboxStep,
  makeRoomStep,
  selectorStep,
} from './advice-steps.js'
import { isChange, type PanelRecord } from './panel-record.js'
import { recordsStep } from './record-steps.js'
import { keyStep, signingSteps, waitingStep } from './signing-steps.js'
import type { Group, StepDraft, StepsInput } from './step-draft.js'
import { asCode } from './write-record-step.js'

export function writeSteps(input: StepsInput): PlanStep[] {
  const changes = input.records.filter(isChange)
  const groups = groupRecords(changes)
  const stepsOf = (isWanted: (first: PanelRecord) => boolean | undefined) =>
    groups.filter(([first]) => isWanted(first)).flatMap((group) => stepsOfGroup(group, input))
  const today = groups.filter(([{ isLater, isOptional }]) => !isLater && !isOptional)
  const policyAt = today.findIndex((group) => group.some(({ purpose }) => purpose === 'dmarc'))
  const at = policyAt === -1 ? today.length : policyAt
  const policy = today.slice(at).flatMap((group) => stepsOfGroup(group, input))
  const isFirst = input.urgent.isPolicyNeeded
  const faultSteps = (faults: StepsInput['faults']) => faults.map((each) => faultStep(each, input))
  const all = [
    ...faultSteps(input.faults.filter(isAboutMove)),
    ...(isFirst ? policy.map(asUrgent) : []),
    ...markUrgent(today.slice(0, at), input),
    ...input.keySteps.map((each) => keyStep(each, input)),
    ...input.toConfirm.map((sender) => confirmStep(sender, input)),
    ...makeRoomStep(input),
    ...selectorStep(input),
    ...mailboxStep(input),
    ...(isFirst ? [] : policy),
    ...stepsOf(({ isLater }) => isLater),
    ...faultSteps(input.faults.filter((fault) => !isAboutMove(fault))),
    ...input.closing.filter(({ optional }) => !optional),
    ...stepsOf(({ isOptional }) => isOptional),
    ...input.closing.filter(({ optional }) => optional),
  ]
  return withPanelNotes(all, input).map((step, index) => ({ order: index + 1, ...step }))
}

/** Publishing the records, and turning on what they are for. What saves mail today is marked. */
function markUrgent(groups: readonly Group[], input: StepsInput): StepDraft[] {
  const { urgent, toTurnOn } = input
  const published = groups.map((group) => ({
    steps: stepsOfGroup(group, input),
    isKey: group[0].purpose === 'dkim',
    isUrgent: group.some((record) => isUrgentRecord(record, urgent)),
    mayHelp: isAuthentication(group),
  }))
  const waiting = toTurnOn.map((each) => ({
    steps: [waitingStep(each, input)],
    isKey: true,
    isUrgent: urgent.streams.has(each.service.id),
    mayHelp: true,
  }))
  const tasks = [...published, ...waiting]
  const all = tasks.some(({ isUrgent }) => isUrgent)
    ? inOrderOfNeed(tasks, ({ isUrgent, isKey }) => isUrgent || !isKey)
    : tasks
  // Where nothing shows whose mail it is, the first signature that can be had counts.
  const isGuess = urgent.isUnsigned && !all.some(({ isUrgent }) => isUrgent)
  const guess = isGuess ? all.find(({ mayHelp }) => mayHelp) : undefined
  return all.flatMap((task) =>
    task.isUrgent || task === guess ? task.steps.map(asUrgent) : task.steps,
  )
}

function asUrgent(step: StepDraft): StepDraft {
  return { ...step, title: `Urgent: ${step.title}` }
}

/** An SPF record with a condition may itself lose mail. */
function isAuthentication([{ purpose, onlyIf }]: Group): boolean {
  return purpose === 'dkim' || (purpose === 'spf' && onlyIf === null)
}

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
  setUpAt = '',
}: PanelRecord): string {
  const when = isLater ? 'later' : isOptional ? 'optional' : 'now'
  const isMisplaced = purpose === 'dmarc' && action === 'delete' && !name.startsWith('_dmarc.')
  // Each of these keys is created and switched to by itself.
  const isOwnKey = purpose === 'dkim' && !isLater && (service === null || successorOf !== undefined)
  const what =
    service !== null && !isOwnKey && (purpose === 'dkim' || purpose === 'spf')
      ? `${service}@${setUpAt}`
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
        .map(({ token, whereToFind }) => `Fill in ${asCode(token)}: ${lowerFirst(whereToFind)}`),
    ),
  ]
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

function ofSigner(service: MailService | null): string {
  return service ? ` for ${service.name}` : ''
}

function titleOf(group: Group, { displayName: domain }: StepsInput): string {
  const [first] = group
  const { purpose, value, action, name } = first
  switch (purpose) {
    case 'mx':
      return mailServersTitle(group, domain)
    case 'spf':
      if (value === 'v=spf1 -all')
        return `Publish an SPF record that allows no one to send as ${domain}`
      return action === 'create'
        ? 'Publish an SPF record with your senders'
        : 'Correct the SPF record'
    case 'dmarc':
      if (first.isInOtherZone && name.includes('._report._dmarc.'))
        return `Ask ${name.replace(/^.*\._report\._dmarc\./, '')} to accept your reports`
      if (group.every((record) => record.action === 'delete'))
        return 'Delete the misplaced DMARC record'
      return policyTitle(group, domain)
    case 'tls-rpt':
      return 'Get reports about incoming mail that couldn’t be encrypted (TLS-RPT)'
    default:
      return action === 'replace'
        ? 'Correct the MTA-STS record'
        : 'Require encryption for incoming mail (MTA-STS)'
  }
}

function mailServersTitle(group: Group, domain: string): string {
  const left = findServiceById(group[0].service ?? '')
  if (left && group.every(({ action }) => action === 'delete')) {
    return `Remove the mail servers of ${left.name}`
  }
  if (group.every(({ action }) => action === 'delete')) return 'Remove mail servers that don’t work'
  return group[0].value === '0 .'
    ? `Refuse all mail to ${domain}`
    : `Publish MX records so that mail to ${domain} can arrive`
}

function policyTitle(group: Group, domain: string): string {
  const published = group.find(
    ({ action, name }) =>
      (action === 'create' || action === 'replace') && !name.includes('._report._dmarc.'),
  )
  const isReject = /;\s*p=reject\b/.test(published?.value ?? '')
  const isNew = !published?.replaces.some((value) => /;\s*p=reject\b/.test(value))
  if (isReject && isNew && published?.onlyIf) return `Reject forged mail from ${domain}`
  return published?.action === 'create'
    ? 'Ask receivers for DMARC reports'
    : 'Correct the DMARC record'
}

/** What to know about the panel, with the first step that it concerns; nothing without one. */
function withPanelNotes(steps: readonly StepDraft[], input: StepsInput): StepDraft[] {
  const { panel, pitfalls, isParked, zone, records } = input
  const parked = isParked
    ? [
        `${zone.apex}’s name servers belong to a parking service. At your registrar, first move the domain’s DNS to a host where you can publish records, and copy your other records there.`,
        'If the registrar shows DS records (DNSSEC), delete them at least a day before the move. Otherwise, the domain will stop working.',
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
  const stepFor = ({ about }: StepsInput['pitfalls'][number]) => (about ? stepOf(about) : first)
  const notes = [...parked, ...(panel.lookElsewhere ? [panel.lookElsewhere] : [])]
  const notesAt = (index: number) => [
    ...(index === first ? notes : []),
    ...pitfalls.filter((pitfall) => stepFor(pitfall) === index).map(({ text }) => text),
  ]
  return steps.map((step, index) => ({ ...step, actions: [...notesAt(index), ...step.actions] }))
}
