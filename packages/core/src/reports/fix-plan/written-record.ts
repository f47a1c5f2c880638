/** A planned record, numbered and written for the panel of a DNS host. */
import type { Panel } from '../../catalog/dns-hosts.js'
import { characterStrings } from '../character-strings.js'
import type { PlanRecord } from './fix-plan-report.js'
import { nameField, nameWithin } from './name-field.js'
import type { PlannedRecord, Zone } from './planned-record.js'

export interface WrittenRecord extends PlannedRecord {
  readonly order: number
  /** What goes into the name field. */
  readonly host: string
  readonly chunks: readonly string[]
  readonly ttl: number
  /** It belongs to a zone of somebody else. */
  readonly isElsewhere: boolean
}

/** An hour: short enough to mend a mistake, long enough not to be asked for all the time. */
const TTL = 3_600

export function writeRecords(
  planned: readonly PlannedRecord[],
  zone: Zone,
  panel: Panel,
): WrittenRecord[] {
  return planned.map((record, index) => ({
    ...record,
    order: index + 1,
    host: nameField(record.name, zone, panel),
    chunks: record.type === 'TXT' ? characterStrings(record.value) : [record.value],
    ttl: TTL,
    isElsewhere: nameWithin(record.name, zone) === null,
  }))
}

/** As it is handed out: without what only the steps and exports need to know. */
export function planRecordOf(record: WrittenRecord): PlanRecord {
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
    why: [record.why, record.before, record.after].filter(Boolean).join(' '),
    placeholders: [...record.placeholders],
    ...(lookupCount !== undefined && { lookupCount }),
  }
}

/** Whether there is anything to do about it. */
export function isChange({ action }: PlannedRecord): boolean {
  return action !== 'keep'
}
