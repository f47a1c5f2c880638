/** `exists` terms with macros that match every sender, because of a wildcard in DNS. */
import { type Dns, toQueryMethod } from '@mailgrade/doh/dns'
import { evaluateSpf } from './evaluate-spf.js'
import type { OpenTerm } from './spf-authorization.js'
import type { SpfGraph } from './spf-graph.js'
import { type Directive, isDirective, termsOf } from './spf-record.js'
import type { SpfNode } from './spf-tree.js'

/** Reserved (RFC 1112 §4), so no real sender has them and no list of senders names them. */
const IMPOSSIBLE_SENDERS = ['240.83.12.201', '251.7.166.38']

/** Known services are trusted to list their senders, so most records cost no query here. */
export async function findOpenMacros(
  dns: Dns,
  { graph, nodes }: { graph: SpfGraph; nodes: readonly SpfNode[] },
): Promise<readonly OpenTerm[]> {
  const macros = nodes
    .filter(({ isWithinService }) => !isWithinService)
    .flatMap(({ domain, records }) => termsOf(records).map((term) => ({ domain, term })))
    .filter((one): one is OpenTerm => isDirective(one.term) && isPassingExists(graph, one.term))
  if (macros.length === 0) return []
  const reusing = reuseAnswers(graph, dns)
  const sender = `no-such-user@${graph.origin}`
  for (const ip of IMPOSSIBLE_SENDERS) {
    const message = { ip, sender, helo: null, timestamp: 0 }
    if ((await evaluateSpf(reusing, graph.origin, message)).result !== 'pass') return []
  }
  return macros
}

/** Only names that depend on the sender are queried: the graph has the others. */
function reuseAnswers({ answers }: SpfGraph, dns: Dns): Dns {
  return {
    query: toQueryMethod(async (name, type) => {
      const isInGraph = type === 'A' || type === 'AAAA' || type === 'MX' || type === 'TXT'
      return (isInGraph ? answers.answer(name, type) : undefined) ?? dns.query(name, type)
    }),
  }
}

function isPassingExists(graph: SpfGraph, term: Directive): boolean {
  const { kind, qualifier } = term
  return kind === 'exists' && qualifier === '+' && graph.targetOf(term).kind === 'dynamic'
}
