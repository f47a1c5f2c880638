/** What an administrator does, from top to bottom. */
import type { DnsHost } from '../../../catalog/dns-hosts.js'
import { listed } from '../../../checks/listed.js'
import type { Stage } from '../fix-plan-report.js'
import { nameField } from '../name-field.js'
import type { Zone } from '../planned-record.js'
import { isChange, type WrittenRecord } from '../written-record.js'
import { dataToEnter, literal, literals, named, type Place } from './entry.js'
import { recordStep } from './record-step.js'
import { trapsOf } from './traps.js'

interface Written extends Place {
  readonly records: readonly WrittenRecord[]
  readonly rollout: readonly Stage[]
  readonly zone: Zone
  /** Null when it is nobody we know, or nobody who could be told what to do. */
  readonly host: DnsHost | null
  readonly domain: string
  /** Nothing is left to be mended. */
  readonly isFinished: boolean
  /** The zone is at a service that parks domains. */
  readonly isParked: boolean
}

export function stepsFor(written: Written): string[] {
  const changes = written.records.filter((record) => isChange(record) || record.after !== undefined)
  const later = written.rollout.slice(1).map((stage, index) => {
    const before = written.rollout[index] as Stage
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

function stepsOfToday(changes: readonly WrittenRecord[], written: Written): string[] {
  const { records, panel, domain } = written
  const own = changes.filter(({ isElsewhere }) => !isElsewhere)
  const steps = changes.map((record) =>
    sentences(
      ...beforeIn(record, changes),
      ...placeholdersFirstIn(record, changes),
      isChange(record) ? recordStep(record, records, written) : `${shortly(record)} is right.`,
      ...trapsOf(record, own, panel),
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
function beforeIn(record: WrittenRecord, changes: readonly WrittenRecord[]): string[] {
  const first = changes.find(({ before }) => before === record.before)
  return record.before !== undefined && first === record ? [record.before] : []
}

/** What has to be done afterwards, told once for all records that need it. */
function afterIn(record: WrittenRecord, changes: readonly WrittenRecord[]): string[] {
  const last = changes.findLast(({ after }) => after === record.after)
  return record.after !== undefined && last === record ? [record.after] : []
}

function opening({ host, panel, zone, isParked }: Written): string {
  if (host) return `In ${host.name} open the records of ${zone.apex}: ${panel.menu}.`
  const servers =
    zone.nameServers.length > 0 ? ` (its name servers: ${listed(zone.nameServers)})` : ''
  if (isParked) {
    return `The name servers of ${zone.apex} are those of a parking service: first have your registrar move its DNS to a host where you can publish records, and create there what is to be left as it is, too. Then open ${panel.menu} there.`
  }
  return `Sign in where the DNS of ${zone.apex} is run${servers} and open ${panel.menu}.`
}

/** What has to be looked up before the record, unless an earlier one needed it, too. */
function placeholdersFirstIn(record: WrittenRecord, changes: readonly WrittenRecord[]): string[] {
  const known = changes
    .filter(({ order }) => order < record.order)
    .flatMap(({ placeholders }) => placeholders)
  const open = record.placeholders.filter((one) => !known.some((other) => isSame(one, other)))
  const places = [...new Set(open.map(({ whereToFind }) => whereToFind))]
  return places.map((place) => {
    const tokens = open.filter(({ whereToFind }) => whereToFind === place).map(({ token }) => token)
    const isToldBefore = known.some(({ whereToFind }) => whereToFind === place)
    const what = `Find what goes in place of ${listed(tokens.map(literal))}`
    return isToldBefore ? `${what} in the same place.` : `${what}: ${place}`
  })
}

type Placeholder = WrittenRecord['placeholders'][number]

function isSame(one: Placeholder, other: Placeholder): boolean {
  return one.token === other.token && one.whereToFind === other.whereToFind
}

function shortly({ type, name, value }: WrittenRecord): string {
  return `${type} ${literals([value])} at ${name}`
}

function stageStep(before: Stage, { stage, record, rollback }: Stage, written: Written): string {
  const host = nameField(record.name, written.zone, written.panel)
  const days =
    before.minimumDays > 0
      ? ` has stood for at least ${before.minimumDays} days, and`
      : ' stands, and'
  const isThere = before.record.name === record.name
  const alias = written.records.find(({ type, name }) => type === 'CNAME' && name === record.name)
  const change = alias
    ? `Then have whoever keeps ${alias.value} publish this there, or put in place of the CNAME ${named({ host })} a TXT record:`
    : isThere
      ? `Then edit the DMARC record (TXT, ${named({ host })}) so that it says:`
      : `Then add a TXT record ${named({ host })}:`
  return sentences(
    `Stage ${stage}, when stage ${before.stage}${days} only when this is true: ${before.proceedWhen}`,
    `${change} ${dataToEnter(record, written)}.`,
    `If real mail is lost: ${rollback}`,
  )
}

function sentences(...parts: readonly string[]): string {
  return parts.map((part) => (/[.!?:]$/.test(part) ? part : `${part}.`)).join(' ')
}
