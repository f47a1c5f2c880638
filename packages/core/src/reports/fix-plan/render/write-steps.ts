/** Writes the steps that an administrator follows. */
import type { DnsHost } from '../../../catalog/find-dns-host.js'
import { formatList } from '../../../checks/format-list.js'
import { MAX_STRING_OCTETS } from '../../character-strings.js'
import type { RolloutStage } from '../fix-plan-report.js'
import { expectedTextLength, type Placeholder, type Zone } from '../planned-record.js'
import { isChange, nameField, nameRelativeToZone, type PanelRecord } from './panel-record.js'
import {
  asCode,
  asCodeList,
  dataToEnter,
  describeExistingName,
  type PanelContext,
  writeRecordStep,
} from './write-record-step.js'

interface StepsInput extends PanelContext {
  readonly records: readonly PanelRecord[]
  readonly rollout: readonly RolloutStage[]
  readonly zone: Zone
  /** Null if the host is unknown or only parks domains. */
  readonly host: DnsHost | null
  readonly domain: string
  /** What to know about the published records before the first change. */
  readonly pitfalls: readonly string[]
  /** The plan fixes every finding. */
  readonly isFinished: boolean
  /** The zone is hosted by a parking service. */
  readonly isParked: boolean
}

export function writeSteps(input: StepsInput): string[] {
  const changes = input.records.filter(
    (record) => isChange(record) || record.followUp !== undefined,
  )
  const later = input.rollout.flatMap((stage, index) => {
    const previous = input.rollout[index - 1]
    return previous ? [writeStageStep(previous, stage, input)] : []
  })
  if (changes.length > 0) return [...writeCurrentSteps(changes, input), ...later]
  const { domain } = input
  if (later.length === 0) {
    return [
      input.isFinished
        ? `Nothing has to change in the DNS of ${domain}.`
        : `This plan has no record to publish for ${domain}. See its warnings for what is left to fix.`,
    ]
  }
  return [
    sentences(
      `Nothing has to change in the DNS of ${domain} today.`,
      `For the stages below: ${openPanelStep(input)}`,
      ...panelNotes(input),
    ),
    ...later,
  ]
}

function writeCurrentSteps(changes: readonly PanelRecord[], input: StepsInput): string[] {
  const { records, domain } = input
  const own = changes.filter(({ isInOtherZone }) => !isInOtherZone)
  const steps = changes.map((record) =>
    sentences(
      ...preconditionOnce(record, changes),
      ...findPlaceholderValues(record, changes),
      isChange(record)
        ? writeRecordStep(record, records, input)
        : `${describeRecord(record)} is correct.`,
      ...formNotes(record, own, input),
      ...followUpOnce(record, changes),
    ),
  )
  const kept = records.filter((record) => !changes.includes(record))
  return [
    ...(own.length > 0 ? [sentences(openPanelStep(input), ...panelNotes(input))] : []),
    ...steps,
    ...(kept.length > 0 ? [`Keep unchanged: ${kept.map(describeRecord).join('; ')}.`] : []),
    `Wait an hour, or as long as the TTL of the old records, then check ${domain} again (GET /v1/check is free).`,
  ]
}

/** With the first of several records that share it. */
function preconditionOnce(record: PanelRecord, changes: readonly PanelRecord[]): string[] {
  const first = changes.find(({ precondition }) => precondition === record.precondition)
  return record.precondition !== undefined && first === record ? [record.precondition] : []
}

/** With the last of several records that share it. */
function followUpOnce(record: PanelRecord, changes: readonly PanelRecord[]): string[] {
  const last = changes.findLast(({ followUp }) => followUp === record.followUp)
  return record.followUp !== undefined && last === record ? [record.followUp] : []
}

