/** A planned record, numbered and written for the panel of a DNS host. */
import type { DnsPanel } from '../../../catalog/find-dns-host.js'
import { splitCharacterStrings } from '../../character-strings.js'
import type { PlanRecord } from '../fix-plan-report.js'
import type { PlannedRecord, Zone } from '../planned-record.js'

export interface PanelRecord extends PlannedRecord {
  readonly order: number
  /** What goes into the name field. */
  readonly host: string
  readonly chunks: readonly string[]
  readonly ttl: number
  /** It belongs to a zone of somebody else. */
  readonly isInOtherZone: boolean
}

/** An hour: short enough to mend a mistake, long enough not to be asked for all the time. */
const TTL = 3_600

export function toPanelRecords(
  planned: readonly PlannedRecord[],
  zone: Zone,
  panel: DnsPanel,
): PanelRecord[] {
  return planned.map((record, index) => ({
    ...record,
    order: index + 1,
    host: nameField(record.name, zone, panel),
    chunks: record.type === 'TXT' ? splitCharacterStrings(record.value) : [record.value],
    ttl: TTL,
    isInOtherZone: nameRelativeToZone(record.name, zone) === null,
  }))
}

/** As it is handed out: without what only the steps and exports need to know. */
export function toPlanRecord(record: PanelRecord): PlanRecord {
  const { order, action, type, name, host, value, ttl, purpose, lookupCount } = record
  return {
    order,
    action,
    type,
    name,
    host,
    value,
    chunks: [...record.chunks],
    ttl,
    replaces: [...record.replaces],
    purpose,
    // Whoever reads the records alone is to know as much as who follows the steps.
    why: [record.why, record.precondition, record.followUp].filter(Boolean).join(' '),
    placeholders: [...record.placeholders],
    ...(lookupCount !== undefined && { lookupCount }),
  }
}

/** Whether there is anything to do about it. */
export function isChange({ action }: PlannedRecord): boolean {
  return action !== 'keep'
}

export function nameField(
  name: string,
  zone: Zone,
  panel: Pick<DnsPanel, 'apexName' | 'subdomainName'>,
): string {
  const relative = nameRelativeToZone(name, zone)
  // Another zone has a panel of its own, which is not known.
  if (relative === null) return name
  const form = relative === '' ? panel.apexName : panel.subdomainName
  return form.replace(/\{(\w+)\}/, (_, part) => (part === 'name' ? relative : name))
}

/** The part before the zone, empty for the zone itself; null for a name that is not in it. */
export function nameRelativeToZone(name: string, { apex }: Zone): string | null {
  const [below, zone] = [name.toLowerCase(), apex.toLowerCase()]
  if (below === zone) return ''
  return below.endsWith(`.${zone}`) ? name.slice(0, -apex.length - 1) : null
}

export function recordsInSet<Record extends PanelRecord>(
  record: PanelRecord,
  records: readonly Record[],
): Record[] {
  const key = keyOf(record)
  return records.filter((other) => keyOf(other) === key)
}

function keyOf({ name, type }: PanelRecord): string {
  return `${type} ${name.toLowerCase()}`
}

/** The values of a set once the first of the plan's records have been dealt with. */
export function valuesAfterStep(set: readonly PanelRecord[], order: number): string[] {
  const today = set.flatMap((record) => [...record.otherValues, ...valuesToday(record)])
  const values = new Set(today)
  for (const record of set) {
    if (record.order > order) continue
    for (const value of removedValues(record)) values.delete(value)
    if (record.action !== 'delete') values.add(record.value)
  }
  return [...values]
}

function valuesToday({ action, value, replaces }: PanelRecord): readonly string[] {
  return action === 'keep' || action === 'delete' ? [value] : replaces
}

/** What leaves the set with a record's step. */
export function removedValues({ action, value, replaces }: PanelRecord): readonly string[] {
  return action === 'delete' ? [value] : replaces
}
