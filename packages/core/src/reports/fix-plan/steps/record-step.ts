/** The step for one record that is to be created, replaced or deleted. */
import { goneWith, setOf, valuesAfter } from '../record-set.js'
import type { WrittenRecord } from '../written-record.js'
import { dataToEnter, literal, literals, named, nameToEnter, type Place } from './entry.js'

const ONLY_ONE: Partial<Record<WrittenRecord['purpose'], string>> = {
  spf: 'Only one may be left: two SPF records at one name are an error (RFC 7208 §4.5).',
  dmarc: 'Only one may be left: where there are two DMARC records, none counts (RFC 9989 §4.10).',
}

export function recordStep(
  record: WrittenRecord,
  records: readonly WrittenRecord[],
  place: Place,
): string {
  if (record.isElsewhere) return elsewhere(record, place)
  // Nothing stands beside a CNAME (RFC 1034 §3.6.2), so that its set is the record.
  const isSet = place.panel.hasRecordSets && record.type !== 'CNAME'
  return isSet ? inSet(record, records, place) : byItself(record, place)
}

function byItself(record: WrittenRecord, place: Place): string {
  const { type } = record
  const [old, ...others] = goneWith(record)
  if (old === undefined) return created(record, `${type} record`, place)
  const there = `the ${type} record ${named(record)} that says ${literals([old])}`
  if (record.action === 'delete') return `Delete ${there}.`
  if (record.replaces.includes(record.value)) {
    const rest = record.replaces.filter((value) => value !== record.value)
    return `Of the ${type} records ${named(record)}, leave ${literals([record.value])} and delete ${literals(rest)}.`
  }
  const more = others.length > 0 ? ` Delete the other: ${literals(others)}.` : ''
  return `Edit ${there} so that it says: ${dataToEnter(record, place)}.${more}${onlyOne(record)}`
}

function inSet(record: WrittenRecord, records: readonly WrittenRecord[], place: Place): string {
  const gone = goneWith(record)
  const stays = valuesAfter(setOf(record, records), record.order).filter(
    (value) => value !== record.value,
  )
  const set = `${record.type} record set`
  if (gone.length === 0 && stays.length === 0) return created(record, set, place)
  const data = dataToEnter(record, place)
  if (gone.length === 0) {
    return `Add to the ${set} ${named(record)}, beside ${literals(stays)}: ${data}. Do not create a second set of this name.`
  }
  const rest = stays.length > 0 ? ` Leave ${literals(stays)} in it.` : ''
  if (record.action !== 'delete') {
    return `In the ${set} ${named(record)}, put in place of ${literals(gone)}: ${data}.${rest}${onlyOne(record)}`
  }
  return stays.length > 0
    ? `From the ${set} ${named(record)} remove ${literals(gone)}.${rest}`
    : `Delete the ${set} ${named(record)} that says ${literals(gone)}.`
}

function created(record: WrittenRecord, what: string, place: Place): string {
  const fields = [nameToEnter(record), dataToEnter(record, place), `TTL ${record.ttl}`]
  return `Add ${one(what)}: ${fields.join(', ')}.`
}

function one(what: string): string {
  return `${what.startsWith('MX') ? 'an' : 'a'} ${what}`
}

function onlyOne({ purpose, replaces }: WrittenRecord): string {
  const reason = replaces.length > 1 ? ONLY_ONE[purpose] : undefined
  return reason ? ` ${reason}` : ''
}

function elsewhere(record: WrittenRecord, { panel }: Place): string {
  const { action, type, name, value } = record
  const theirs = `${literal(name)} is not in your zone: ask whoever runs the zone it is in to`
  if (action === 'delete') {
    return `${theirs} delete the ${type} record that says ${literals([value])}.`
  }
  // Nobody knows their panel.
  const plain: Place = { panel: { ...panel, quotes: 'never', split: 'automatic' }, isKnown: true }
  const gone = record.replaces.length > 0 ? ` in place of ${literals(record.replaces)}` : ''
  return `${theirs} publish ${one(`${type} record`)}${gone}: name ${literal(name)}, ${dataToEnter(record, plain)}.`
}
