/** Formats the changed records as resources of the DNS host's Terraform provider. */

import { DNS_HOSTS } from '../../../catalog/dns-hosts.js'
import { MAX_TXT_OCTETS } from '../../../checks/txt-records.js'
import { hasOddOctets, quoteStrings, toOctets } from '../../record-data.js'
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
import { conditionNotes, formatComment, placeholderNotes } from './zone-file.js'

/** Of a value that is not written, enough to recognize it. */
const MAX_SHOWN = 100

/** The names of the DNS hosts that there is Terraform code for. */
export const TERRAFORM_HOST_NAMES: readonly string[] = DNS_HOSTS.filter(
  ({ id }) => id in RECORD_PROVIDERS || id in RECORD_SET_PROVIDERS,
).map(({ name }) => name)

/** Null for a DNS host without a supported provider. */
export function formatTerraform(
  records: readonly PanelRecord[],
  zone: Zone,
  hostId: string,
): string | null {
  const changes = records.filter(isChange)
  const recordProvider = RECORD_PROVIDERS[hostId]
  if (recordProvider) return formatFile(recordProvider, changes.map(singleUnit), zone)
  const setProvider = RECORD_SET_PROVIDERS[hostId]
  return setProvider ? formatFile(setProvider, setUnits(changes, records), zone) : null
}

/** One resource: its changed records, and its values after the plan. */
interface ResourceUnit {
  readonly changes: readonly [PanelRecord, ...PanelRecord[]]
  readonly values: readonly string[]
  /** How to import records that exist outside Terraform today. */
  readonly toImport: string | null
}

function singleUnit(record: PanelRecord): ResourceUnit {
  const toImport =
    record.replaces.length > 1
      ? 'Before you apply, import one of the existing records with `terraform import` and delete the others by hand.'
      : 'Before you apply, import the existing record with `terraform import`, or delete it by hand.'
  return {
    changes: [record],
    values: record.action === 'delete' ? [] : [record.value],
    toImport: record.replaces.length > 0 ? toImport : null,
  }
}

function setUnits(
  changes: readonly PanelRecord[],
  records: readonly PanelRecord[],
): ResourceUnit[] {
  const firsts = changes.filter((record) => recordsInSet(record, changes)[0] === record)
  return firsts.map((first) => {
    const set = recordsInSet(first, records)
    const toImport = 'Before you apply, import the existing set with `terraform import`.'
    const [, ...others] = recordsInSet(first, changes)
    return {
      changes: [first, ...others],
      values: valuesAfterStep(set, Number.POSITIVE_INFINITY),
      toImport: valuesAfterStep(set, 0).length > 0 ? toImport : null,
    }
  })
}

function formatFile(
  provider: TerraformProvider,
  units: readonly ResourceUnit[],
  zone: Zone,
): string {
  const nextLabel = createLabels()
  const isWritten = (unit: ResourceUnit) =>
    isResource(unit) && findChangedValue(unit, provider) === undefined
  const variables = Object.entries((units.some(isWritten) && provider.variables) || {})
  const parts = units.map((unit) =>
    [
      ...describeUnit(unit, provider).map((note) => formatComment('#', note)),
      ...(isWritten(unit) ? [formatResource(unit, provider, zone, nextLabel(unit))] : []),
    ].join('\n'),
  )
  return `${[
    formatComment('#', `Provider: ${provider.source}`),
    ...variables.map(([name, description]) => hclVariable(name, description)),
    ...(parts.length > 0 ? parts : [formatComment('#', 'Nothing to change.')]),
  ].join('\n\n')}\n`
}

/** Incomplete resources become comments. */
function isResource({ changes, values }: ResourceUnit): boolean {
  return values.length > 0 && changes.every((record) => !record.isInOtherZone && isComplete(record))
}

function isComplete({ action, placeholders }: PanelRecord): boolean {
  return action === 'delete' || placeholders.length === 0
}

/** A value that Terraform cannot write as it is: its strings are Unicode in normal form C. */
function findChangedValue(
  { values, changes: [{ type }] }: ResourceUnit,
  { txt }: TerraformProvider,
): string | undefined {
  if (type !== 'TXT') return undefined
  const isChanged = (value: string) =>
    toOctets(value).length > MAX_TXT_OCTETS ||
    (!txt && (hasOddOctets(value) || value.normalize('NFC') !== value))
  return values.find(isChanged)
}

function formatResource(
  unit: ResourceUnit,
  provider: TerraformProvider,
  zone: Zone,
  label: string,
): string {
  const [{ type, name, ttl }] = unit.changes
  const relativeName = nameRelativeToZone(name, zone) ?? name
  const record = { type, name, relativeName, zone: zone.apex, ttl, values: unit.values }
  return hclResource(provider, label, record)
}

function describeUnit(unit: ResourceUnit, provider: TerraformProvider): string[] {
  if (!isResource(unit)) return unit.changes.flatMap(manualNotes)
  const changed = findChangedValue(unit, provider)
  if (changed !== undefined) {
    const reason = `Change this by hand, because Terraform can’t write an existing value at this name exactly as it is: ${quoteStrings([changed.slice(0, MAX_SHOWN)])}`
    return [reason, ...unit.changes.flatMap(manualNotes)]
  }
  const notes = unit.changes.flatMap((record) => [
    ...conditionNotes(record),
    ...removedValues(record).map((old) => `Replaces: ${describeRecordLine(record, old)}`),
  ])
  return unit.toImport === null ? notes : [...notes, unit.toImport]
}

function manualNotes(record: PanelRecord): string[] {
  return [
    ...(record.isInOtherZone ? ['In someone else’s zone:'] : []),
    ...conditionNotes(record),
    ...placeholderNotes(record),
    ...removedValues(record).map((old) => `Delete by hand: ${describeRecordLine(record, old)}`),
    ...(record.action === 'delete'
      ? []
      : [`Publish by hand: ${describeRecordLine(record, record.value)}`]),
  ]
}

function describeRecordLine({ type, name }: PanelRecord, value: string): string {
  return `${type} ${name} ${hasOddOctets(value) ? quoteStrings([value]) : value}`
}

/** Unique resource labels from type, purpose and name. */
function createLabels(): (unit: ResourceUnit) => string {
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
