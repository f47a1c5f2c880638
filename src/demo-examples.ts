/** The answers that the documents show, made when somebody first looks. */
import { exampleAnswers } from './discovery/examples.js'
import { failed } from './dns/dns.js'
import { createLookup } from './dns/lookup.js'
import { createDemoDns } from './dns/zone/demo-dns.js'
import { once } from './http/once.js'
import { OPERATIONS } from './operations/table.js'

/** What the operations answer to their examples, from the demo zones alone. */
export function examplesOnDemand(): () => Promise<ReadonlyMap<string, object>> {
  return once(() => {
    const demo = createDemoDns({ ask: async () => failed('unreachable', 'not a demo name') })
    return exampleAnswers(OPERATIONS, (subject) =>
      createLookup(demo(subject), { deadlineMs: 5_000 }),
    )
  })
}
