/** The answers that the documents show, made when somebody first looks. */

import { createReportDns } from '@mailgrade/doh'
import { failed } from '@mailgrade/doh/dns'
import { exampleResults } from '../discovery/example-results.js'
import { memoizeAsync } from '../http/memoize-async.js'
import { OPERATIONS } from '../operations/operations.js'
import { createDemoDns } from './demo-dns.js'

/** What the operations answer to their examples, from the demo zones alone. */
export function createDemoExamples(): () => Promise<ReadonlyMap<string, object>> {
  return memoizeAsync(() => {
    const demo = createDemoDns({ query: async () => failed('unreachable', 'not a demo name') })
    return exampleResults(OPERATIONS, (subject) =>
      createReportDns(demo(subject), { deadlineMs: 5_000 }),
    )
  })
}
