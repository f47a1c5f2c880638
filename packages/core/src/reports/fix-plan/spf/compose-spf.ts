/** Finds the record to publish: composed, tried out over today's DNS, and mended until it holds. */

import type { Dns } from '@mailgrade/doh/dns'
import type { Service } from '../../../catalog/services.js'
import type { Unavailable } from '../../../checks/checked.js'
import { sendersIn } from '../../../checks/spf/check-spf.js'
import { discoverSpf, type SpfFacts } from '../../../checks/spf/spf-facts.js'
import type { SpfReport } from '../../../checks/spf/spf-report.js'
import type { DomainName } from '../../../names/domain-name.js'
import { overlay } from '../../overlay.js'
import { type Doom, doomedTerms } from './doomed-terms.js'
import { nextSavings, type Saving } from './fit-spf.js'
import { inlineTerms } from './inline-terms.js'
import { type SpfEnding, withoutRepeats } from './meant-terms.js'

export interface Draft {
  readonly terms: readonly string[]
  readonly ending: SpfEnding
}

interface Dropped {
  readonly term: string
  readonly doom: Doom
}

interface Moved {
  readonly term: string
  readonly service: Service | null
}

export interface Composed extends Draft {
  readonly kind: 'composed'
  readonly value: string
  readonly lookups: number
  readonly authorizesSenders: boolean
  /** Nobody is let send but services that cannot align. */
  readonly isIdle: boolean
  /** Whom the terms named before any was dropped. */
  readonly senders: SpfReport['senders']
  /** Whom they name in the end. */
  readonly remaining: SpfReport['senders']
  readonly dropped: readonly Dropped[]
  /** For whom there is no room. */
  readonly moved: readonly Moved[]
  /** Terms that say the same in fewer lookups, or that others say already. */
  readonly rewritten: readonly Pick<Saving, 'term' | 'instead'>[]
}

interface Place {
  readonly dns: Dns
  readonly domain: DomainName
  /** The services that are to stay, whatever they cost. */
  readonly stays: ReadonlySet<string>
  /** Terms that a mailbox provider asks for, whosever hosts they name. */
  readonly asked: ReadonlySet<string>
}

export async function composeSpf(draft: Draft, place: Place): Promise<Composed | Unavailable> {
  const composed = await compose(draft, place, place.asked)
  if (composed.kind !== 'composed' || composed.authorizesSenders) return composed
  const idle = composed.dropped.filter(({ doom }) => doom === 'unaligned')
  if (idle.length === 0) return composed
  // Without them the record would say that nobody sends, which is worse than a lookup too many.
  const spared = new Set([...place.asked, ...idle.map(({ term }) => term)])
  const whole = await compose(draft, place, spared)
  return whole.kind === 'composed' ? { ...whole, isIdle: true } : whole
}

/** `spared`: terms that stay although they cannot align. */
async function compose(
  draft: Draft,
  place: Place,
  spared: ReadonlySet<string>,
): Promise<Composed | Unavailable> {
  const dropped: Dropped[] = []
  const moved: Moved[] = []
  const rewritten: Saving[] = []
  // What has gone does not come back, so that records which lead to each other come to an end.
  const gone = new Set<string>()
  let terms = withoutRepeats(draft.terms)
  let senders: SpfReport['senders'] | null = null
  for (;;) {
    const value = written({ ...draft, terms })
    const facts = await tried(value, place)
    if ('kind' in facts) return facts
    senders ??= sendersIn(facts)
    const change = nextChange(facts, place.stays, spared)
    if (!change) {
      const { lookups } = facts.tree
      const { authorizesSenders } = facts.reach
      const remaining = sendersIn(facts)
      const found = { value, lookups, authorizesSenders, isIdle: false, senders, remaining }
      return { kind: 'composed', ...draft, terms, ...found, dropped, moved, rewritten }
    }
    for (const term of change.instead.keys()) gone.add(term)
    const next = terms.flatMap((term) => change.instead.get(term) ?? [term])
    terms = withoutRepeats(next).filter((term) => !gone.has(term))
    dropped.push(...change.dropped)
    moved.push(...change.moved)
    rewritten.push(...change.rewritten)
  }
}

export function written({ terms, ending }: Draft): string {
  return ['v=spf1', ...terms, ending].join(' ')
}

async function tried(value: string, { dns, domain }: Place): Promise<SpfFacts | Unavailable> {
  const published = overlay(dns, [{ type: 'TXT', name: domain, value }])
  const discovered = await discoverSpf(published, domain)
  if (discovered.kind === 'report') return discovered.report
  if (discovered.kind === 'unavailable') return discovered
  throw new Error('A name with a record does not exist')
}

interface Change {
  /** Terms, and what takes their place. */
  readonly instead: ReadonlyMap<string, readonly string[]>
  readonly dropped: readonly Dropped[]
  readonly moved: readonly Moved[]
  readonly rewritten: readonly Saving[]
}

function nextChange(
  facts: SpfFacts,
  stays: ReadonlySet<string>,
  spared: ReadonlySet<string>,
): Change | null {
  const doomed = [...doomedTerms(facts)].filter(
    ([term, doom]) => doom !== 'unaligned' || !spared.has(term),
  )
  if (doomed.length > 0) return withoutDoomed(facts, doomed)
  const savings = nextSavings(facts, stays)
  if (savings.length === 0) return null
  return {
    instead: new Map(savings.map(({ term, instead }) => [term, instead])),
    dropped: [],
    moved: savings.filter(({ isMove }) => isMove),
    rewritten: savings.filter(({ isMove }) => !isMove),
  }
}

/** A broken record of the domain's own still names people who send: they are taken over. */
function withoutDoomed({ tree }: SpfFacts, doomed: readonly [string, Doom][]): Change {
  const changes = doomed.map(([term, doom]) => {
    const child = tree.children.find((node) => node.term?.text === term)
    const isRead = child?.isOwn && child.state !== 'loop'
    const rescued = doom === 'broken' && isRead ? inlineTerms(child) : null
    return { term, doom, rescued }
  })
  return {
    instead: new Map(changes.map(({ term, rescued }) => [term, rescued ?? []])),
    dropped: changes.filter(({ rescued }) => rescued === null),
    moved: [],
    rewritten: [],
  }
}
