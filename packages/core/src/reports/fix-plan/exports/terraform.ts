/** The records to create or replace as resources of the DNS host's Terraform provider. */
import { nameWithin } from '../name-field.js'
import type { Zone } from '../planned-record.js'
import { goneWith, setOf, valuesAfter } from '../record-set.js'
import { isChange, type WrittenRecord } from '../written-record.js'
import { comment, whatIsMissing } from './comment.js'
import { resource, variable } from './hcl.js'
import type { Provider } from './provider.js'
import { RECORD_PROVIDERS } from './record-providers.js'
import { SET_PROVIDERS } from './set-providers.js'

/** Null for a host whose provider we do not know well enough. */
export function terraform(
  records: readonly WrittenRecord[],
  zone: Zone,
  hostId: string,
): string | null {
  const changes = records.filter(isChange)
  const [ofRecords, ofSets] = [RECORD_PROVIDERS[hostId], SET_PROVIDERS[hostId]]
  if (ofRecords) return written(ofRecords, changes.map(alone), zone)
  return ofSets ? written(ofSets, inSets(changes, records), zone) : null
}

/** What becomes one resource: its records with something to do, and its values in the end. */
interface Unit {
  readonly changes: readonly [WrittenRecord, ...WrittenRecord[]]
  readonly values: readonly string[]
  /** What to do about that which is there today, and which Terraform knows nothing of. */
  readonly toImport: string | null
}

function alone(record: WrittenRecord): Unit {
  const toImport =
    'It takes the place of a record: `terraform import` that one, or delete it by hand, before you apply.'
  return {
    changes: [record],
    values: record.action === 'delete' ? [] : [record.value],
    toImport: record.replaces.length > 0 ? toImport : null,
  }
}

function inSets(changes: readonly WrittenRecord[], records: readonly WrittenRecord[]): Unit[] {
  const firsts = changes.filter((record) => setOf(record, changes)[0] === record)
  return firsts.map((first) => {
    const set = setOf(first, records)
    const toImport = 'The set is there already: `terraform import` it before you apply.'
    const [, ...others] = setOf(first, changes)
    return {
      changes: [first, ...others],
      values: valuesAfter(set, Number.POSITIVE_INFINITY),
      toImport: valuesAfter(set, 0).length > 0 ? toImport : null,
    }
  })
}

function written(provider: Provider, units: readonly Unit[], zone: Zone): string {
  const nameOf = uniqueNames()
  const isNeeded = units.some(isResource)
  const variables = Object.entries(isNeeded ? provider.variables : {})
  const parts = units.map((unit) =>
    [
      ...notes(unit).map((note) => comment('#', note)),
      ...(isResource(unit) ? [resourceOf(unit, provider, zone, nameOf(unit))] : []),
    ].join('\n'),
  )
  return `${[
    comment('#', `Provider: ${provider.source}`),
    ...variables.map(([name, description]) => variable(name, description)),
    ...(parts.length > 0 ? parts : [comment('#', 'Nothing has to change.')]),
  ].join('\n\n')}\n`
}

/** Nothing is written that would not be complete. */
function isResource({ changes, values }: Unit): boolean {
  return values.length > 0 && changes.every((record) => !record.isElsewhere && isComplete(record))
}

function isComplete({ action, placeholders }: WrittenRecord): boolean {
  return action === 'delete' || placeholders.length === 0
}

function resourceOf(unit: Unit, provider: Provider, zone: Zone, label: string): string {
  const [{ type, name, ttl }] = unit.changes
  const relative = nameWithin(name, zone) ?? name
  const data = { type, name, relative, zone: zone.apex, ttl, values: unit.values }
  return resource(provider.resource(type), label, provider.body(data))
}

function notes(unit: Unit): string[] {
  if (!isResource(unit)) return unit.changes.flatMap(byHand)
  const gone = unit.changes.flatMap((record) =>
    goneWith(record).map((old) => `Goes with it: ${lineOf(record, old)}`),
  )
  return unit.toImport === null ? gone : [...gone, unit.toImport]
}

function byHand(record: WrittenRecord): string[] {
  return [
    ...(record.isElsewhere ? ['In the zone of somebody else:'] : []),
    ...whatIsMissing(record),
    ...goneWith(record).map((old) => `Delete by hand: ${lineOf(record, old)}`),
    ...(record.action === 'delete' ? [] : [`Publish by hand: ${lineOf(record, record.value)}`]),
  ]
}

function lineOf({ type, name }: WrittenRecord, value: string): string {
  return `${type} ${name} ${value}`
}

/** Labels made of type, purpose and name, each once. */
function uniqueNames(): (unit: Unit) => string {
  const taken = new Set<string>()
  return ({ changes: [{ type, purpose, name }] }) => {
    const words = [...new Set([type.toLowerCase(), purpose]), name.toLowerCase()]
    const label = words
      .join('_')
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/_$/, '')
    let unique = label
    for (let count = 2; taken.has(unique); count += 1) unique = `${label}_${count}`
    taken.add(unique)
    return unique
  }
}
