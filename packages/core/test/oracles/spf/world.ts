/** Worlds to compare verdicts in: a domain with an SPF record, more or less, and all that it leads to. */
import { createDraft, type Draft, SHARED } from './draft.js'
import { createRandom } from './random.js'
import { publishSeveral } from './record.js'
import { publishCostly, publishFlat, publishSelection, publishTree, publishVoid } from './shapes.js'
import type { Row, Zone } from './zone.js'

export interface OracleWorld {
  /** Null: written by hand. */
  readonly seed: number | null
  readonly domain: string
  readonly zone: Zone
}

/**
 * Two that no address and hardly any range in a world covers, so that they are led through a whole
 * record, as a static check is. They have names, so that `ptr` finds something, whoever looks.
 */
export const SENDERS = {
  ipv4: { ip: '203.0.113.77', helo: 'helo.sender.test' },
  ipv6: { ip: 'fd00::77', helo: 'helo.sender.test' },
} as const

const REVERSE: Zone = {
  '77.113.0.203.in-addr.arpa': [['PTR', 'mail.sender.test']],
  [`7.7.${'0.'.repeat(28)}d.f.ip6.arpa`]: [['PTR', 'mail.sender.test']],
  'mail.sender.test': [
    ['A', SENDERS.ipv4.ip],
    ['AAAA', SENDERS.ipv6.ip],
  ],
}

/** What every world has besides its own names. */
const FURNITURE: Zone = { ...SHARED, ...REVERSE }

const SHAPES: readonly (readonly [number, (draft: Draft, name: string) => void])[] = [
  [35, publishFlat],
  [22, publishCostly],
  [18, publishVoid],
  [18, publishTree],
  [6, publishSelection],
  [1, publishSeveral],
]

export function createWorld(seed: number): OracleWorld {
  const random = createRandom(seed)
  const domain = random.pick(['acme.test', 'mail-1.acme.test', 'a.b.c.acme.test'])
  const draft = createDraft(random, domain)
  random.weighted(SHAPES)(draft, domain)
  return { seed, domain, zone: { ...FURNITURE, ...Object.fromEntries(draft.zone) } }
}

/** A world with these SPF records and no others. */
export function worldOf(domain: string, records: Readonly<Record<string, string>>): OracleWorld {
  const own = Object.entries(records).map(([owner, text]) => {
    const row: Row = ['TXT', text.match(/.{1,255}/gs) ?? ['']]
    return [owner, [row]] as const
  })
  return { seed: null, domain, zone: { ...FURNITURE, ...Object.fromEntries(own) } }
}
