/** Test zones with messages: senders inside and outside what the records authorize. */
import {
  addressLabels,
  type IpAddress,
  parseIpAddress,
  rangeAround,
  reverseName,
  unmapIpAddress,
} from '../../../src/checks/ip-address.js'
import { expandSpec } from './macro-expansion.js'
import { explanationText, publishMatching, randomIpv4, randomIpv6 } from './matching-terms.js'
import type { TestMessage } from './spf-evaluators.js'
import { createRandomTestZone, TEST_DOMAINS } from './spf-test-zone.js'
import { publishTxt } from './valid-terms.js'
import { createWeightedRandom, type WeightedRandom } from './weighted-random.js'
import type { ZoneData, ZoneRow } from './zone-data.js'
import { addRow, createZoneDraft, isDnsName, SHARED_HOSTS, type ZoneDraft } from './zone-draft.js'

export interface MessageTestZone {
  /** Null when written by hand. */
  readonly seed: number | null
  readonly zone: ZoneData
  readonly failing: readonly string[]
  readonly messages: readonly TestMessage[]
}

const LOCAL_PARTS = [
  'someone',
  'first.last',
  'ann+news',
  'bounce-42-x',
  'a.b-c+d_e=f',
  'Mixed.Case',
  'trailing-',
  '-leading',
  'two--dashes',
  'x/y',
  "o'neil",
  '100%',
  'l'.repeat(64),
  '',
]

export function createMessageTestZone(seed: number, messageCount: number): MessageTestZone {
  const random = createWeightedRandom(seed)
  const isMatching = random.chance(0.7)
  const { domain, zone: rows } = isMatching
    ? { domain: random.pick(TEST_DOMAINS), zone: SHARED_HOSTS }
    : createRandomTestZone(seed)
  const draft = createZoneDraft(random, domain)
  addAllRows(draft, rows)
  if (isMatching && random.chance(0.96)) publishMatching(draft, domain)
  const messages = Array.from({ length: messageCount }, () => createMessage(draft, domain))
  for (const { ip } of messages) addReverseZone(draft, toClient(ip))
  for (const message of messages) addMessageNames(draft, message)
  const zone = Object.fromEntries(draft.zone)
  return { seed, zone, failing: random.chance(0.25) ? failingQueries(random, zone) : [], messages }
}

function addAllRows(draft: ZoneDraft, zone: ZoneData): void {
  for (const [owner, rows] of Object.entries(zone)) draft.zone.set(owner, [...rows])
}

function toClient(ip: string): IpAddress {
  const address = parseIpAddress(ip)
  if (!address) throw new Error(`not an address: ${ip}`)
  return unmapIpAddress(address)
}

function createMessage(draft: ZoneDraft, domain: string): TestMessage {
  const { random } = draft
  const hosts = [...draft.zone.keys()].filter((name) => /^[\w.-]+$/.test(name))
  const helo = random.weighted<() => string>([
    [3, () => 'helo.sender.test'],
    [1, () => domain],
    [1, () => random.pick(hosts)],
    [1, () => 'Mail.Example.TEST'],
    [0.5, () => '[192.0.2.1]'],
    [0.5, () => 'localhost'],
  ])()
  return { ip: senderAddress(draft), sender: `${random.pick(LOCAL_PARTS)}@${domain}`, helo }
}

/** An address from the zone, at the edge of a range in a record, next to one of these, or any. */
function senderAddress(draft: ZoneDraft): string {
  const { random } = draft
  const rows = [...draft.zone.values()].flat()
  const ranges = rows.flatMap((row) => (row[0] === 'TXT' ? rangesIn(row[1].join('')) : []))
  const hosts = rows.flatMap((row) => {
    const address = row[0] === 'A' || row[0] === 'AAAA' ? parseIpAddress(row[1]) : null
    return address ? [address] : []
  })
  const any = () => parseIpAddress(random.chance(0.5) ? randomIpv4(random) : randomIpv6(random))
  const address = random.weighted<() => IpAddress | null>([
    [4, () => random.pick(hosts)],
    [2, () => neighbor(random, random.pick(hosts))],
    [ranges.length > 0 ? 4 : 0, () => random.pick(ranges.length > 0 ? ranges : hosts)],
    [2, any],
  ])()
  if (!address) throw new Error('no address')
  return addressText(address, random.chance(0.1))
}

/** First and last address of each range, and those just outside. */
function rangesIn(text: string): IpAddress[] {
  return [...text.matchAll(/ip[46]:([\da-f.:]+?)(?:\/(\d{1,3}))?(?= |$)/gi)].flatMap(
    ([, network = '', length]) => {
      const address = parseIpAddress(network)
      if (!address) return []
      const bits = address.family === 'ipv4' ? 32 : 128
      const prefix = Number(length ?? bits)
      if (prefix > bits) return []
      const { first, last } = rangeAround(address, prefix)
      return [first, last, first - 1n, last + 1n]
        .filter((value) => value >= 0n && value < 1n << BigInt(bits))
        .map((value) => ({ family: address.family, value }))
    },
  )
}

/** In the same network of a usual size, or just outside. */
function neighbor(random: WeightedRandom, { family, value }: IpAddress): IpAddress {
  const bit = BigInt(random.pick(family === 'ipv4' ? [0, 1, 3, 7, 8] : [0, 7, 15, 63, 64, 79]))
  return { family, value: value ^ (1n << bit) }
}

function addressText(address: IpAddress, isMapped: boolean): string {
  const labels = addressLabels(address)
  if (address.family === 'ipv4') return `${isMapped ? '::ffff:' : ''}${labels.join('.')}`
  return labels.join('').match(/.{4}/g)?.join(':') ?? ''
}

