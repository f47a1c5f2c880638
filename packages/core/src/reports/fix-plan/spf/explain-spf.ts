/** Explains the changes of the SPF record. */

import { formatFullList, quoteForDisplay } from '../../../checks/format-list.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { joinStrings } from '../../../checks/txt-records.js'
import { effectiveTreatment, sendingProfile } from '../../check/check-reports.js'
import type { DomainFacts } from '../discover-domain.js'
import type { PlanContext } from '../plan-context.js'
import type { Placeholder, PlannedRecord } from '../planned-record.js'
import { type ComposedSpf, wasOpen } from './compose-spf.js'
import type { RemovalReason } from './lookup-savings.js'
import { termsOfNamedServices, type UsableSpf } from './usable-spf.js'

/** For one term, and for several. */
const REMOVAL_REASONS: Readonly<Record<RemovalReason, readonly [string, string]>> = {
  'matches-nothing': ['matches no server and costs a lookup', 'match no server and cost lookups'],
  'no-record': [
    'leads to a name without an SPF record, which breaks yours: RFC 7208 §5.2',
    'lead to names without an SPF record, which breaks yours: RFC 7208 §5.2',
  ],
  'includes-itself': ['the record includes itself', 'the record includes itself'],
  broken: [
    'leads to a broken record, which breaks yours, too: RFC 7208 §5.2',
    'lead to broken records, which break yours, too: RFC 7208 §5.2',
  ],
  'allows-everyone': ['lets every server send as you', 'let every server send as you'],
  unused: ['you no longer use it', 'you no longer use them'],
}

/** A term that only the owner can fill in. */
export interface TermPlaceholder {
  readonly term: string
  readonly placeholder: Placeholder
}

export interface SpfChange {
  readonly composed: ComposedSpf
  /** Terms of mailbox providers that the record lacks. */
  readonly missing: readonly string[]
  readonly repaired: UsableSpf['repaired']
  readonly planContext: PlanContext
  readonly placeholder: TermPlaceholder | null
}

export function explainSpf(change: SpfChange): string {
  const { composed, repaired, planContext, placeholder } = change
  const { facts } = planContext
  return [
    ...describeCurrent(facts),
    ...(placeholder
      ? ['DNS doesn’t show which servers send for you, so you’ll have to fill in the placeholder.']
      : []),
    ...addedSentences(change),
    ...(repaired.hasMissingSpace ? ['Added a missing space between two terms.'] : []),
    ...correctedSentences(repaired.corrected),
    ...repaired.repeated.map((term) => `Removed the second ${term} (it was there twice).`),
    ...revivedSentence(repaired.revived),
    ...removedSentences(composed),
    ...(repaired.unreadable.length > 0
      ? [
          `Removed ${formatFullList(repaired.unreadable, quoteForDisplay)} (it isn’t valid, which breaks the whole record: RFC 7208 §4.6).`,
        ]
      : []),
    ...(repaired.ignored.length > 0
      ? [
          `Removed ${formatFullList(repaired.ignored, quoteForDisplay)} (which receivers ignore next to "all": RFC 7208 §5.1, §6.1).`,
        ]
      : []),
    ...rewrittenSentences(composed, facts),
    ...movedSentence(composed),
    ...leftOutSentences(composed),
    ...(hasOpenDefault(facts)
      ? [
          `It now ends in "${composed.allTerm}", so mail from other servers no longer looks legitimate.`,
        ]
      : []),
    ...(facts.reports.spf.valid && wasOpen(composed)
      ? [
          'Until you publish it, mail from any server passes SPF and DMARC as yours, whatever your policy.',
        ]
      : []),
    ...(placeholder ? [] : [`Lookups: ${composed.lookups} of 10 (RFC 7208 §4.6.4).`]),
  ].join(' ')
}

