/** The queries that the server and the clients of the DNS benchmark share. */
import { type EncodedQuery, encodeQuery } from '../packages/doh/src/wire/encode-query.js'

/** More than are ever in flight at once, so no two queries share a request. */
const COUNT = 256

export const BENCH_QUERIES: readonly EncodedQuery[] = Array.from({ length: COUNT }, (_, index) =>
  encodeQuery({ name: `d${index}.bench.test`, type: 'TXT' }),
).filter((query) => query !== null)

export const dohPath = ({ dnsParameter }: EncodedQuery) => `/dns-query?dns=${dnsParameter}`
