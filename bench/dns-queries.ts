/** The questions that server and clients of the DNS benchmark agree on. */
import { type EncodedQuery, encodeQuery } from '../packages/doh/src/wire/encode-query.js'

/** More than are ever in flight at once, so that no two of them can share an answer. */
const COUNT = 256

export const BENCH_QUERIES: readonly EncodedQuery[] = Array.from({ length: COUNT }, (_, index) =>
  encodeQuery({ name: `d${index}.bench.test`, type: 'TXT' }),
).filter((question) => question !== null)

export const dohPath = ({ dnsParameter }: EncodedQuery) => `/dns-query?dns=${dnsParameter}`
