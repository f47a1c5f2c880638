/** Why the SPF record is to be what it is, in sentences. */

import { brief, listed } from '../../../checks/listed.js'
import { isNearMiss } from '../../../checks/spf/near-miss.js'
import { joined } from '../../../checks/txt.js'
import type { DomainFacts } from '../domain-facts.js'
import type { Composed } from './compose-spf.js'
import type { Doom } from './doomed-terms.js'

const DROPPED: Readonly<Record<Doom, (terms: string) => string>> = {
  ptr: (terms) => `${terms} is slow, unreliable and not to be used (RFC 7208 §5.5).`,
  dead: (terms) => `${terms} leads nowhere: it lets nobody send and costs lookups.`,
  broken: (terms) =>
    `${terms} leads to a record that is broken, and with it the whole record would be (RFC 7208 §5.2).`,
  unaligned: (terms) =>
    `${terms} cannot help where the service bounces to a domain of its own: its mail then passes DMARC by DKIM or not at all. Keep it if the Return-Path of that mail is at your domain.`,
  open: (terms) => `${terms} lets everybody pass.`,
}

export interface Reasons {
  readonly composed: Composed
  readonly missing: readonly string[]
  readonly unreadable: readonly string[]
  readonly facts: DomainFacts
}

export function whySpf({ composed, missing, unreadable, facts }: Reasons): string {
  return [
    ...whatStands(facts),
    ...(missing.length > 0 ? [`Added: ${listed(missing)}.`] : []),
    ...droppedSentences(composed),
    ...(unreadable.length > 0 ? [`Left out, since it is not valid: ${listed(unreadable)}.`] : []),
    ...rewrittenSentences(composed),
    ...movedSentence(composed),
    ...(endsOpen(facts)
      ? [`It now ends in "${composed.ending}", so that others do not pass.`]
      : []),
    `It needs ${composed.lookups} of the 10 lookups that receivers make (RFC 7208 §4.6.4).`,
  ].join(' ')
}

/** Whoever loses a place in the record has to pass by DKIM, and must do so before. */
export function cautionOf({ composed, unreadable, facts }: Reasons): string | null {
  const { moved, dropped } = composed
  const leaving = dropped.filter(({ doom }) => doom !== 'dead' && doom !== 'ptr')
  const terms = [...leaving, ...moved].map(({ term }) => term)
  if (terms.length > 0) {
    return `Do this only when whoever sends by ${listed([...terms, ...unreadable])} signs with DKIM: send yourself a message through each, and look for dkim=pass in its Authentication-Results header.`
  }
  const isOpen = endsOpen(facts) && facts.parts.spf.valid
  return isOpen && facts.dmarc.policy !== null && facts.dmarc.policy !== 'none'
    ? 'Today the record keeps nobody out, so see first in the DMARC reports that everybody who sends for you is named in it.'
    : null
}

export function whyClosed(domain: string): string {
  return `Nothing shows that ${domain} sends mail, so nobody may (RFC 7208 §10.1.2). If somebody does send for it, name them before "-all" and take DMARC to "p=none" first.`
}

function whatStands({ spf }: DomainFacts): string[] {
  const [, second] = spf.published
  if (second) return ['Receivers that find two SPF records use neither: one says it all.']
  if (spf.published.length === 1) return []
  const miss = spf.texts.map(joined).find(isNearMiss)
  return [
    miss === undefined
      ? 'Says which servers may send for the domain.'
      : `"${brief(miss)}" is not read as SPF: a record begins with exactly "v=spf1" and a space (RFC 7208 §4.5).`,
  ]
}

function droppedSentences({ dropped }: Composed): string[] {
  const dooms = [...new Set(dropped.map(({ doom }) => doom))]
  return dooms.map((doom) => {
    const terms = dropped.filter((each) => each.doom === doom).map(({ term }) => term)
    return `Left out: ${DROPPED[doom](listed(terms))}`
  })
}

function rewrittenSentences({ rewritten }: Composed): string[] {
  const needless = rewritten.filter(({ instead }) => instead.length === 0)
  const shorter = rewritten.filter(({ instead }) => instead.length > 0)
  return [
    ...(needless.length > 0
      ? [
          `Left out, since another term lets the same servers send: ${listed(needless.map(({ term }) => term))}.`,
        ]
      : []),
    ...shorter.map(
      ({ term, instead }) => `To save a lookup, ${term} is written out: ${listed(instead)}.`,
    ),
  ]
}

function movedSentence({ moved }: Composed): string[] {
  if (moved.length === 0) return []
  return [
    `No room for ${listed(moved.map(({ term }) => term))}: have these send from a subdomain with an SPF record of its own.`,
  ]
}

function endsOpen({ spf, parts }: DomainFacts): boolean {
  const isSaid = parts.spf.allResult === 'fail' || parts.spf.allResult === 'softfail'
  return spf.published.length === 1 && !isSaid
}