/** Only a record that let every server in can have senders that no one can name. */
export function spfCondition({ composed, planContext }: SpfChange): string | null {
  const { reports } = planContext.facts
  const isOpen = allowsEveryone(reports) || (reports.spf.valid && wasOpen(composed))
  if (!isOpen) return null
  const treatment = effectiveTreatment(reports.dmarc)
  return treatment === 'none'
    ? 'The new record names every server and service that sends for you. Until now, every server has passed, so check your list of senders or the DMARC reports first.'
    : `Every server and service that sends for you is in the new record or signs with DKIM. Until now, every server has passed. With p=${treatment}, unsigned mail from a server that isn’t listed ${LOSSES[treatment]}. If you don’t have a full list of your senders, read the DMARC reports for 30 days first.`
}

const LOSSES = { quarantine: 'goes to spam', reject: 'is rejected' } as const

function allowsEveryone({ spf }: DomainFacts['reports']): boolean {
  return spf.valid && spf.allResult === 'pass'
}

/** Asks for confirmation unless the domain itself declares that it sends no mail. */
export function explainNonSendingSpf({
  domain,
  reports,
}: DomainFacts): Pick<PlannedRecord, 'why' | 'onlyIf'> {
  const why = 'It declares that the domain sends no mail, so no server passes (RFC 7208 §10.1.2).'
  // A null MX is only about mail to the domain: with "+all", its own mail may pass today.
  const isDeclared = sendingProfile(reports) === 'non-sending' && !allowsEveryone(reports)
  return { why, onlyIf: isDeclared ? null : noSenderCondition(domain) }
}

export function noSenderCondition(domain: string): string {
  return `No web form, device, or service sends mail as ${domain}. We found none in DNS, but only you know for sure.`
}

function describeCurrent({ spf }: DomainFacts): string[] {
  const [, second] = spf.spfRecords
  if (second)
    return ['Receivers that find two SPF records use neither, so the plan merges them into one.']
  if (spf.spfRecords.length === 1) return []
  const miss = spf.txtRecords.map(joinStrings).find(isSpfNearMiss)
  return [
    miss === undefined
      ? 'It lists the servers that may send for the domain.'
      : `Receivers don’t recognize ${quoteForDisplay(miss)} as SPF, because a record has to start with exactly "v=spf1" and a space (RFC 7208 §4.5).`,
  ]
}

function addedSentences({ missing, repaired, planContext }: SpfChange): string[] {
  if (missing.length === 0) return []
  const named = termsOfNamedServices(planContext)
  const weak = repaired.terms.filter(
    (term) => /^[?~]/.test(term) && missing.includes(term.slice(1).toLowerCase()),
  )
  const isRaised = (term: string) => weak.some((each) => each.slice(1).toLowerCase() === term)
  const own = missing.filter((term) => !named.has(term) && !isRaised(term))
  const added = planContext.services.mailboxProviders.filter(({ entry }) =>
    entry.setup.spf.some(({ terms }) => terms.some((term) => own.includes(term))),
  )
  const whose =
    added.length > 0
      ? `your ${formatFullList(added.map(({ entry }) => entry.name))} mailboxes`
      : 'your own mail server'
  return [
    ...weak.map(
      (term) =>
        `Changed ${term} to ${term.slice(1)}, because its servers don’t pass SPF with "${term.charAt(0)}".`,
    ),
    ...(own.length > 0
      ? [
          `Added ${formatFullList(own)}, because mail from ${whose} fails SPF without ${own.length > 1 ? 'them' : 'it'}.`,
        ]
      : []),
    ...missing.flatMap((term) => {
      const service = isRaised(term) ? undefined : named.get(term)
      return service
        ? [`Added ${term}, because mail from ${service.name} fails SPF without it.`]
        : []
    }),
  ]
}

function correctedSentences(corrected: UsableSpf['repaired']['corrected']): string[] {
  return corrected.map(({ from, to }) => `Corrected ${from} to ${formatFullList(to)}.`)
}

function revivedSentence(revived: readonly string[]): string[] {
  if (revived.length === 0) return []
  const sends = revived.length > 1 ? 'they send' : 'it sends'
  return [
    `Moved ${formatFullList(revived)} in front of "all", because other records show that ${sends} for you, and receivers ignore what comes after "all".`,
  ]
}

