/** Terms and records that match some of the messages of a zone. */
import { includeNewName, publishTerms, type TermGenerator } from './publish-record.js'
import { lookupFreeTerm, publishTxt, voidTerm } from './valid-terms.js'
import type { WeightedRandom } from './weighted-random.js'
import {
  addMxRecords,
  addRow,
  DYNAMIC_SPECS,
  inventName,
  isDnsName,
  type ZoneDraft,
} from './zone-draft.js'

/** Names that depend on the message, besides those for a static check. */
const MESSAGE_SPECS = [
  ...DYNAMIC_SPECS,
  '%{l}.user.%{d}',
  '%{l-}.user.%{d}',
  '%{lr+-}.user.%{d2}',
  '%{l2.}.user.%{o}',
  '%{L}.user.%{d}',
  '%{S}.mail.%{o}',
  '%{s1r}.mail.%{d}',
  '%{lr-}.lp.%{ir}.%{v}.%{d2}',
  '%{i2}.net.%{d}',
  '%{i1r}.net.%{d}',
  '%{iR}.%{V}.net.%{d}',
  '%{h}',
  'mail.%{h2}',
  '%{H}.helo.%{d}',
  '%{p}',
  '%{p}.ptr.%{d}',
  '%{pr}.ptr.%{o}',
  '%{p1r}.ptr.%{d}',
  '%{P}.ptr.%{o}',
] as const

/** Few networks, so senders are often inside or next to one. */
export function randomIpv4(random: WeightedRandom): string {
  return `${random.pick(['192.0.2', '198.51.100', '10.20.30'])}.${random.int(0, 255)}`
}

export function randomIpv6(random: WeightedRandom): string {
  return `2001:db8:${random.int(1, 3)}::${random.int(0, 0xffff).toString(16)}`
}

/** A record whose terms match some senders, and records that it includes. */
export function publishMatching(draft: ZoneDraft, owner: string, depth = 0): void {
  const { random } = draft
  const makers: TermGenerator[] = Array.from({ length: random.int(1, 5) }, () =>
    random.weighted<TermGenerator>([
      [3, networkTerm],
      [3, hostTerm],
      [3, mailServersTerm],
      [3, dynamicTerm],
      [2, ptrTerm],
      [1, ({ random: choice }) => choice.pick(['a', 'mx', 'a/24', 'mx/28//64', 'ptr'])],
      [0.4, voidTerm],
      [0.4, lookupFreeTerm],
      [
        depth < 3 ? 3 : 0,
        (_, from) => includeNewName(draft, from, (name) => publishMatching(draft, name, depth + 1)),
      ],
    ]),
  )
  if (random.chance(depth === 0 ? 0.7 : 0.2)) makers.push(explanationTerm)
  publishTerms(draft, owner, makers)
}

function networkTerm({ random }: ZoneDraft): string {
  return random.chance(0.5)
    ? `ip4:${randomIpv4(random)}${prefix(random, '/', [0, 8, 23, 24, 25, 28, 30, 31, 32])}`
    : `ip6:${randomIpv6(random)}${prefix(random, '/', [0, 16, 47, 48, 64, 112, 120, 127, 128])}`
}

function prefix(random: WeightedRandom, slashes: string, lengths: readonly number[]): string {
  return random.chance(0.6) ? `${slashes}${random.pick(lengths)}` : ''
}

function bothPrefixes(random: WeightedRandom): string {
  if (random.chance(0.5)) return ''
  return prefix(random, '/', [0, 24, 28, 31, 32]) + prefix(random, '//', [0, 48, 64, 120, 128])
}

function hostTerm(draft: ZoneDraft, owner: string): string {
  const { spec, name } = inventName(draft, owner)
  addRandomAddresses(draft, name)
  return draft.random.chance(0.1) ? `exists:${spec}` : `a:${spec}${bothPrefixes(draft.random)}`
}

function mailServersTerm(draft: ZoneDraft, owner: string): string {
  const { random } = draft
  const { spec, name } = inventName(draft, owner)
  const exchanges = Array.from({ length: random.int(1, random.chance(0.05) ? 12 : 4) }, () => {
    const host = `${draft.nextLabel().replace('+', '')}.hosts.test`
    if (random.chance(0.9)) addRandomAddresses(draft, host)
    return host
  })
  addMxRecords(draft, name, exchanges)
  return `mx:${spec}${bothPrefixes(random)}`
}

function addRandomAddresses(draft: ZoneDraft, name: string): void {
  const { random } = draft
  if (!isDnsName(name) || draft.zone.has(name)) return
  for (let count = random.int(0, 2); count > 0; count -= 1) {
    addRow(draft, name, ['A', randomIpv4(random)])
  }
  for (let count = random.int(0, 2); count > 0; count -= 1) {
    addRow(draft, name, ['AAAA', randomIpv6(random)])
  }
}

function dynamicTerm({ random }: ZoneDraft): string {
  const mechanism = random.weighted([
    [4, 'exists'],
    [2, 'a'],
    [1, 'mx'],
    [1, 'include'],
    [0.5, 'ptr'],
  ])
  return `${mechanism}:${random.pick(MESSAGE_SPECS)}`
}

function ptrTerm({ random, origin }: ZoneDraft): string {
  return random.pick([
    'ptr',
    'ptr:%{d}',
    `ptr:${origin}`,
    'ptr:hosts.test',
    'ptr:%{o2}',
    'ptr:sender.test',
    'ptr:%{d1r}.hosts.test',
  ])
}

const EXPLANATIONS = [
  'Not allowed.',
  'See http://%{d}/why?s=%{S}&ip=%{I}&r=%{r}',
  "%{i} is not one of %{d}'s mail servers",
  '%{c} (%{v}) %{h} %{p} %{t} %{l1r-} %{o}',
  '%{C} %{ir} %{d2r} %{L} %{l-} %{lR+.} %{s} 100%%',
  'a%_b%-c',
  'broken %{x}',
  'broken %',
  '%{d0}',
  'tab\there',
  'caf\xe9',
  `${'long '.repeat(60)}. The end of %{d}.`,
]

/** The text that an explanation may have. */
export function explanationText(random: WeightedRandom): string {
  return random.pick(EXPLANATIONS)
}

function explanationTerm(draft: ZoneDraft, owner: string): string {
  const { random } = draft
  if (random.chance(0.15)) return `exp=${random.pick(MESSAGE_SPECS)}`
  const { spec, name } = inventName(draft, owner)
  if (isDnsName(name) && !draft.zone.has(name)) {
    for (let count = random.chance(0.05) ? 2 : 1; count > 0; count -= 1) {
      publishTxt(draft, name, explanationText(random))
    }
  }
  return `exp=${spec}`
}
