/** What an administrator does, from top to bottom. */
import type { DnsHost, DnsPanel, TrapSubject } from '../../../catalog/find-dns-host.js'
import { formatList } from '../../../checks/format-list.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { Zone } from '../planned-record.js'
import { isChange, nameField, type PanelRecord } from './panel-record.js'
import {
  asCode,
  asCodeList,
  dataToEnter,
  describeExistingName,
  type PanelContext,
  writeRecordStep,
} from './write-record-step.js'

interface Written extends PanelContext {
  readonly records: readonly PanelRecord[]
  readonly rollout: readonly RolloutStage[]
  readonly zone: Zone
  /** Null when it is nobody we know, or nobody who could be told what to do. */
  readonly host: DnsHost | null
  readonly domain: string
  /** Nothing is left to be mended. */
  readonly isFinished: boolean
  /** The zone is at a service that parks domains. */
  readonly isParked: boolean
}

export function writeSteps(written: Written): string[] {
  const changes = written.records.filter(
    (record) => isChange(record) || record.followUp !== undefined,
  )
  const later = written.rollout.slice(1).map((stage, index) => {
    const before = written.rollout[index] as RolloutStage
    return stageStep(before, stage, written)
  })
  if (changes.length > 0) return [...stepsOfToday(changes, written), ...later]
  const { domain } = written
  if (later.length === 0) {
    return [
      written.isFinished
        ? `Nothing has to change in the DNS of ${domain}.`
        : `This plan has no record to publish for ${domain}, but see its warnings: something is left to mend.`,
    ]
  }
  return [
    sentences(
      `Nothing has to change in the DNS of ${domain} today.`,
      `For the stages below: ${opening(written)}`,
      ...written.panel.traps,
    ),
    ...later,
  ]
}

function stepsOfToday(changes: readonly PanelRecord[], written: Written): string[] {
  const { records, panel, domain } = written
  const own = changes.filter(({ isInOtherZone }) => !isInOtherZone)
  const steps = changes.map((record) =>
    sentences(
      ...beforeIn(record, changes),
      ...placeholdersFirstIn(record, changes),
      isChange(record) ? writeRecordStep(record, records, written) : `${shortly(record)} is right.`,
      ...trapsForRecord(record, own, panel),
      ...afterIn(record, changes),
    ),
  )
  const kept = records.filter((record) => !changes.includes(record))
  return [
    ...(own.length > 0 ? [sentences(opening(written), ...panel.traps)] : []),
    ...steps,
    ...(kept.length > 0 ? [`Leave as it is: ${kept.map(shortly).join('; ')}.`] : []),
    `Wait an hour, or as long as the TTL that the old records had, then check ${domain} again (GET /v1/check, which is free).`,
  ]
}

/** What must be so first, told once for all records of which it holds. */
function beforeIn(record: PanelRecord, changes: readonly PanelRecord[]): string[] {
  const first = changes.find(({ precondition }) => precondition === record.precondition)
  return record.precondition !== undefined && first === record ? [record.precondition] : []
}

/** What has to be done afterwards, told once for all records that need it. */
function afterIn(record: PanelRecord, changes: readonly PanelRecord[]): string[] {
  const last = changes.findLast(({ followUp }) => followUp === record.followUp)
  return record.followUp !== undefined && last === record ? [record.followUp] : []
}

function opening({ host, panel, zone, isParked }: Written): string {
  if (host) return `In ${host.name} open the records of ${zone.apex}: ${panel.menu}.`
  const servers =
    zone.nameServers.length > 0 ? ` (its name servers: ${formatList(zone.nameServers)})` : ''
  if (isParked) {
    return `The name servers of ${zone.apex} are those of a parking service: first have your registrar move its DNS to a host where you can publish records, and create there what is to be left as it is, too. Then open ${panel.menu} there.`
  }
  return `Sign in where the DNS of ${zone.apex} is run${servers} and open ${panel.menu}.`
}

/** What has to be looked up before the record, unless an earlier one needed it, too. */
function placeholdersFirstIn(record: PanelRecord, changes: readonly PanelRecord[]): string[] {
  const known = changes
    .filter(({ order }) => order < record.order)
    .flatMap(({ placeholders }) => placeholders)
  const open = record.placeholders.filter((one) => !known.some((other) => isSame(one, other)))
  const places = [...new Set(open.map(({ whereToFind }) => whereToFind))]
  return places.map((place) => {
    const tokens = open.filter(({ whereToFind }) => whereToFind === place).map(({ token }) => token)
    const isToldBefore = known.some(({ whereToFind }) => whereToFind === place)
    const what = `Find what goes in place of ${formatList(tokens.map(asCode))}`
    return isToldBefore ? `${what} in the same place.` : `${what}: ${place}`
  })
}

type Placeholder = PanelRecord['placeholders'][number]

function isSame(one: Placeholder, other: Placeholder): boolean {
  return one.token === other.token && one.whereToFind === other.whereToFind
}

function shortly({ type, name, value }: PanelRecord): string {
  return `${type} ${asCodeList([value])} at ${name}`
}

function stageStep(
  before: RolloutStage,
  { stage, record, rollback }: RolloutStage,
  written: Written,
): string {
  const host = nameField(record.name, written.zone, written.panel)
  const days =
    before.minimumDays > 0
      ? ` has stood for at least ${before.minimumDays} days, and`
      : ' stands, and'
  const isThere = before.record.name === record.name
  const alias = written.records.find(({ type, name }) => type === 'CNAME' && name === record.name)
  const change = alias
    ? `Then have whoever keeps ${alias.value} publish this there, or put in place of the CNAME ${describeExistingName({ host })} a TXT record:`
    : isThere
      ? `Then edit the DMARC record (TXT, ${describeExistingName({ host })}) so that it says:`
      : `Then add a TXT record ${describeExistingName({ host })}:`
  return sentences(
    `Stage ${stage}, when stage ${before.stage}${days} only when this is true: ${before.proceedWhen}`,
    `${change} ${dataToEnter(record, written)}.`,
    `If real mail is lost: ${rollback}`,
  )
}

function sentences(...parts: readonly string[]): string {
  return parts.map((part) => (/[.!?:]$/.test(part) ? part : `${part}.`)).join(' ')
}

export function trapsForRecord(
  record: PanelRecord,
  records: readonly PanelRecord[],
  { trapsOf: traps }: DnsPanel,
): string[] {
  return (Object.entries(traps) as [TrapSubject, string][])
    .filter(([subject]) => records.find((each) => isAbout(subject, each)) === record)
    .map(([, trap]) => trap)
}

function isAbout(subject: TrapSubject, { action, type, purpose }: PanelRecord): boolean {
  return action !== 'delete' && (subject === type || subject === purpose)
}
