/** The questions that server and clients of the DNS benchmark agree on. */
import { type EncodedQuestion, encodeQuestion } from '../packages/doh/src/doh/resolver.js'

/** More than are ever in flight at once, so that no two of them can share an answer. */
const COUNT = 256

export const QUESTIONS: readonly EncodedQuestion[] = Array.from({ length: COUNT }, (_, index) =>
  encodeQuestion({ name: `d${index}.bench.test`, type: 'TXT' }),
).filter((question) => question !== null)

export const pathOf = ({ query }: EncodedQuestion) => `/dns-query?dns=${query}`
