/** Shapes of records near each limit and error of RFC 7208. */

import { edgeCaseTerm } from './edge-case-terms.js'
import { toDomainSpec } from './macro-expansion.js'
import {
  includeNewName,
  publishTerms,
  publishUnusable,
  type TermGenerator,
} from './publish-record.js'
import { lookupFreeTerm, manyMxTerm, publishTxt, resolvingTerm, voidTerm } from './valid-terms.js'
import { addAddresses, type ZoneDraft } from './zone-draft.js'

/** A record of any length, with at most a few unusual terms. */
export function publishFlat(draft: ZoneDraft, owner: string): void {
  const { random } = draft
  const makers: TermGenerator[] = Array.from({ length: random.int(0, 4) }, () =>
    random.weighted<TermGenerator>([
      [3, lookupFreeTerm],
      [2, resolvingTerm],
      [1, voidTerm],
      [0.3, manyMxTerm],
    ]),
  )
  const odd = random.weighted([
    [1, 0],
    [8, 1],
    [2, 2],
  ])
  for (let count = 0; count < odd; count += 1) {
    makers.splice(random.int(0, makers.length), 0, () => edgeCaseTerm(random))
  }
  publishTerms(draft, owner, makers)
}

/** Lookups around the limit of ten, here or in records included from here. */
export function publishCostly(draft: ZoneDraft, owner: string): void {
  publishSpread(draft, owner, draft.random.int(8, 13), resolvingTerm, 0)
}

/** Void lookups around the limit of two. */
export function publishVoid(draft: ZoneDraft, owner: string): void {
  publishSpread(draft, owner, draft.random.int(0, 4), voidTerm, 0)
}

function publishSpread(
  draft: ZoneDraft,
  owner: string,
  count: number,
  maker: TermGenerator,
  depth: number,
): void {
  const { random } = draft
  const makers: TermGenerator[] = []
  let left = count
  while (left > 0) {
    const share = random.int(1, left)
    if (depth < 5 && share > 1 && random.chance(0.3)) {
      makers.push((_, from) =>
        includeNewName(draft, from, (name) =>
          publishSpread(draft, name, share - 1, maker, depth + 1),
        ),
      )
      left -= share
    } else {
      makers.push(maker)
      left -= 1
    }
    if (random.chance(0.15)) makers.push(lookupFreeTerm)
  }
  publishTerms(draft, owner, makers)
}

/** Records that include each other: repeatedly, in a loop, or with invalid targets. */
export function publishTree(draft: ZoneDraft, owner: string, depth = 0): void {
  const { random } = draft
  const makers: TermGenerator[] = Array.from({ length: random.int(depth === 0 ? 1 : 0, 3) }, () =>
    random.weighted<TermGenerator>([
      [
        depth < 5 ? 4 : 0,
        (_, from) => includeNewName(draft, from, (name) => publishTree(draft, name, depth + 1)),
      ],
      [1, () => `include:${toDomainSpec(random.pick(draft.recordNames))}`],
      [0.6, (_, from) => includeNewName(draft, from, (name) => publishUnusable(draft, name))],
      [1, resolvingTerm],
      [0.3, voidTerm],
      [1, lookupFreeTerm],
    ]),
  )
  publishTerms(draft, owner, makers)
}

const VERSIONS = ['v=spf1', 'V=SPF1', 'v=SpF1']
const NOT_QUITE = [
  'v=spf10',
  'v=spf',
  'v=spf2',
  'v=spf1,',
  'v= spf1',
  ' v=spf1',
  'v=spf1\t',
  'spf1',
]
const OTHERS = ['', 'some text', 'caf\xe9', 'v=DMARC1; p=none']

/** Texts of which none, one or several are SPF records. */
export function publishTxtMix(draft: ZoneDraft, name: string): void {
  const { random } = draft
  const texts = Array.from({ length: random.int(0, 3) }, () =>
    random.pick(
      random.weighted([
        [2, VERSIONS],
        [3, NOT_QUITE],
        [1, OTHERS],
      ] as const),
    ),
  )
  for (const text of texts) {
    publishTxt(draft, name, text + random.pick(['', ' ', ' -all', ' a -all']))
  }
  if (texts.length > 0 || random.chance(0.5)) addAddresses(draft, name, 'both')
}
