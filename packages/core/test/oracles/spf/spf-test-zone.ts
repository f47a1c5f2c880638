/** Test zones: a domain, usually with an SPF record, and everything it leads to. */

import { publishMultiple } from './publish-record.js'
import {
  publishCostly,
  publishFlat,
  publishTree,
  publishTxtMix,
  publishVoid,
} from './record-shapes.js'
import { createWeightedRandom } from './weighted-random.js'
import type { ZoneData, ZoneRow } from './zone-data.js'
import { createZoneDraft, SHARED_HOSTS, type ZoneDraft } from './zone-draft.js'

export interface SpfTestZone {
  /** Null when written by hand. */
  readonly seed: number | null
  readonly domain: string
  readonly zone: ZoneData
}

/**
 * Two senders that no address and hardly any range in a zone covers, so whole records are evaluated,
 * as in a static check. They have names, so `ptr` finds something.
 */
export const TEST_SENDERS = {
  ipv4: { ip: '203.0.113.77', helo: 'helo.sender.test' },
  ipv6: { ip: 'fd00::77', helo: 'helo.sender.test' },
} as const

const REVERSE: ZoneData = {
  '77.113.0.203.in-addr.arpa': [['PTR', 'mail.sender.test']],
  [`7.7.${'0.'.repeat(28)}d.f.ip6.arpa`]: [['PTR', 'mail.sender.test']],
  'mail.sender.test': [
    ['A', TEST_SENDERS.ipv4.ip],
    ['AAAA', TEST_SENDERS.ipv6.ip],
  ],
}

/** Names that every zone has. */
const BASE_ZONE: ZoneData = { ...SHARED_HOSTS, ...REVERSE }

const SHAPES: readonly (readonly [number, (draft: ZoneDraft, name: string) => void])[] = [
  [35, publishFlat],
  [22, publishCostly],
  [18, publishVoid],
  [18, publishTree],
  [6, publishTxtMix],
  [1, publishMultiple],
]

export const TEST_DOMAINS = ['acme.test', 'mail-1.acme.test', 'a.b.c.acme.test'] as const

export function createRandomTestZone(seed: number): SpfTestZone {
  const random = createWeightedRandom(seed)
  const domain = random.pick(TEST_DOMAINS)
  const draft = createZoneDraft(random, domain)
  random.weighted(SHAPES)(draft, domain)
  return { seed, domain, zone: { ...BASE_ZONE, ...Object.fromEntries(draft.zone) } }
}

/** A zone with these SPF records and no others. */
export function createTestZone(
  domain: string,
  records: Readonly<Record<string, string>>,
): SpfTestZone {
  const own = Object.entries(records).map(([owner, text]) => {
    const row: ZoneRow = ['TXT', text.match(/.{1,255}/gs) ?? ['']]
    return [owner, [row]] as const
  })
  return { seed: null, domain, zone: { ...BASE_ZONE, ...Object.fromEntries(own) } }
}
