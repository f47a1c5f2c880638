/** Findings about the lookups that a record needs. */
import { createFinding } from '../finding.js'
import { formatList } from '../format-list.js'
import { OVER_LIMIT_FIX, UNAVAILABLE_BECAUSE, unavailabilityOf } from '../judge-unavailable.js'
import type { SpfFacts } from './discover-spf.js'
import { evaluatedMxHosts, MAX_MX_HOSTS, type SpfAnswers, type TermTarget } from './spf-graph.js'
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from './spf-limits.js'
import { type Directive, termsOf } from './spf-record.js'
import {
  findParentNodes,
  fixOrRequest,
  formatNodeDomains,
  formatNodeTerms,
  type SpfRule,
  spfNodeEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

const UNREAD_STATES: ReadonlySet<SpfNode['state']> = new Set(['unasked', 'unavailable', 'dynamic'])

const tooManyLookups: SpfRule = ({ domain, tree, nodes }) => {
  if (tree.lookups <= LOOKUP_LIMIT) return null
  const isMinimum = nodes.some(({ state }) => UNREAD_STATES.has(state))
  const needs = tree.state === 'several' ? 'The SPF records together need' : 'SPF needs'
  return createFinding(
    'spf.too-many-lookups',
    {
      title: `${needs} ${isMinimum ? 'at least ' : ''}${tree.lookups} DNS lookups; the limit is ${LOOKUP_LIMIT}`,
      detail: `Receivers stop at ${LOOKUP_LIMIT} and treat the record as broken, so mail from the last senders in it, or from all of them, no longer passes.`,
      fix: `Remove senders that ${domain} no longer uses, replace "a" and "mx" with their addresses, and move services with many lookups to their own subdomain.${mostExpensive(tree)}`,
    },
    spfNodeEvidence([tree]),
  )
}

/** Only includes that cost more than their own lookup. */
function mostExpensive({ children }: SpfNode): string {
  const ranked = children
    .filter(({ lookups }) => lookups > 0)
    .sort((one, other) => other.lookups - one.lookups)
    .slice(0, 3)
    .map(({ term, lookups }) => `${term?.text} (${lookups + 1})`)
  return ranked.length > 0 ? ` Most expensive: ${formatList(ranked)}.` : ''
}

const atLookupLimit: SpfRule = ({ tree }) =>
  tree.lookups !== LOOKUP_LIMIT || tree.state === 'several'
    ? null
    : createFinding(
        'spf.at-lookup-limit',
        {
          title: `SPF needs ${LOOKUP_LIMIT} DNS lookups, exactly the limit`,
          detail:
            'It works, but one more include breaks it, even one that a provider adds to its own record.',
          fix: `Remove a sender that you no longer use, or replace "a" and "mx" with their addresses.${mostExpensive(tree)}`,
        },
        spfNodeEvidence([tree]),
      )

const voidLookups: SpfRule = (facts) => {
  const { ipv4VoidLookups, ipv6VoidLookups } = facts.voidLookups
  const { ipv4, ipv6 } = facts.authorization.exceedsVoidLimit
  if (!ipv4 && !ipv6) return null
  const affectsAll = ipv4 && ipv6
  const who = affectsAll ? 'every sender' : `senders over ${ipv4 ? 'IPv4' : 'IPv6'}`
  const most = Math.max(ipv4 ? ipv4VoidLookups : 0, ipv6 ? ipv6VoidLookups : 0)
  const voidTerms = facts.nodes
    .filter(isFirstOccurrence)
    .flatMap((node) => findVoidTerms(facts, node))
  const effect = affectsAll
    ? 'Receivers stop there and report a permanent error, so mail from the senders after it no longer passes.'
    : 'For these senders, receivers that enforce the limit get a permanent error, so their mail does not pass. Other senders are unaffected.'
  return createFinding(
    affectsAll ? 'spf.void-lookups' : 'spf.void-lookups-one-family',
    {
      title: `${most} empty (void) SPF lookups for ${who}; the limit is ${VOID_LOOKUP_LIMIT}`,
      detail: `${effect} Void lookups: ${ipv4VoidLookups} for a sender over IPv4, ${ipv6VoidLookups} over IPv6 (a host without that kind of address counts).`,
      fix: [...new Set(voidTerms.map(({ node }) => node))]
        .slice(0, 6)
        .map((node) => removeVoidLookups(node, voidTerms))
        .join(' '),
    },
    spfNodeEvidence(voidTerms.map(({ node }) => node)),
  )
}

function removeVoidLookups(holder: SpfNode, voidTerms: readonly VoidTerm[]): string {
  const here = voidTerms.filter(({ node }) => node === holder)
  const empty = here.filter(({ replacement }) => replacement.length === 0)
  const removal = `${formatList(empty.map(({ text }) => text))} from the record of ${formatNodeDomains([holder])}: nothing is published there.`
  const swaps = here
    .filter(({ replacement }) => replacement.length > 0)
    .slice(0, 6)
    .map(({ text, replacement }) => `replace ${text} with "${replacement.join(' ')}"`)
  const own = [
    ...(empty.length > 0 ? [`Remove ${removal}`] : []),
    ...(swaps.length > 0
      ? [`In the record of ${formatNodeDomains([holder])}, ${swaps.join(', ')}.`]
      : []),
  ].join(' ')
  return fixOrRequest([holder], own, `fix ${formatList(here.map(({ text }) => text))}`)
}

interface VoidTerm {
  readonly node: SpfNode
  readonly text: string
  /** Its current addresses, as terms that cost no lookup. */
  readonly replacement: readonly string[]
}

/** The terms of a node with void lookups, for senders over IPv4, IPv6 or both. */
function findVoidTerms({ costs, graph, answers }: SpfFacts, node: SpfNode): VoidTerm[] {
  const voidTerms = termsOf(node.followed).flatMap((term) => {
    if (term.kind === 'redirect' || term.kind === 'include') return []
    const { ipv4VoidLookups, ipv6VoidLookups } = costs.termCost(term)
    if (ipv4VoidLookups + ipv6VoidLookups === 0) return []
    const replacement = addressTerms(answers, term, graph.targetOf(term))
    return [{ node, text: term.text, replacement }]
  })
  const isVoid = ({ domain }: SpfNode) => {
    const answer = answers.answer(domain, 'TXT')
    return answer !== undefined && answer.kind !== 'records'
  }
  const empty = node.children.filter(isVoid)
  return [
    ...voidTerms,
    ...empty.map((child) => ({ node, text: formatNodeTerms([child]), replacement: [] })),
  ]
}

function addressTerms(answers: SpfAnswers, term: Directive, target: TermTarget): string[] {
  if (target.kind !== 'name' || term.kind === 'exists') return []
  const servers = term.kind === 'mx' ? answers.answer(target.name, 'MX') : undefined
  const hosts = term.kind === 'mx' ? (servers ? evaluatedMxHosts(servers) : []) : [target.name]
  const sign = term.qualifier === '+' ? '' : term.qualifier
  const toTerms = (name: string, type: 'A' | 'AAAA') => {
    const answer = answers.answer(name, type)
    const [mechanism, prefix, maxPrefix] =
      type === 'A' ? ['ip4', term.ipv4Prefix, 32] : ['ip6', term.ipv6Prefix, 128]
    const range = prefix === maxPrefix ? '' : `/${prefix}`
    const addresses = answer?.kind === 'records' ? answer.records : []
    return addresses.map((address) => `${sign}${mechanism}:${address}${range}`)
  }
  return [...new Set(hosts.flatMap((name) => [...toTerms(name, 'A'), ...toTerms(name, 'AAAA')]))]
}

const mxLimit: SpfRule = ({ answers, graph, nodes }) => {
  const crowded = nodes.filter(isFirstOccurrence).flatMap((node) =>
    termsOf(node.records).flatMap((term) => {
      const target = graph.targetOf(term)
      if (term.kind !== 'mx' || target.kind !== 'name') return []
      const answer = answers.answer(target.name, 'MX')
      if (answer?.kind !== 'records' || answer.records.length <= MAX_MX_HOSTS) return []
      return [{ text: term.text, node, count: answer.records.length }]
    }),
  )
  const [first] = crowded
  if (!first) return null
  const holders = crowded.map(({ node }) => node)
  const terms = formatList(crowded.map(({ text }) => text))
  return createFinding(
    'spf.mx-limit',
    {
      title: `"${first.text}" names ${first.count} mail servers; the limit is ${MAX_MX_HOSTS}`,
      detail: 'Receivers that reach the term report a permanent error, so no sender passes.',
      fix: fixOrRequest(
        holders,
        `Replace ${terms} in the record of ${formatNodeDomains(holders)} with the addresses that really send.`,
        `replace ${terms} with the addresses that really send`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

/** Beyond the limit of lookups, the count already says that it is a minimum. */
const notLookedUp: SpfRule = ({ tree, nodes }) => {
  const unread = nodes.filter(({ state }) => state === 'unasked')
  if (unread.length === 0 || tree.lookups > LOOKUP_LIMIT) return null
  return createFinding(
    'spf.lookup-unavailable',
    {
      title: `Names were not looked up: ${formatNodeDomains(unread)}`,
      detail:
        'The records that SPF leads to have more terms than one report reads. This part of SPF is unknown, and the lookups counted are a minimum. Receivers may silently ignore records that are far shorter.',
      fix: 'Combine address ranges and remove senders that are no longer used.',
    },
    spfNodeEvidence(findParentNodes(nodes, unread)),
  )
}

/** Nothing is wrong as far as known, so it is information only. */
const lookupUnavailable: SpfRule = ({ graph, nodes }) => {
  if (graph.failures.length === 0) return null
  const names = formatList(graph.failures.map(({ query }) => `${query.name} (${query.type})`))
  const failed = new Set(graph.failures.map(({ query }) => query.name))
  const why = unavailabilityOf(graph.failures.map(({ failure }) => failure))
  const isOverLimit = why === 'over-limit'
  const receivers = isOverLimit ? '' : ' Receivers with the same failure may defer the mail.'
  const holders = findParentNodes(
    nodes,
    nodes.filter(({ domain }) => failed.has(domain)),
  )
  return createFinding(
    'spf.lookup-unavailable',
    {
      title: `Names could not be looked up: ${names}`,
      detail: `${UNAVAILABLE_BECAUSE[why]}, so this part of SPF is unknown, and the lookups counted are a minimum.${receivers}`,
      fix: isOverLimit
        ? OVER_LIMIT_FIX
        : 'Try again in a few minutes. If it still fails, contact the operator of that name.',
    },
    spfNodeEvidence(holders),
  )
}

export const LOOKUP_RULES: readonly SpfRule[] = [
  tooManyLookups,
  atLookupLimit,
  mxLimit,
  voidLookups,
  notLookedUp,
  lookupUnavailable,
]
