/** Findings about the lookups that a record needs. */

import type { MailService } from '../../catalog/mail-services.js'
import { unavailabilityOf } from '../check-result.js'
import { formatList, truncateForDisplay } from '../format-list.js'
import { type Found, found, type Rule } from '../rule.js'
import type { SpfFacts } from './discover-spf.js'
import { LOOKUP_LIMIT, MAX_MX_HOSTS } from './spf-limits.js'
import { type Directive, termsOf } from './spf-record.js'
import {
  domainsOf,
  findParentNodes,
  inRecordsOf,
  isNeedless,
  leadingTerms,
  spfNodeEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'
import { evaluatedMxHosts, type SpfAnswers, type TermTarget } from './term-lookups.js'

const UNREAD_STATES: ReadonlySet<SpfNode['state']> = new Set(['unasked', 'unavailable', 'dynamic'])

export const LOOKUP_RULES: readonly Rule<SpfFacts>[] = [
  (facts) => {
    const { domain, tree, nodes } = facts
    if (tree.lookups <= LOOKUP_LIMIT) return null
    const isMinimum = nodes.some(({ state }) => UNREAD_STATES.has(state))
    return found(
      isMinimum ? 'spf.too-many-lookups (at-least)' : 'spf.too-many-lookups',
      { count: tree.lookups, domain, ...firstToRemove(facts) },
      { evidence: spfNodeEvidence([tree]) },
    )
  },

  (facts) => {
    const { tree } = facts
    if (tree.lookups !== LOOKUP_LIMIT || tree.state === 'several') return null
    const proof = { evidence: spfNodeEvidence([tree]) }
    return found('spf.at-lookup-limit', firstToRemove(facts), proof)
  },

  ({ answers, graph, nodes }) => {
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
    const terms = crowded.map(({ text }) => text)
    return found(
      inRecordsOf(holders, 'spf.mx-limit'),
      { term: [first.text], count: first.count, terms, places: domainsOf(holders) },
      { evidence: spfNodeEvidence(holders) },
    )
  },

  voidLookups,

  ({ tree, nodes }) => {
    const unread = nodes.filter(({ state }) => state === 'unasked')
    // Beyond the limit of lookups, the count already says that it is a minimum.
    if (unread.length === 0 || tree.lookups > LOOKUP_LIMIT) return null
    const evidence = spfNodeEvidence(findParentNodes(nodes, unread))
    return found('spf.lookup-unavailable (not-read)', { names: domainsOf(unread) }, { evidence })
  },

  lookupUnavailable,
]

export function lookupUnavailable({ graph, nodes }: SpfFacts): Found | null {
  const { failures } = graph
  if (failures.length === 0) return null
  const failed = new Set(failures.map(({ query }) => query.name))
  const targets = nodes.filter(({ domain }) => failed.has(domain))
  const isOverLimit = unavailabilityOf(failures.map(({ failure }) => failure)) === 'over-limit'
  return found(
    isOverLimit ? 'spf.lookup-unavailable (over-limit)' : 'spf.lookup-unavailable',
    { names: failures.map(({ query }) => `${query.name} (${query.type})`) },
    { evidence: spfNodeEvidence(findParentNodes(nodes, targets)) },
  )
}

/** Terms that no mail needs; if there are none, includes that cost more than their own lookup. */
function firstToRemove({ domain, tree, mailboxes }: SpfFacts) {
  // Without a known one in MX, such as behind a gateway, it may be any of them.
  const isMailbox = ({ id, kind }: MailService) =>
    mailboxes.length > 0 ? mailboxes.some(({ provider }) => provider.id === id) : kind === 'mailbox'
  const needless = tree.children.filter(({ service }) => isNeedless(service, domain))
  const costly = tree.children.filter(
    ({ service, lookups }) => lookups > 0 && !(service && isMailbox(service)),
  )
  const terms = (needless.length > 0 ? needless : costly)
    .sort((one, other) => other.lookups - one.lookups)
    .slice(0, 3)
  return {
    byCost: needless.length > 0 ? 0 : 1,
    expensive: terms.map(({ term, lookups }) => `${term?.text} (${lookups + 1})`),
  }
}

function voidLookups(facts: SpfFacts): ReturnType<Rule<SpfFacts>> {
  const { ipv4VoidLookups, ipv6VoidLookups } = facts.voidLookups
  const { ipv4, ipv6 } = facts.authorization.exceedsVoidLimit
  if (!ipv4 && !ipv6) return null
  const voidTerms = facts.nodes
    .filter(isFirstOccurrence)
    .flatMap((node) => findVoidTerms(facts, node))
  const holders = voidTerms.map(({ node }) => node)
  const own = holders.filter(({ isOwn }) => isOwn)
  const others = holders.filter(({ isOwn }) => !isOwn)
  const replaceable = voidTerms.filter(({ replacement }) => replacement.length > 0)
  const values = {
    count: Math.max(ipv4 ? ipv4VoidLookups : 0, ipv6 ? ipv6VoidLookups : 0),
    family: ipv4 ? 'IPv4' : 'IPv6',
    terms: voidTerms.map(({ text }) => text),
    places: domainsOf(own),
    others: domainsOf(others),
    swaps: formatList(
      replaceable.map(({ text, replacement }) => {
        return `${truncateForDisplay(text)} with "${replacement.join(' ')}"`
      }),
      (swap) => swap,
    ),
  }
  const id = ipv4 && ipv6 ? 'spf.void-lookups' : 'spf.void-lookups-one-family'
  const evidence = spfNodeEvidence(holders)
  if (others.length > 0) {
    const who = own.length > 0 ? 'mixed' : 'elsewhere'
    return found(`${id} (${who})`, values, { evidence })
  }
  return found(replaceable.length > 0 ? `${id} (replace)` : id, values, { evidence })
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
  const empty = node.children.filter(({ domain }) => {
    const answer = answers.answer(domain, 'TXT')
    return answer !== undefined && answer.kind !== 'records'
  })
  return [...voidTerms, ...leadingTerms(empty).map((text) => ({ node, text, replacement: [] }))]
}

function addressTerms(answers: SpfAnswers, term: Directive, target: TermTarget): string[] {
  if (target.kind !== 'name' || term.kind === 'exists') return []
  const hosts = term.kind === 'mx' ? evaluatedMxHosts(answers, target.name) : [target.name]
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
