/** What a record says about senders that it does not name, and about having none. */
import type { SpfGraph, SpfHost } from './spf-graph.js'
import { type Directive, findAll, findRedirect, namingTerms } from './spf-record.js'

/** The result for a sender that no term matches. */
export type DefaultResult =
  | { readonly kind: 'all'; readonly domain: string; readonly term: Directive }
  /** No `all` and no redirect: the result is neutral (§4.7). */
  | { readonly kind: 'none'; readonly domain: string }
  /** A redirect leads to a host without a usable record. */
  | { readonly kind: 'unreadable' }

export function findDefaultResult({ root, hostOf }: SpfGraph): DefaultResult {
  const visited = new Set<SpfHost>()
  let host = root
  for (;;) {
    const { state, name, records } = host
    const [record] = records
    if (state !== 'record' || name === null || !record || visited.has(host)) {
      return { kind: 'unreadable' }
    }
    visited.add(host)
    const all = findAll(record)
    if (all) return { kind: 'all', domain: name, term: all }
    const redirect = findRedirect(record)
    if (!redirect) return { kind: 'none', domain: name }
    host = hostOf(redirect)
  }
}

/** Whether the record is exactly `v=spf1 -all`, also via redirects: the domain sends no mail (§10.1.2). */
export function declaresNoSenders({ root, hostOf }: SpfGraph): boolean {
  const visited = new Set<SpfHost>()
  for (let host = root; host.state === 'record' && !visited.has(host); ) {
    visited.add(host)
    const [term, ...others] = host.records.flatMap(namingTerms)
    if (!term) return host.records.some((record) => findAll(record)?.qualifier === '-')
    const redirect = host.records.flatMap((record) => findRedirect(record) ?? [])[0]
    if (term !== redirect || others.length > 0) return false
    host = hostOf(redirect)
  }
  return false
}

/** Whether a record of the domain has a term that could stand for a sender, even an invalid one. */
export function namesSenders(graph: SpfGraph): boolean {
  return graph.root.records.flatMap(namingTerms).length > 0 && !declaresNoSenders(graph)
}
