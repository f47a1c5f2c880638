/** Valid terms, by their lookup cost. */
import {
  addHost,
  addMxRecords,
  addRow,
  DYNAMIC_SPECS,
  type HostKind,
  inventName,
  type ZoneDraft,
} from './zone-draft.js'

/** A lookup that finds addresses of both families, none of them the sender's. */
export function resolvingTerm(draft: ZoneDraft, owner: string): string {
  const { random } = draft
  return random.weighted<() => string>([
    [3, () => hostTerm(draft, owner, random.pick(['both', 'alias']))],
    [3, () => mxTerm(draft, owner, random.chance(0.1) ? 10 : random.int(1, 4), ['both', 'alias'])],
    [1, () => random.pick(['a', 'mx', 'a', 'mx', 'a/24', 'mx//64'])],
    [1, () => random.pick(['ptr', 'ptr:hosts.test', 'ptr:%{d}', `ptr:${dynamicSpec(draft)}`])],
    [1, () => `${random.pick(['exists', 'a', 'mx', 'include'])}:${dynamicSpec(draft)}`],
    [0.2, () => manyMxTerm(draft, owner)],
    [0.2, () => `exists:${spellHost(draft, owner, 'both')}`],
    [0.2, () => `mx:${spellMx(draft, owner, ['.'])}`],
  ])()
}

/** A lookup that is void for IPv4 senders, IPv6 senders, or both. */
export function voidTerm(draft: ZoneDraft, owner: string): string {
  const { random } = draft
  const absence = () =>
    random.pick<HostKind>(['nothing', 'text', 'dangling', 'nothing', 'v4', 'v6'])
  return random.weighted<() => string>([
    [3, () => hostTerm(draft, owner, absence())],
    [1, () => `exists:${spellHost(draft, owner, random.pick(['nothing', 'text', 'v6']))}`],
    [1, () => `mx:${spellHost(draft, owner, random.pick(['nothing', 'both', 'dangling']))}`],
    [2, () => mxTerm(draft, owner, random.int(1, 3), ['both', 'v4', 'v6', absence()])],
  ])()
}

export function lookupFreeTerm({ random }: ZoneDraft): string {
  const octet = () => random.int(1, 200)
  return random.weighted<() => string>([
    [3, () => `ip4:10.${octet()}.${octet()}.${octet()}`],
    [2, () => `ip4:10.${octet()}.0.0/${random.int(8, 32)}`],
    [2, () => `ip6:2001:db8:${octet()}::/${random.int(32, 128)}`],
    [0.2, () => random.pick(['ip4:0.0.0.0/0', 'ip6:::/0', 'ip4:192.0.2.1/1'])],
    [
      1,
      () => `${random.pick(['foo', 'x-y', 'Ra', 'foo'])}=${random.pick(['', 'x', '%{d}', '%%x'])}`,
    ],
    [
      0.3,
      () =>
        `exp=${random.pick(['text.hosts.test', 'nothing.hosts.test', 'x.%{d}', '%{i}._dyn.test'])}`,
    ],
  ])()
}

/** Every `mx` may name different hosts, but only a few, to stay within our query limit. */
function mxTerm(
  draft: ZoneDraft,
  owner: string,
  count: number,
  presences: readonly HostKind[],
): string {
  const { random } = draft
  const exchanges = Array.from({ length: count }, () => `${random.pick(presences)}.hosts.test`)
  return `mx:${spellMx(draft, owner, exchanges)}${prefix(draft)}`
}

export function manyMxTerm(draft: ZoneDraft, owner: string): string {
  return mxTerm(draft, owner, draft.random.int(9, 12), ['both'])
}

function hostTerm(draft: ZoneDraft, owner: string, presence: HostKind): string {
  return `a:${spellHost(draft, owner, presence)}${prefix(draft)}`
}

function prefix({ random }: ZoneDraft): string {
  return random.chance(0.2) ? random.pick(['/24', '//64', '/24//64', '/32//128']) : ''
}

function spellHost(draft: ZoneDraft, owner: string, presence: HostKind): string {
  if (draft.random.chance(0.4)) return `${presence}.hosts.test`
  const { spec, name } = inventName(draft, owner)
  addHost(draft, name, presence)
  return spec
}

function spellMx(draft: ZoneDraft, owner: string, exchanges: readonly string[]): string {
  const { spec, name } = inventName(draft, owner)
  addMxRecords(draft, name, exchanges)
  return spec
}

function dynamicSpec({ random }: ZoneDraft): string {
  return random.pick(DYNAMIC_SPECS)
}

/** A TXT record, split into strings at random places; some may be empty. */
export function publishTxt(draft: ZoneDraft, name: string, text: string): void {
  const { random } = draft
  const strings: string[] = []
  let rest = text
  while (rest.length > 255 || (rest.length > 0 && random.chance(0.2))) {
    const cut = random.int(0, Math.min(rest.length, 255))
    strings.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  addRow(draft, name, ['TXT', [...strings, rest]])
}