function openPanelStep({ host, panel, zone, isParked }: StepsInput): string {
  if (host) return `In ${host.name} open the records of ${zone.apex}: ${panel.screen.path}.`
  const servers =
    zone.nameServers.length > 0 ? ` (name servers: ${formatList(zone.nameServers)})` : ''
  if (isParked) {
    return `The name servers of ${zone.apex} belong to a parking service. First move its DNS at your registrar to a host where you can publish records, and create the unchanged records there, too. Then open ${panel.screen.path} there.`
  }
  return `Sign in at the DNS host of ${zone.apex}${servers} and open ${panel.screen.path}.`
}

/** Where to find the placeholder values that no earlier record needed. */
function findPlaceholderValues(record: PanelRecord, changes: readonly PanelRecord[]): string[] {
  const known = changes
    .filter(({ order }) => order < record.order)
    .flatMap(({ placeholders }) => placeholders)
  const unknown = record.placeholders.filter(
    (one) => !known.some((other) => isSamePlaceholder(one, other)),
  )
  const places = [...new Set(unknown.map(({ whereToFind }) => whereToFind))]
  return places.map((place) => {
    const tokens = unknown
      .filter(({ whereToFind }) => whereToFind === place)
      .map(({ token }) => token)
    const isKnownPlace = known.some(({ whereToFind }) => whereToFind === place)
    const what = `Find the value for ${formatList(tokens.map(asCode))}`
    return isKnownPlace ? `${what} in the same place.` : `${what}: ${place}`
  })
}

function isSamePlaceholder(one: Placeholder, other: Placeholder): boolean {
  return one.token === other.token && one.whereToFind === other.whereToFind
}

function describeRecord({ type, name, value }: PanelRecord): string {
  return `${type} ${asCodeList([value])} at ${name}`
}

function writeStageStep(
  previous: RolloutStage,
  { stage, record, rollback }: RolloutStage,
  input: StepsInput,
): string {
  const host = nameField(record.name, input.zone, input.panel)
  const days =
    previous.minimumDays > 0
      ? ` has been published for at least ${previous.minimumDays} days, and`
      : ' is published, and'
  const isSameName = previous.record.name === record.name
  const alias = input.records.find(({ type, name }) => type === 'CNAME' && name === record.name)
  const change = alias
    ? `Then ask the service that manages ${alias.value} to publish this there, or replace the CNAME ${describeExistingName({ host })} with a TXT record:`
    : isSameName
      ? `Then edit the DMARC record (TXT, ${describeExistingName({ host })}) and enter:`
      : `Then add a TXT record ${describeExistingName({ host })}:`
  return sentences(
    `Stage ${stage}, when stage ${previous.stage}${days} only when this is true: ${previous.proceedWhen}`,
    `${change} ${dataToEnter(record, input)}.`,
    `If legitimate mail is lost: ${rollback}`,
  )
}

function sentences(...parts: readonly string[]): string {
  return parts.map((part) => (/[.!?:]$/.test(part) ? part : `${part}.`)).join(' ')
}

function panelNotes({ panel: { lookElsewhere }, pitfalls }: StepsInput): string[] {
  return [...(lookElsewhere ? [lookElsewhere] : []), ...pitfalls]
}

/** What to set in the form, with the first record that each note applies to. */
function formNotes(
  record: PanelRecord,
  records: readonly PanelRecord[],
  { panel, zone }: StepsInput,
): string[] {
  const subjects = Object.entries(panel.formNotes)
  const notes = [...new Set(subjects.map(([, note]) => note))]
  return notes.filter((note) => {
    const isNoted = (each: PanelRecord) =>
      subjects.some(([subject, text]) => text === note && isAbout(subject, each, zone))
    return records.find(isNoted) === record
  })
}

function isAbout(subject: string, record: PanelRecord, zone: Zone): boolean {
  if (record.action === 'delete' || record.action === 'keep') return false
  if (subject === 'below') return nameRelativeToZone(record.name, zone) !== ''
  if (subject === 'long-txt')
    return record.type === 'TXT' && expectedTextLength(record) > MAX_STRING_OCTETS
  return subject === record.type || subject === record.purpose
}
