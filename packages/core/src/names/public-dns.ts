/** Names for private networks in the records of a public domain: public DNS has none of them. */
import { type AbortableDns, type DnsAnswer, toQueryMethod } from '@mailgrade/doh/dns'
import { isNeverLookedUp } from './reserved-names.js'

const NO_SUCH_NAME = {
  kind: 'nxdomain',
  ttl: null,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver: null,
} as const satisfies DnsAnswer

const isPrivate = (name: string) => isNeverLookedUp(name.toLowerCase())

/** Does not ask a resolver inside a network about its own names, whoever publishes them. */
export function withoutPrivateNames(dns: AbortableDns): AbortableDns {
  const queryEach: AbortableDns['queryEach'] = (queries, onAnswer, signal) => {
    const indexes = [...queries.keys()].filter((at) => !isPrivate(queries[at]?.name ?? ''))
    const asked = new Set(indexes)
    for (const at of queries.keys()) if (!asked.has(at)) onAnswer(NO_SUCH_NAME, at)
    const others = queries.filter((_, at) => asked.has(at))
    const onOther = (answer: DnsAnswer, at: number) =>
      onAnswer(hidePrivateTarget(answer), indexes[at] ?? 0)
    if (others.length > 0) dns.queryEach?.(others, onOther, signal)
  }
  const query = toQueryMethod(async (name, type, signal) =>
    isPrivate(name) ? NO_SUCH_NAME : hidePrivateTarget(await dns.query(name, type, signal)),
  )
  return { query, ...(dns.queryEach && { queryEach }) }
}

/** A resolver also follows a public CNAME or DNAME record to a name inside its network. */
function hidePrivateTarget(answer: DnsAnswer): DnsAnswer {
  const at = answer.cnames.findIndex(isPrivate)
  if (at === -1) return answer
  const { resolver, cnames } = answer
  return { ...NO_SUCH_NAME, resolver, cnames: cnames.slice(0, at + 1) }
}
