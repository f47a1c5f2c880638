/** A test zone under construction: names, their records, and ways to write them in SPF. */
import { expandStaticSpec } from './macro-expansion.js'
import type { WeightedRandom } from './weighted-random.js'
import type { ZoneData, ZoneRow } from './zone-data.js'

/** The addresses of a host: both families, one, via a CNAME, or none. */
export type HostKind = 'both' | 'v4' | 'v6' | 'alias' | 'text' | 'dangling' | 'nothing'

export interface ZoneDraft {
  readonly random: WeightedRandom
  readonly origin: string
  readonly zone: Map<string, ZoneRow[]>
  /** Names that have a record, for including them again. */
  readonly recordNames: string[]
  /** An unused label. */
  nextLabel(): string
}

export function createZoneDraft(random: WeightedRandom, origin: string): ZoneDraft {
  let count = 0
  const freshLabel = () => {
    count += 1
    return `n${random.weighted([
      [8, ''],
      [1, '-'],
      [1, '_'],
      [0.3, '+'],
    ])}${count}`
  }
  return { random, origin, zone: new Map(), recordNames: [], nextLabel: freshLabel }
}

/** Host names that every zone has. */
export const SHARED_HOSTS: ZoneData = {
  'both.hosts.test': [
    ['A', '192.0.2.1'],
    ['AAAA', '2001:db8::1'],
  ],
  'v4.hosts.test': [['A', '192.0.2.2']],
  'v6.hosts.test': [['AAAA', '2001:db8::2']],
  'text.hosts.test': [['TXT', ['no address here']]],
  'alias.hosts.test': [['CNAME', 'both.hosts.test']],
  'dangling.hosts.test': [['CNAME', 'nothing.hosts.test']],
}

export function addRow(draft: ZoneDraft, name: string, row: ZoneRow): void {
  draft.zone.set(name, [...(draft.zone.get(name) ?? []), row])
}

/** Gives a name its addresses, or none, unless it already has records. */
export function addHost(draft: ZoneDraft, name: string, presence: HostKind): void {
  if (!isDnsName(name) || draft.zone.has(name) || presence === 'nothing') return
  if (presence === 'alias' || presence === 'dangling') {
    addRow(draft, name, ['CNAME', `${presence}.hosts.test`])
  } else addAddresses(draft, name, presence)
}

export function addAddresses(draft: ZoneDraft, name: string, presence: HostKind): void {
  for (const row of SHARED_HOSTS[`${presence}.hosts.test`] ?? []) addRow(draft, name, row)
}

export function addMxRecords(draft: ZoneDraft, name: string, exchanges: readonly string[]): void {
  if (!isDnsName(name) || draft.zone.get(name)?.some(([type]) => /MX|CNAME/.test(type))) return
  for (const [preference, exchange] of exchanges.entries()) {
    addRow(draft, name, ['MX', [preference, exchange]])
  }
}

export function isDnsName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63)
}

export interface SpelledName {
  readonly spec: string
  readonly name: string
}

/** `~` is replaced with an unused label. */
const SPELLINGS = [
  '~.%{d}',
  '~.%{o}',
  '~.%{d2}',
  '~.%{D}',
  '~.%{O2}',
  '%{d1r}.~.hosts.test',
  '%{dr}.~.hosts.test',
  '%{dR}.~.hosts.test',
  '%{o02}.~.hosts.test',
  '%{d128}.~.hosts.test',
  '%{d-}.~.hosts.test',
  '%{d2r-_}.~.hosts.test',
  '%{o-/-+}.~.hosts.test',
  '%{d_=+,/-.}.~.hosts.test',
  '%{o}%{d1}.~.hosts.test',
  '~%%.hosts.test',
  '~%_x.hosts.test',
  '~%-x.hosts.test',
  '~:x/y.hosts.test',
  '~\\x.hosts.test',
  '~"(;)@.hosts.test',
  `${'l'.repeat(63)}.~.hosts.test`,
  `${`${'l'.repeat(50)}.`.repeat(6)}~.hosts.test`,
] as const

/** A new name, and how the record at `owner` may refer to it. */
export function inventName(draft: ZoneDraft, owner: string): SpelledName {
  const { random, origin } = draft
  const form = random.chance(0.6) ? '~.hosts.test' : random.pick(SPELLINGS)
  const spec = form.replace('~', draft.nextLabel())
  const name = expandStaticSpec(spec, { owner, origin })
  if (name === null) throw new Error(`${spec} is not static`)
  return { spec: random.chance(0.05) && !spec.endsWith('}') ? `${spec}.` : spec, name }
}

/** Names that depend on the sender; evaluators recognize the label `_dyn`. */
export const DYNAMIC_SPECS = [
  '%{i}._dyn.hosts.test',
  '%{ir}.%{v}._dyn.%{d}',
  '%{l}._dyn.%{o}',
  '%{s}._dyn.hosts.test',
  '%{l1r+-}.%{d2}._dyn.hosts.test',
  '_dyn.%{h}',
  '_dyn.%{p2}',
  '%{I}._dyn.hosts.test',
] as const
