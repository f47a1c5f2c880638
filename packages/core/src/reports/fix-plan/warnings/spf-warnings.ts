import { createFinding } from '../../../checks/finding.js'
import { formatFullList, quoteForDisplay } from '../../../checks/format-list.js'
import type { PlanContext } from '../plan-context.js'
import type { FaultyInclude, RemovalReason } from '../spf/compose-spf.js'
import type { SpfPlan } from '../spf/plan-spf.js'
import { findSimilarInclude } from '../spf/similar-include.js'

import { forCount, type Warn } from './warn.js'

const sendersToMove: Warn = (context, { spf }) => {
  const { facts } = context
  const outside = spf?.noRoom?.terms ?? []
  const leftOut = (spf?.leftOut ?? []).filter(({ isNeedless }) => !isNeedless)
  const senders = [...outside, ...leftOut].map(({ term, service }) =>
    service ? `${service.name} (${term})` : term,
  )
  if (senders.length === 0) return null
  const isStrict = facts.reports.dmarc.alignment?.spf === 'strict'
  return createFinding('plan.senders-to-move', {
    title: `No room in the SPF record for ${formatFullList(senders)}`,
    detail:
      leftOut.length > 0
        ? `Receivers stop after 10 lookups, so ${forCount(senders, 'this sender does', 'these senders do')} not pass SPF today either. The planned record names as many senders as fit, and ends in "~all" until the others pass as well.`
        : 'Receivers stop after 10 lookups, and no sender that passes today may lose its place. Until there is room, this mail passes DMARC only with a DKIM signature.',
    fix: [
      ...(spf?.noRoom ? [howToMakeRoom(context, spf.noRoom)] : []),
      ...(leftOut.length > 0 ? [howToMove(facts.domain, isStrict, senders)] : []),
      forCount(
        senders,
        'If you no longer use this sender, say so when you get a new plan.',
        'If you no longer use one of these senders, say so when you get a new plan.',
      ),
    ].join(' '),
  })
}

/** A service that can use its own bounce domain passes DMARC with DKIM alone. */
function howToMakeRoom(
  { facts, services }: PlanContext,
  { terms, room }: NonNullable<SpfPlan['noRoom']>,
): string {
  const named = new Set(facts.reports.spf.senders.map(({ id }) => id))
  const optional = services.senders
    .filter(({ entry }) => named.has(entry.id) && entry.returnPathAtRoot === 'optional')
    .map(({ entry }) => entry.name)
  const signing = optional.length > 0 ? formatFullList(optional) : 'the services in the record'
  const added = formatFullList(terms.map(({ term }) => term))
  const where = forCount(optional, signing, `one or more of ${signing}`)
  return `Set up DKIM for ${facts.domain} at ${where}: signed mail passes DMARC without SPF. Then remove SPF terms of services that sign until the SPF check shows at most ${room} lookups, and add ${added} before "all".`
}

function howToMove(domain: string, isStrict: boolean, senders: readonly string[]): string {
  return isStrict
    ? `Set up DKIM for ${domain} itself at ${forCount(senders, 'this sender', 'each of these senders')}: with aspf=s in the DMARC record, a subdomain does not count.`
    : `Let ${forCount(senders, 'this sender', 'each of these senders')} send from its own subdomain, such as news.${domain}, with an SPF record there that has its term, or set up DKIM there. DMARC accepts both.`
}

const spfTooFull: Warn = ({ facts }, { spf }) => {
  if (!spf || spf.crowdedOut.length === 0) return null
  const isStrict = facts.reports.dmarc.alignment?.spf === 'strict'
  return createFinding('plan.spf-too-full', {
    title: 'The SPF record needs more than 10 lookups, and no shorter one is safe',
    detail: `Every record within the limit would take the pass away from a sender that has it today: ${formatFullList(spf.crowdedOut)}. The plan therefore does not change the record.`,
    fix: `First make room. ${howToMove(facts.domain, isStrict, spf.crowdedOut)} Then get a new plan, and say which services you no longer use.`,
  })
}

