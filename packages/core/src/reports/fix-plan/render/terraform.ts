/** The records to create or replace as resources of the DNS host's Terraform provider. */

import type { Zone } from '../planned-record.js'
import {
  isChange,
  nameRelativeToZone,
  type PanelRecord,
  recordsInSet,
  removedValues,
  valuesAfterStep,
} from './panel-record.js'
import { RECORD_PROVIDERS, RECORD_SET_PROVIDERS } from './terraform-hosts.js'
import { hclResource, hclVariable, type TerraformProvider } from './terraform-provider.js'
import { formatComment, placeholderNotes } from './zone-file.js'

/** Null for a host whose provider we do not know well enough. */
export function formatTerraform(
  records: readonly PanelRecord[],
  zone: Zone,
  hostId: string,
): string | null {
  const changes = records.filter(isChange)
  const [ofRecords, ofSets] = [RECORD_PROVIDERS[hostId], RECORD_SET_PROVIDERS[hostId]]
  if (ofRecords) return written(ofRecords, changes.map(alone), zone)
  return ofSets ? written(ofSets, inSets(changes, records), zone) : null
}

/** What becomes one resource: its records with something to do, and its values in the end. */
interface Unit {
  readonly changes: readonly [PanelRecord, ...PanelRecord[]]
  readonly values: readonly string[]
  /** What to do about that which is there today, and which Terraform knows nothing of. */
  readonly toImport: string | null
}

function alone(record: PanelRecord): Unit {
  const toImport =
    'It takes the place of a record: `terraform import` that one, or delete it by hand, before you apply.'
  return {
    changes: [record],
    values: record.action === 'delete' ? [] : [record.value],
    toImport: record.replaces.length > 0 ? toImport : null,
  }
}

function inSets(changes: readonly PanelRecord[], records: readonly PanelRecord[]): Unit[] {
  const firsts = changes.filter((record) => recordsInSet(record, changes)[0] === record)
  return firsts.map((first) => {
    const set = recordsInSet(first, records)
    const toImport = 'The set is there already: `terraform import` it before you apply.'
    const [, ...others] = recordsInSet(first, changes)
    return {
      changes: [first, ...others],
      values: valuesAfterStep(set, Number.POSITIVE_INFINITY),
      toImport: valuesAfterStep(set, 0).length > 0 ? toImport : null,
    }
  })
}

function written(provider: TerraformProvider, units: readonly Unit[], zone: Zone): string {
  const nameOf = uniqueNames()
  const isNeeded = units.some(isResource)
  const variables = Object.entries(isNeeded ? provider.variables : {})
  const parts = units.map((unit) =>
    [
      ...notes(unit).map((note) => formatComment('#', note)),
      ...(isResource(unit) ? [resourceOf(unit, provider, zone, nameOf(unit))] : []),
    ].join('\n'),
  )
  return `${[
    formatComment('#', `Provider: ${provider.source}`),
    ...variables.map(([name, description]) => hclVariable(name, description)),
    ...(parts.length > 0 ? parts : [formatComment('#', 'Nothing has to change.')]),
  ].join('\n\n')}\n`
}

/** Nothing is written that would not be complete. */
function isResource({ changes, values }: Unit): boolean {
  return values.length > 0 && changes.every((record) => !record.isInOtherZone && isComplete(record))
}

function isComplete({ action, placeholders }: PanelRecord): boolean {
  return action === 'delete' || placeholders.length === 0
}

function resourceOf(unit: Unit, provider: TerraformProvider, zone: Zone, label: string): string {
  const [{ type, name, ttl }] = unit.changes
  const relativeName = nameRelativeToZone(name, zone) ?? name
  const data = { type, name, relativeName, zone: zone.apex, ttl, values: unit.values }
  return hclResource(provider.resourceType(type), label, provider.body(data))
}

function notes(unit: Unit): string[] {
  if (!isResource(unit)) return unit.changes.flatMap(byHand)
  const gone = unit.changes.flatMap((record) =>
    removedValues(record).map((old) => `Goes with it: ${lineOf(record, old)}`),
  )
  return unit.toImport === null ? gone : [...gone, unit.toImport]
}

function byHand(record: PanelRecord): string[] {
  return [
    ...(record.isInOtherZone ? ['In the zone of somebody else:'] : []),
    ...placeholderNotes(record),
    ...removedValues(record).map((old) => `Delete by hand: ${lineOf(record, old)}`),
    ...(record.action === 'delete' ? [] : [`Publish by hand: ${lineOf(record, record.value)}`]),
  ]
}

function lineOf({ type, name }: PanelRecord, value: string): string {
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
