/** Planned records as they are entered in the panel of a DNS host. */
import type { DnsPanel } from '../../../catalog/dns-hosts.js'
import type { PlanWordKey } from '../../../catalog/generated/plan-words.js'
import { quoteStrings, splitCharacterStrings, toShownText } from '../../record-data.js'
import type { PlanRecord } from '../fix-plan-report.js'
import type { Placeholder, PlannedRecord, Zone } from '../planned-record.js'
import { writeConditions, writeSaid } from '../say.js'

export interface PanelRecord extends Omit<PlannedRecord, 'why' | 'onlyIf' | 'placeholders'> {
  readonly why: string
  readonly onlyIf: string | null
  /** The keys of its conditions. */
  readonly conditions: readonly PlanWordKey[]
  readonly placeholders: readonly WrittenPlaceholder[]
  readonly order: number
  /** For the name field. */
  readonly host: string
  /** For the value field. */
  readonly valueToEnter: string
  readonly chunks: readonly string[]
  readonly ttl: number
  /** It belongs to a zone of another operator. */
  readonly isInOtherZone: boolean
}

/** Its whereabouts in words. */
interface WrittenPlaceholder extends Placeholder {
  readonly whereToFind: string
}

function writePlaceholder({ token, whereToFind }: Placeholder): WrittenPlaceholder {
  return { token, whereToFind: writeSaid(whereToFind) }
}

/** One hour: short enough to correct a mistake, long enough to be cached. */
const TTL = 3_600

export function toPanelRecords(
  planned: readonly PlannedRecord[],
  zone: Zone,
  panel: DnsPanel,
): PanelRecord[] {
  return planned.map((record, index) => {
    const isInOtherZone = nameRelativeToZone(record.name, zone) === null
    return {
      ...record,
      why: writeSaid(record.why),
      onlyIf: writeConditions(record.onlyIf),
      conditions:
        typeof record.onlyIf === 'object' ? (record.onlyIf ?? []).map(({ key }) => key) : [],
      placeholders: record.placeholders.map(writePlaceholder),
      order: index + 1,
      host: nameField(record.name, zone, panel),
      valueToEnter: isInOtherZone ? record.value : valueField(record, panel),
      chunks: record.type === 'TXT' ? splitCharacterStrings(record.value) : [record.value],
      ttl: isInOtherZone ? TTL : Math.max(TTL, panel.minTtl),
      isInOtherZone,
    }
  })
}

/** The public form, without what only the steps and exports need. */
export function toPlanRecord(record: PanelRecord): PlanRecord {
  const { order, action, type, name, host, value, valueToEnter, ttl, purpose, lookupCount } = record
  return {
    order,
    action,
    type,
    name,
    host,
    value: toShownText(value),
    valueToEnter: toShownText(valueToEnter),
    chunks: record.chunks.map(toShownText),
    ttl,
    replaces: record.replaces.map(toShownText),
    purpose,
    service: record.service,
    why: record.why,
    onlyIf: record.onlyIf,
    optional: record.isOptional ?? false,
    placeholders: [...record.placeholders],
    ...(lookupCount !== undefined && { lookupCount }),
  }
}

export function isChange({ action }: Pick<PlannedRecord, 'action'>): boolean {
  return action !== 'keep'
}

export function nameField(
  name: string,
  zone: Zone,
  panel: Pick<DnsPanel, 'apexName' | 'subdomainName'>,
): string {
  const relative = nameRelativeToZone(name, zone)
  // The panel of another zone is not known.
  if (relative === null) return name
  const form = relative === '' ? panel.apexName : panel.subdomainName
  return form.replace(/\{(\w+)\}/, (_, part) => (part === 'name' ? relative : name))
}

/** A TXT value in quotes, and in strings, where the panel needs that; a target with its dot. */
function valueField({ type, value }: PlannedRecord, panel: DnsPanel): string {
  if (type === 'TXT') {
    const { isQuoted, quoted } = textForm(value, panel)
    return isQuoted ? quoted : value
  }
  const { targetDot, nullMx } = panel
  if (value === '0 .' && nullMx === 'empty') return '0'
  return targetDot && !value.endsWith('.') ? `${value}.` : value
}

/** Whether the panel needs a text in strings, or in quotes. */
export function textForm(text: string, { quotes, split }: DnsPanel) {
  const chunks = splitCharacterStrings(text)
  const isSplit = chunks.length > 1 && split === 'manual'
  const isQuoted = quotes === 'always' || (isSplit && quotes === 'when-split')
  return { chunks, isSplit, isQuoted, quoted: quoteStrings(isSplit ? chunks : [text]) }
}

/** The part before the zone, empty for the zone itself; null for a name outside it. */
export function nameRelativeToZone(name: string, { apex, delegated }: Zone): string | null {
  const [below, zone] = [name.toLowerCase(), apex.toLowerCase()]
  if (delegated.some((each) => below === each || below.endsWith(`.${each}`))) return null
  if (below === zone) return ''
  return below.endsWith(`.${zone}`) ? name.slice(0, -apex.length - 1) : null
}

/** The records of the same name and type, which many DNS hosts manage as one set. */
export function recordsInSet<Record extends PanelRecord>(
  record: PanelRecord,
  records: readonly Record[],
): Record[] {
  const key = setKey(record)
  return records.filter((other) => setKey(other) === key)
}

function setKey({ name, type }: PanelRecord): string {
  return `${type} ${name.toLowerCase()}`
}

/** The values of a set after the step of this order. */
export function valuesAfterStep(set: readonly PanelRecord[], order: number): string[] {
  const values = new Set(set.flatMap((record) => [...record.otherValues, ...currentValues(record)]))
  for (const record of set) {
    if (record.order > order) continue
    for (const value of removedValues(record)) values.delete(value)
    if (record.action !== 'delete') values.add(record.value)
  }
  return [...values]
}

function currentValues({ action, value, replaces }: PanelRecord): readonly string[] {
  return action === 'keep' || action === 'delete' ? [value] : replaces
}

/** The values that the step of a record removes. */
export function removedValues({ action, value, replaces }: PanelRecord): readonly string[] {
  return action === 'delete' ? [value] : replaces
}