const FAULTS: Readonly<Record<FaultyInclude['fault'], string>> = {
  broken: 'has an error',
  'void-lookups': 'has too many empty lookups',
  'allows-everyone': 'lets every server send as you',
}

const includeFaulty: Warn = ({ facts }, { spf }) => {
  const faulty = spf?.faulty ?? []
  if (faulty.length === 0) return null
  const isOpen = faulty.some(({ fault }) => fault === 'allows-everyone')
  const isBroken = faulty.some(({ fault }) => fault !== 'allows-everyone')
  const problems = facts.reports.spf.issues
    .filter(({ severity }) => severity !== 'low' && severity !== 'info')
    .filter(({ evidence }) =>
      evidence.some(({ name }) => faulty.some(({ domains }) => domains.has(name))),
    )
    .map(({ title }) => title)
  return createFinding('plan.include-faulty', {
    title: faulty.map(({ host, fault }) => `The SPF record of ${host} ${FAULTS[fault]}`).join('. '),
    detail: [
      ...problems.map((problem) => `${problem}.`),
      ...(isBroken
        ? [
            'Senders before the error pass today, so the plan keeps the include, behind all other terms. Servers that the record does not name get a permanent error, which is no pass for DMARC.',
          ]
        : []),
      ...(isOpen
        ? [
            `Until that is repaired, every server passes SPF and DMARC as ${facts.domain}. No stage of the policy stops forged mail before.`,
          ]
        : []),
    ].join(' '),
    fix: [
      ...faulty.map(
        ({ host, service, term }) =>
          `Ask ${service ? service.name : `the operator of ${host}`} to repair the SPF record of ${host}. Until then, keep ${term}.`,
      ),
      ...(problems.length > 0 ? [`The error: ${problems.join('; ')}.`] : []),
    ].join(' '),
  })
}

const ASKED_ABOUT: ReadonlySet<RemovalReason> = new Set(['broken', 'allows-everyone', 'no-record'])

const termsLeftOut: Warn = ({ facts }, { spf }) => {
  const planned = new Set(spf?.record.value.split(' '))
  const removed = (spf?.dropped ?? []).filter(({ reason }) => ASKED_ABOUT.has(reason))
  const terms = [
    ...removed.map(({ term }) => term),
    ...(spf?.unreadable ?? []),
    ...(spf?.ignored ?? []),
  ].filter((term) => !planned.has(findSimilarInclude(term)?.term ?? ''))
  if (terms.length === 0) return null
  const quoted = formatFullList(terms, quoteForDisplay)
  const guesses = terms.flatMap((term) => {
    const similar = findSimilarInclude(term)
    return similar ? [` ${term} looks like ${similar.term} of ${similar.service}, misspelled.`] : []
  })
  return createFinding('plan.terms-left-out', {
    title: `Left out of the SPF record: ${quoted}`,
    detail: `${forCount(
      terms,
      'Receivers cannot use this term, or it lets everyone in. If it was meant for a real sender, that sender is missing.',
      'Receivers cannot use these terms, or they let everyone in. If one of them was meant for a real sender, that sender is missing.',
    )}${guesses.join('')}`,
    fix: `${forCount(
      terms,
      `Ask the person who added ${quoted} which server or service was meant. If it still sends mail as ${facts.domain}, add it before "all".`,
      `Ask the people who added ${quoted} which servers or services were meant. Add those that still send mail as ${facts.domain} before "all".`,
    )}${guesses.join('')}`,
  })
}

const ptrKept: Warn = (_, { spf }) => {
  const hasPtr = spf !== null && /\s[+]?ptr(?:[:\s]|$)/i.test(spf.record.value)
  if (!hasPtr) return null
  return createFinding('plan.ptr-kept', {
    title: 'The SPF record still has ptr',
    detail:
      'ptr is slow, and receivers may ignore it (RFC 7208 §5.5). DNS does not show which servers rely on it, so the plan does not remove it.',
    fix: 'Find these servers in the DMARC reports, name them with ip4 or ip6, and then remove ptr.',
  })
}

export const SPF_WARNINGS: readonly Warn[] = [
  sendersToMove,
  spfTooFull,
  includeFaulty,
  termsLeftOut,
  ptrKept,
]