function removedSentences({ dropped }: ComposedSpf): string[] {
  const reasons = [...new Set(dropped.map(({ reason }) => reason))]
  return reasons.map((reason) => {
    const terms = dropped.filter((each) => each.reason === reason).map(({ term }) => term)
    const [one, several] = REMOVAL_REASONS[reason]
    return `Removed ${formatFullList(terms)} (${terms.length > 1 ? several : one}).`
  })
}

function rewrittenSentences(
  { rewritten: savings }: ComposedSpf,
  { spf: { tree } }: DomainFacts,
): string[] {
  // The plan writes a redirect as an include; the owner knows it as it is published.
  const redirect = tree.children.find((child) => child.term?.kind === 'redirect')?.term
  const rewritten = savings.map((saving) =>
    saving.term === `include:${redirect?.target?.text}`
      ? { ...saving, term: redirect?.text ?? '' }
      : saving,
  )
  const redundant = rewritten.filter(({ replacement }) => replacement.length === 0)
  const removed = (reason: string, savings: typeof rewritten) =>
    savings.length > 0
      ? [`Removed ${formatFullList(savings.map(({ term }) => term))} (${reason}).`]
      : []
  return [
    ...removed(
      'another term allows the same servers',
      redundant.filter(({ onlyReceives }) => !onlyReceives),
    ),
    ...removed(
      'your mailbox provider’s servers, which only receive mail',
      redundant.filter(({ onlyReceives }) => onlyReceives),
    ),
    ...rewritten.flatMap(({ term, replacement, reason }) =>
      reason
        ? [
            `Replaced ${term} with ${formatFullList(replacement)}, because the record there ${reason === 'broken' ? 'has an error' : 'lets every server send as you'}. If these servers change, update the record.`,
          ]
        : [],
    ),
    ...rewritten
      .filter(({ replacement, reason }) => replacement.length > 0 && !reason)
      .map(
        ({ term, replacement }) =>
          `Replaced ${term} with ${formatFullList(replacement)} to save a lookup. If these addresses change, update the record.`,
      ),
  ]
}

function movedSentence({ moved }: ComposedSpf): string[] {
  if (moved.length === 0) return []
  return [
    `Moved ${formatFullList(moved)} to the end, because the record there has an error, and no sender listed after it passes (RFC 7208 §5.2).`,
  ]
}

/** Adds what a record that stays cannot do. */
export function explainKeptSpf(
  why: string,
  faulty: ComposedSpf['faulty'],
  noRoom: readonly string[],
): string {
  const terms = faulty.map(({ term }) => term)
  return [
    why,
    ...(terms.length > 0
      ? [`The record behind ${formatFullList(terms)} has an error, but its senders pass.`]
      : []),
    ...(noRoom.length > 0
      ? [`It has no room for ${formatFullList(noRoom)}, because receivers stop after 10 lookups.`]
      : []),
  ].join(' ')
}

function leftOutSentences({ leftOut }: ComposedSpf): string[] {
  const needless = leftOut.filter(({ isNeedless }) => isNeedless).map(({ term }) => term)
  const others = leftOut.filter(({ isNeedless }) => !isNeedless).map(({ term }) => term)
  return [
    ...(needless.length > 0
      ? [
          `Removed ${formatFullList(needless)} to make room. ${
            needless.length > 1
              ? 'These services use their own bounce domains, so receivers never look for them in your SPF record.'
              : 'This service uses its own bounce domain, so receivers never look for it in your SPF record.'
          }`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `There’s no room for ${formatFullList(others)}, because receivers stop after 10 lookups. ${
            others.length > 1
              ? 'They don’t pass today either, and the record ends in "~all" until they do.'
              : 'It doesn’t pass today either, and the record ends in "~all" until it does.'
          }`,
        ]
      : []),
  ]
}

function hasOpenDefault({ spf: { spfRecords, defaultResult } }: DomainFacts): boolean {
  const isClosed = defaultResult.kind === 'all' && /[-~]/.test(defaultResult.term.qualifier)
  return spfRecords.length === 1 && !isClosed
}