/** PTR records: none, one that leads back to the address or not, or more than receivers read. */
function addReverseZone(draft: ZoneDraft, client: IpAddress): void {
  const { random, origin } = draft
  const owner = reverseName(client)
  if (draft.zone.has(owner) || random.chance(0.3)) return
  const count = random.weighted([
    [3, 1],
    [4, 2],
    [2, 4],
    [1, 12],
  ])
  const names = new Set<string>()
  for (let index = 0; index < count; index += 1) {
    names.add(
      random.weighted<() => string>([
        [2, () => 'mail.sender.test'],
        [2, () => origin],
        [2, () => `mail.${origin}`],
        [1, () => `${draft.nextLabel().replace('+', '')}.sender.test`],
        [1, () => `${draft.nextLabel().replace('+', '')}.hosts.test`],
        [count > 10 ? 30 : 0, () => `host-${index}.many.test`],
      ])(),
    )
  }
  for (const name of names) {
    addRow(draft, owner, ['PTR', name])
    const hasCname = draft.zone.get(name)?.some(([type]) => type === 'CNAME')
    // Of many names, most exist, so the limit of void lookups is not always reached.
    const kind = random.weighted([
      [5, 'valid'],
      [3, 'other address'],
      [count > 10 ? 0.2 : 1, 'missing'],
    ])
    if (kind === 'missing' || hasCname) continue
    addRow(draft, name, addressRow(kind === 'valid' ? client : otherAddress(client)))
  }
}

function addressRow(address: IpAddress): ZoneRow {
  return [address.family === 'ipv4' ? 'A' : 'AAAA', addressText(address, false)]
}

function otherAddress({ family, value }: IpAddress): IpAddress {
  return { family, value: value ^ 0x55n }
}

/** Publishes something at names that depend on this message, for some of the terms. */
function addMessageNames(draft: ZoneDraft, message: TestMessage): void {
  const { random } = draft
  const aliases = new Map(
    [...draft.zone].flatMap(([owner, rows]) =>
      rows.flatMap((row) => (row[0] === 'CNAME' ? [[row[1], owner] as const] : [])),
    ),
  )
  for (const [owner, rows] of [...draft.zone]) {
    const texts = rows.flatMap((row) => (row[0] === 'TXT' ? [row[1].join('')] : []))
    for (const text of texts.filter((one) => /^v=spf1 /i.test(one))) {
      for (const term of text.split(' ').filter((one) => one.includes('%{'))) {
        const [, kind = '', spec = ''] = /^[+?~-]?([a-z]+)[:=](.*?)(?:\/.*)?$/i.exec(term) ?? []
        const values = macroValues(draft, message, aliases.get(owner) ?? owner)
        const name = expandSpec(spec, values)
        if (name && isDnsName(name) && !draft.zone.has(name) && random.chance(0.6)) {
          addTarget(draft, name, kind.toLowerCase(), toClient(message.ip))
        }
      }
    }
  }
}

function addTarget(draft: ZoneDraft, name: string, kind: string, client: IpAddress): void {
  const { random } = draft
  const address = addressRow(random.chance(0.7) ? client : otherAddress(client))
  if (kind === 'exists') addRow(draft, name, ['A', '127.0.0.2'])
  if (kind === 'a') addRow(draft, name, address)
  if (kind === 'mx') {
    const host = `${draft.nextLabel().replace('+', '')}.mx.test`
    addRow(draft, host, address)
    addRow(draft, name, ['MX', [10, host]])
  }
  if (kind === 'include' || kind === 'redirect') {
    const own = `${client.family === 'ipv4' ? 'ip4' : 'ip6'}:${addressText(client, false)}`
    const terms = random.pick([own, `-${own}`, `~all`, `a:both.hosts.test ${own} -all`, '?all'])
    addRow(draft, name, ['TXT', [`v=spf1 ${terms}`]])
  }
  if (kind === 'exp') publishTxt(draft, name, explanationText(random))
}

/** §7.2: the values for this message in the record of `owner`. */
function macroValues(
  draft: ZoneDraft,
  { ip, sender, helo }: TestMessage,
  owner: string,
): Record<string, string> {
  const client = toClient(ip)
  const at = sender.lastIndexOf('@')
  const local = sender.slice(0, at) || 'postmaster'
  const domain = sender.slice(at + 1)
  return {
    s: `${local}@${domain}`,
    l: local,
    o: domain,
    d: owner,
    i: addressLabels(client).join('.'),
    p: validatedName(draft, client, owner),
    v: client.family === 'ipv4' ? 'in-addr' : 'ip6',
    h: helo,
  }
}

/** §5.5, §7.3. */
function validatedName({ zone }: ZoneDraft, client: IpAddress, owner: string): string {
  const names = (zone.get(reverseName(client)) ?? []).slice(0, 10).flatMap((row) => {
    const name = row[0] === 'PTR' ? row[1] : ''
    const isValid = zone.get(name)?.some(([type, data]) => {
      const address = type === 'A' || type === 'AAAA' ? parseIpAddress(data) : null
      return address?.value === client.value && address.family === client.family
    })
    return isValid ? [name] : []
  })
  const below = names.find((name) => name.endsWith(`.${owner}`))
  return names.find((name) => name === owner) ?? below ?? names[0] ?? 'unknown'
}

function failingQueries(random: WeightedRandom, zone: ZoneData): string[] {
  const owners = Object.keys(zone).filter((owner) => /^[\w.-]+$/.test(owner))
  return Array.from({ length: random.int(1, 4) }, () => {
    const owner = random.pick(owners)
    const types = (zone[owner] ?? []).map(([type]) => type).filter((type) => type !== 'CNAME')
    return `${random.pick([...types, 'A', 'AAAA', 'TXT'])} ${owner}`
  })
}
