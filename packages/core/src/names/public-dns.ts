/** Names for private networks in the records of a public domain: public DNS has none of them. */
import type { AbortableDns, DnsAnswer } from '@mailgrade/doh'
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
    if (!queries.some(({ name }) => isPrivate(name))) {
      return dns.queryEach?.(queries, onAnswer, signal)
    }
    const indexes = [...queries.keys()].filter((at) => !isPrivate(queries[at]?.name ?? ''))
    const asked = new Set(indexes)
    for (const at of queries.keys()) if (!asked.has(at)) onAnswer(NO_SUCH_NAME, at)
    const others = queries.filter((_, at) => asked.has(at))
    dns.queryEach?.(others, (answer, at) => onAnswer(answer, indexes[at] ?? 0), signal)
  }
  return {
    query: async (name, type, signal) =>
      isPrivate(name) ? NO_SUCH_NAME : dns.query(name, type, signal),
    ...(dns.queryEach && { queryEach }),
  }
}
