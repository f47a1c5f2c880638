/** The step for one record that is to be created, replaced or deleted. */

import type { DnsPanel } from '../../../catalog/find-dns-host.js'
import { formatList, truncateForDisplay } from '../../../checks/format-list.js'
import { splitCharacterStrings } from '../../character-strings.js'
import { type PanelRecord, recordsInSet, removedValues, valuesAfterStep } from './panel-record.js'
import { parseMxValue, quoteStrings } from './zone-file.js'

const ONLY_ONE: Partial<Record<PanelRecord['purpose'], string>> = {
  spf: 'Only one may be left: two SPF records at one name are an error (RFC 7208 §4.5).',
  dmarc: 'Only one may be left: where there are two DMARC records, none counts (RFC 9989 §4.10).',
}

export function writeRecordStep(
  record: PanelRecord,
  records: readonly PanelRecord[],
  place: PanelContext,
): string {
  if (record.isInOtherZone) return elsewhere(record, place)
  // Nothing stands beside a CNAME (RFC 1034 §3.6.2), so that its set is the record.
  const isSet = place.panel.hasRecordSets && record.type !== 'CNAME'
  return isSet ? inSet(record, records, place) : byItself(record, place)
}

function byItself(record: PanelRecord, place: PanelContext): string {
  const { type } = record
  const [old, ...others] = removedValues(record)
  if (old === undefined) return created(record, `${type} record`, place)
  const there = `the ${type} record ${describeExistingName(record)} that says ${asCodeList([old])}`
  if (record.action === 'delete') return `Delete ${there}.`
  if (record.replaces.includes(record.value)) {
    const rest = record.replaces.filter((value) => value !== record.value)
    return `Of the ${type} records ${describeExistingName(record)}, leave ${asCodeList([record.value])} and delete ${asCodeList(rest)}.`
  }
  const more = others.length > 0 ? ` Delete the other: ${asCodeList(others)}.` : ''
  return `Edit ${there} so that it says: ${dataToEnter(record, place)}.${more}${onlyOne(record)}`
}

function inSet(record: PanelRecord, records: readonly PanelRecord[], place: PanelContext): string {
  const gone = removedValues(record)
  const stays = valuesAfterStep(recordsInSet(record, records), record.order).filter(
    (value) => value !== record.value,
  )
  const set = `${record.type} record set`
  if (gone.length === 0 && stays.length === 0) return created(record, set, place)
  const data = dataToEnter(record, place)
  if (gone.length === 0) {
    return `Add to the ${set} ${describeExistingName(record)}, beside ${asCodeList(stays)}: ${data}. Do not create a second set of this name.`
  }
  const rest = stays.length > 0 ? ` Leave ${asCodeList(stays)} in it.` : ''
  if (record.action !== 'delete') {
    return `In the ${set} ${describeExistingName(record)}, put in place of ${asCodeList(gone)}: ${data}.${rest}${onlyOne(record)}`
  }
  return stays.length > 0
    ? `From the ${set} ${describeExistingName(record)} remove ${asCodeList(gone)}.${rest}`
    : `Delete the ${set} ${describeExistingName(record)} that says ${asCodeList(gone)}.`
}

function created(record: PanelRecord, what: string, place: PanelContext): string {
  const fields = [nameToEnter(record), dataToEnter(record, place), `TTL ${record.ttl}`]
  return `Add ${one(what)}: ${fields.join(', ')}.`
}

function one(what: string): string {
  return `${what.startsWith('MX') ? 'an' : 'a'} ${what}`
}

function onlyOne({ purpose, replaces }: PanelRecord): string {
  const reason = replaces.length > 1 ? ONLY_ONE[purpose] : undefined
  return reason ? ` ${reason}` : ''
}

function elsewhere(record: PanelRecord, { panel }: PanelContext): string {
  const { action, type, name, value } = record
  const theirs = `${asCode(name)} is not in your zone: ask whoever runs the zone it is in to`
  if (action === 'delete') {
    return `${theirs} delete the ${type} record that says ${asCodeList([value])}.`
  }
  // Nobody knows their panel.
  const plain: PanelContext = {
    panel: { ...panel, quotes: 'never', split: 'automatic' },
    isKnown: true,
  }
  const gone = record.replaces.length > 0 ? ` in place of ${asCodeList(record.replaces)}` : ''
  return `${theirs} publish ${one(`${type} record`)}${gone}: name ${asCode(name)}, ${dataToEnter(record, plain)}.`
}

/** Where records are entered; of a host that we do not know, as most panels do it. */
export interface PanelContext {
  readonly panel: DnsPanel
  readonly isKnown: boolean
}

/** To be typed or copied as it stands. */
export function asCode(text: string): string {
  return `\`${text.replace(CONTROL, inDigits)}\``
}

/** Line breaks and the like would tear a step apart; panels and zone files know them as `\\010`. */
const CONTROL = /\p{Cc}/gu

function inDigits(character: string): string {
  return `\\${character.charCodeAt(0).toString().padStart(3, '0')}`
}

/** Values to be recognised, not typed. */
export function asCodeList(values: readonly string[]): string {
  // Cut first and quoted then: the other way round, what closes the quotation would be cut off.
  return formatList(values, (value) => asCode(truncateForDisplay(value)))
}

/** For a form: `name …`, or that there is none. */
export function nameToEnter({ host }: Pick<PanelRecord, 'host'>): string {
  return host === '' ? 'leave the name field empty' : `name ${asCode(host)}`
}

/** For a record that is there. */
export function describeExistingName({ host }: Pick<PanelRecord, 'host'>): string {
  return host === '' ? 'of the zone itself (its name is empty)' : `named ${asCode(host)}`
}

/** The fields behind the name. */
export function dataToEnter(
  { type, value }: Pick<PanelRecord, 'type' | 'value'>,
  place: PanelContext,
) {
  if (type === 'TXT') return textToEnter(value, place)
  if (type === 'CNAME') return `target ${asCode(value)}`
  const { preference, exchange } = parseMxValue(value)
  // RFC 7505 §3: the root as the server says that the domain takes no mail.
  const dot = exchange === '.' ? ' (a single dot)' : ''
  return `priority ${asCode(`${preference}`)}, mail server ${asCode(exchange)}${dot}`
}

const LIMIT = 'for one string holds at most 255 octets'

function textToEnter(text: string, { panel, isKnown }: PanelContext): string {
  const chunks = splitCharacterStrings(text)
  const isLong = chunks.length > 1
  const isSplit = isLong && panel.split === 'manual'
  const isQuoted = panel.quotes === 'always' || (isSplit && panel.quotes === 'when-split')
  if (isQuoted) {
    const value = `value ${asCode(quoteStrings(isSplit ? chunks : [text]))} with the quotes`
    return isSplit ? `${value} on one line, ${LIMIT}` : value
  }
  if (isSplit) {
    const strings = chunks.map(asCode).join(', then ')
    return `value in ${chunks.length} strings of one record, ${LIMIT}: ${strings}`
  }
  if (!isLong) return `value ${asCode(text)}`
  const other = isKnown ? '' : `, or, if the panel refuses that, ${asCode(quoteStrings(chunks))}`
  return `value ${asCode(text)} in one piece${other}`
}
