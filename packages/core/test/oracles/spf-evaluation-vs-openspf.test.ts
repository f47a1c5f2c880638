/** Runs the evaluator on the openspf test suite for RFC 7208, which comes with pyspf. */

import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { evaluateSpf } from '../../src/checks/spf/evaluate-spf.js'
import { failingQueries, readOpenspfSuite } from './spf/spf-evaluators.js'
import { toZoneFile } from './spf/zone-data.js'

const CASES = await readOpenspfSuite()

test.each(CASES)('$name: $results', async (one) => {
  const { zone, mailFrom, helo, ip, results, explanation, checksExplanation } = one
  const dns = zoneDns(toZoneFile(zone), failingQueries(one))
  // §2.4: without a MAIL FROM, it is the postmaster of the HELO domain.
  const sender = mailFrom === '' ? helo : mailFrom
  const domain = sender.slice(sender.lastIndexOf('@') + 1).toLowerCase()
  const evaluated = await evaluateSpf(dns, domain, { ip, sender, helo, timestamp: 1_794_787_200 })
  expect(results).toContain(evaluated.result)
  if (checksExplanation) expect(evaluated.explanation).toBe(explanation)
})

test('the suite is complete', () => {
  const explained = CASES.filter(({ checksExplanation }) => checksExplanation).length
  process.stdout.write(`openspf suite: ${CASES.length} cases, ${explained} with an explanation\n`)
  expect(CASES.length).toBe(203)
  expect(explained).toBe(22)
})
