/** What is wrong with what reading a record costs. */
import { createFinding } from '../finding.js'
import { formatList } from '../format-list.js'
import type { SpfFacts } from './discover-spf.js'
import { evaluatedMxHosts, MAX_MX_HOSTS, type SpfAnswers, type TermTarget } from './spf-graph.js'
import { activeTerms, type Directive } from './spf-record.js'
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from './spf-report.js'
import {
  fixOrRequest,
  formatNodeDomains,
  formatNodeTerms,
  type SpfRule,
  spfNodeEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

const tooManyLookups: SpfRule = ({ domain, tree, nodes }) => {
  if (tree.lookups <= LOOKUP_LIMIT) return null
  const isMinimum = nodes.some(({ state }) => state === 'unasked' || state === 'dynamic')
  const needs = tree.state === 'several' ? 'The SPF records together need' : 'SPF needs'
  return createFinding(
    'spf.too-many-lookups',
    {
      title: `${needs} ${isMinimum ? 'at least ' : ''}${tree.lookups} DNS lookups, the limit is ${LOOKUP_LIMIT}`,
      detail: `Receivers stop at ${LOOKUP_LIMIT} and treat the record as broken, so mail from the senders named last, or from all of them, no longer passes.`,
      fix: `Remove senders that ${domain} no longer uses, replace "a" and "mx" by their addresses, and move services with many lookups to a subdomain of their own.${dearest(tree)}`,
    },
    spfNodeEvidence([tree]),
  )
}

/** Only what costs more than the one lookup that every term costs. */
function dearest({ children }: SpfNode): string {
  const ranked = children
    .filter(({ lookups }) => lookups > 0)
    .sort((one, other) => other.lookups - one.lookups)
    .slice(0, 3)
    .map(({ term, lookups }) => `${term?.text} (${lookups + 1})`)
  return ranked.length > 0 ? ` The most expensive: ${formatList(ranked)}.` : ''
}

const atLookupLimit: SpfRule = ({ tree }) =>
  tree.lookups !== LOOKUP_LIMIT || tree.state === 'several'
    ? null
    : createFinding(
        'spf.at-lookup-limit',
        {
          title: `SPF needs ${LOOKUP_LIMIT} DNS lookups, exactly the limit`,
          detail:
            'It works today. One more include, also one that a provider adds to its own record, breaks it.',
          fix: `Remove a sender that is no longer used, or replace "a" and "mx" by their addresses.${dearest(tree)}`,
        },
        spfNodeEvidence([tree]),
      )

const voidLookups: SpfRule = (facts) => {
  const { ipv4VoidLookups, ipv6VoidLookups } = facts.voidLookups
  const most = Math.max(ipv4VoidLookups, ipv6VoidLookups)
  if (most <= VOID_LOOKUP_LIMIT) return null
  const isForBoth = Math.min(ipv4VoidLookups, ipv6VoidLookups) > VOID_LOOKUP_LIMIT
  const who = isForBoth
    ? 'every sender'
    : `senders over ${ipv4VoidLookups > ipv6VoidLookups ? 'IPv4' : 'IPv6'}`
  const fruitless = facts.nodes
    .filter(isFirstOccurrence)
    .flatMap((node) => fruitlessTerms(facts, node))
  return createFinding(
    'spf.void-lookups',
    {
      title: `${most} SPF lookups find nothing for ${who}, the limit is ${VOID_LOOKUP_LIMIT}`,
      detail: `Receivers that keep the limit report a permanent error. Lookups without an answer: ${ipv4VoidLookups} for a sender over IPv4, ${ipv6VoidLookups} over IPv6 (a host without that kind of address counts).`,
      fix: [...new Set(fruitless.map(({ node }) => node))]
        .slice(0, 6)
        .map((node) => withoutVoids(node, fruitless))
        .join(' '),
    },
    spfNodeEvidence(fruitless.map(({ node }) => node)),
  )
}

function withoutVoids(holder: SpfNode, fruitless: readonly Fruitless[]): string {
  const here = fruitless.filter(({ node }) => node === holder)
  const gone = here.filter(({ instead }) => instead.length === 0)
  const removal = `${formatList(gone.map(({ text }) => text))} from the record of ${formatNodeDomains([holder])}: nothing is there.`
  const swaps = here
    .filter(({ instead }) => instead.length > 0)
    .slice(0, 6)
    .map(({ text, instead }) => `in place of ${text} write "${instead.join(' ')}"`)
  const own = [
    ...(gone.length > 0 ? [`Remove ${removal}`] : []),
    ...(swaps.length > 0
      ? [`In the record of ${formatNodeDomains([holder])}, ${swaps.join(', ')}.`]
      : []),
  ].join(' ')
  return fixOrRequest([holder], own, `mend ${formatList(here.map(({ text }) => text))}`)
}

interface Fruitless {
  readonly node: SpfNode
  readonly text: string
  /** The addresses that it stands for today, as terms that cost no lookup. */
  readonly instead: readonly string[]
}

/** The terms of one record whose own lookups find nothing, for one kind of sender or for both. */
function fruitlessTerms({ costs, graph, answers }: SpfFacts, node: SpfNode): Fruitless[] {
  const misses = node.followed.flatMap(activeTerms).flatMap((term) => {
    const { ipv4VoidLookups, ipv6VoidLookups } = costs.termCost(term)
    if (term.kind === 'redirect' || term.kind === 'include') return []
    if (ipv4VoidLookups + ipv6VoidLookups === 0) return []
    const instead = addressTerms(answers, term, graph.targetOf(term))
    return [{ node, text: term.text, instead }]
  })
  const isNothing = ({ domain }: SpfNode) => {
    const answer = answers.answer(domain, 'TXT')
    return answer !== undefined && answer.kind !== 'records'
  }
  const empty = node.children.filter(isNothing)
  return [
    ...misses,
    ...empty.map((child) => ({ node, text: formatNodeTerms([child]), instead: [] })),
  ]
}

function addressTerms(answers: SpfAnswers, term: Directive, target: TermTarget): string[] {
  if (target.kind !== 'name' || term.kind === 'exists') return []
  const servers = term.kind === 'mx' ? answers.answer(target.name, 'MX') : undefined
  const hosts = term.kind === 'mx' ? (servers ? evaluatedMxHosts(servers) : []) : [target.name]
  const sign = term.qualifier === '+' ? '' : term.qualifier
  const written = (name: string, type: 'A' | 'AAAA') => {
    const answer = answers.answer(name, type)
    const [mechanism, prefix, longest] =
      type === 'A' ? ['ip4', term.ipv4Prefix, 32] : ['ip6', term.ipv6Prefix, 128]
    const range = prefix === longest ? '' : `/${prefix}`
    const addresses = answer?.kind === 'records' ? answer.records : []
    return addresses.map((address) => `${sign}${mechanism}:${address}${range}`)
  }
  return [...new Set(hosts.flatMap((name) => [...written(name, 'A'), ...written(name, 'AAAA')]))]
}

const mxLimit: SpfRule = ({ answers, graph, nodes }) => {
  const crowded = nodes.filter(isFirstOccurrence).flatMap((node) =>
    node.records.flatMap(activeTerms).flatMap((term) => {
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
      title: `"${first.text}" stands for ${first.count} mail servers, the limit is ${MAX_MX_HOSTS}`,
      detail: 'Receivers that come to the term report a permanent error, and nobody passes.',
      fix: fixOrRequest(
        holders,
        `Replace ${terms} in the record of ${formatNodeDomains(holders)} by the addresses that really send.`,
        `replace ${terms} by the addresses that really send`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

export const LOOKUP_RULES: readonly SpfRule[] = [
  tooManyLookups,
  atLookupLimit,
  mxLimit,
  voidLookups,
]
