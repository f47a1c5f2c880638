/** A planned record, numbered and written for the panel of a DNS host. */
import type { DnsPanel } from '../../catalog/find-dns-host.js'
import { splitCharacterStrings } from '../character-strings.js'
import type { PlanRecord } from './fix-plan-report.js'
import { nameField, nameRelativeToZone } from './name-field.js'
import type { PlannedRecord, Zone } from './planned-record.js'

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
