/** Who leads to whom: a record, the records it includes or redirects to, and so on. */
import { findServiceBySpfHost, type MailService } from '../../catalog/mail-services.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { replaceMacros } from './domain-spec.js'
import type { LookupCosts } from './lookup-cost.js'
import type { SpfAnswers } from './spf-answers.js'
import { findSpfRecord, type SpfRecordResult } from './spf-at.js'
import { type ActiveTerm, activeTerms, isIncludeOrRedirect, type SpfRecord } from './spf-record.js'
import { resolveTermTarget, type TermTarget } from './term-target.js'

/** Far more than receivers follow; a record of thousands of includes is not shown to its end. */
const MAX_NODES = 300

export interface SpfNode {
  /** The host that was meant, with its macros where it depends on the sender. */
  readonly domain: string
  /** The term that leads here; null at the start. */
  readonly term: ActiveTerm | null
  /** `loop`: it is its own ancestor; `repeated`: its children are shown where it stood first. */
  readonly state: SpfRecordResult['state'] | 'loop' | 'repeated'
  readonly records: readonly SpfRecord[]
  /** What everything from here down costs. */
  readonly lookups: number
  /** Who is known to publish it. */
  readonly service: MailService | null
  /** The record of a known service, or of somebody whom that service names in turn. */
  readonly isWithinService: boolean
  /** The domain's owner can change it, as far as names can tell. */
  readonly isOwn: boolean
  readonly children: readonly SpfNode[]
}

type Above = Pick<SpfNode, 'isOwn' | 'isWithinService'> & { readonly path: readonly string[] }

export function buildSpfTree(answers: SpfAnswers, origin: string, costs: LookupCosts): SpfNode {
  const read = new Map<string, { lookups: number }>()
  const organization = registrableDomain(origin)
  let left = MAX_NODES

  function grow(target: TermTarget, term: SpfNode['term'], above: Above): SpfNode {
    left -= 1
    const found = findSpfRecord(answers, target)
    const domain = found.name ?? term?.target?.text ?? ''
    const records = recordsOf(found)
    const node = { domain, term, records, children: [], ...ownership(domain, term, above) }
    if (above.path.includes(domain)) return { ...node, state: 'loop', lookups: 0 }
    const before = read.get(domain)
    if (before) return { ...node, ...before, state: 'repeated' }

    // With several records receivers stop; at the start we go on, to show what merging would cost.
    const active = found.state === 'record' || !term ? records : []
    const lookups = mergeTerms(active)
      .map((one) => costs.termCost(one, domain).lookups)
      .reduce((all, some) => all + some, 0)
    if (records.length > 0) read.set(domain, { lookups })
    const next = { ...node, path: [...above.path, domain] }
    return { ...node, state: found.state, lookups, children: childrenOf(active, domain, next) }
  }

  function childrenOf(records: readonly SpfRecord[], domain: string, above: Above): SpfNode[] {
    const children: SpfNode[] = []
    for (const term of records.flatMap(activeTerms).filter(isIncludeOrRedirect)) {
      if (left <= 0) break
      children.push(grow(resolveTermTarget(term, { domain, origin }), term, above))
    }
    return children
  }

  function ownership(domain: string, term: SpfNode['term'], above: Above) {
    const service = term?.target ? findServiceBySpfHost(replaceMacros(term.target)) : null
    const isWithinService = above.isWithinService || service !== null
    // Whoever redirects takes the other record for their own (RFC 7208 §6.1); an include does not.
    const isTaken = term?.kind !== 'include' || registrableDomain(domain) === organization
    return { service, isWithinService, isOwn: above.isOwn && !isWithinService && isTaken }
  }

  const start: Above = { isOwn: true, isWithinService: false, path: [] }
  return grow({ kind: 'name', name: origin }, null, start)
}

function recordsOf(found: SpfRecordResult): readonly SpfRecord[] {
  if (found.state === 'record') return [found.record]
  return found.state === 'several' ? found.records : []
}

/** What receivers go through; of several records, what one that says the same would hold. */
export function mergeTerms(records: readonly SpfRecord[]): ActiveTerm[] {
  const said = new Set<string>()
  return records.flatMap((record) => {
    const terms = activeTerms(record).filter(({ text }) => !said.has(text.toLowerCase()))
    for (const { text } of terms) said.add(text.toLowerCase())
    return terms
  })
}

/** A node and everything below it, in record order. */
export function flattenSpfTree(node: SpfNode): SpfNode[] {
  return [node, ...node.children.flatMap(flattenSpfTree)]
}

/** Every record once: not where the tree comes back to it. */
export function isFirstOccurrence({ state }: SpfNode): boolean {
  return state !== 'repeated' && state !== 'loop'
}
