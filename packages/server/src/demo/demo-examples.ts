/** The answers that the documents show, made when somebody first looks. */

import { createLookup } from '@mailgrade/doh'
import { failed } from '@mailgrade/doh/dns'
import { exampleAnswers } from '../discovery/examples.js'
import { once } from '../http/once.js'
import { OPERATIONS } from '../operations/table.js'
import { createDemoDns } from './demo-dns.js'

/** What the operations answer to their examples, from the demo zones alone. */
export function examplesOnDemand(): () => Promise<ReadonlyMap<string, object>> {
  return once(() => {
    const demo = createDemoDns({ ask: async () => failed('unreachable', 'not a demo name') })
    return exampleAnswers(OPERATIONS, (subject) =>
      createLookup(demo(subject), { deadlineMs: 5_000 }),
    )
  })
}
