/** Worlds to compare verdicts in: a domain with an SPF record, more or less, and all that it leads to. */

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
  /** Null: written by hand. */
  readonly seed: number | null
  readonly domain: string
  readonly zone: ZoneData
}

/**
 * Two that no address and hardly any range in a world covers, so that they are led through a whole
 * record, as a static check is. They have names, so that `ptr` finds something, whoever looks.
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

/** What every world has besides its own names. */
const FURNITURE: ZoneData = { ...SHARED_HOSTS, ...REVERSE }

const SHAPES: readonly (readonly [number, (draft: ZoneDraft, name: string) => void])[] = [
  [35, publishFlat],
  [22, publishCostly],
  [18, publishVoid],
  [18, publishTree],
  [6, publishTxtMix],
  [1, publishMultiple],
]

export function createRandomTestZone(seed: number): SpfTestZone {
  const random = createWeightedRandom(seed)
  const domain = random.pick(['acme.test', 'mail-1.acme.test', 'a.b.c.acme.test'])
  const draft = createZoneDraft(random, domain)
  random.weighted(SHAPES)(draft, domain)
  return { seed, domain, zone: { ...FURNITURE, ...Object.fromEntries(draft.zone) } }
}

/** A world with these SPF records and no others. */
export function createTestZone(
  domain: string,
  records: Readonly<Record<string, string>>,
): SpfTestZone {
  const own = Object.entries(records).map(([owner, text]) => {
    const row: ZoneRow = ['TXT', text.match(/.{1,255}/gs) ?? ['']]
    return [owner, [row]] as const
  })
  return { seed: null, domain, zone: { ...FURNITURE, ...Object.fromEntries(own) } }
}
