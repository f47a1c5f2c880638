/** BIND loads the zone files of fix plans and reads the planned records. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { tokenizeZone, unescapeOctets } from '@mailgrade/doh/zone'
import { anyCharacter } from '@mailgrade/testing/any-character'
import { SERVER_ENV } from '@mailgrade/testing/child-server'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlannedRecord } from '../../src/reports/fix-plan/planned-record.js'
import { formatZoneFile } from '../../src/reports/fix-plan/render/zone-file.js'
import { planFromZone } from '../support/plan-fixture.js'
import {
  panelRecords,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../support/planned-record-fixtures.js'
import { randomPlanDomain, randomPlanZone } from '../support/random-plans.js'
import { formatZoneLines } from '../support/random-zones.js'

const run = promisify(execFile)

const ZONE_HEAD = `$TTL 300
acme.test. IN SOA ns.host.test. hostmaster.host.test. 1 3600 900 604800 300
acme.test. IN NS ns.host.test.
`

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailgrade-zone-file-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** The messages of BIND and the records it read, one per line. */
function loadRecords(planned: readonly PlannedRecord[]) {
  return loadFragment(formatZoneFile(panelRecords(...planned)))
}

async function loadFragment(fragment: string) {
  const file = join(directory, 'acme.zone')
  await writeFile(file, ZONE_HEAD + fragment)
  // `-i none`: otherwise it would query the mail servers.
  const args = ['-i', 'none', '-D', '-o', '-', 'acme.test', file]
  const { stdout, stderr } = await run('named-checkzone', args, {
    env: SERVER_ENV,
    maxBuffer: 64 * 1024 * 1024,
  })
  return { messages: stderr, records: stdout.trimEnd().split('\n') }
}

/** Owner and text of every TXT record in the dump. */
function textsIn(records: readonly string[]): string[] {
  return tokenizeZone(records.join('\n')).flatMap(({ tokens: [owner, , , type, ...strings] }) => {
    const octets = strings.map((string) => unescapeOctets(string) ?? Buffer.from('malformed'))
    return type === 'TXT' ? [`${owner} ${Buffer.concat(octets).toString('latin1')}`] : []
  })
}

/** No error and nothing ignored. */
const LOADED = 'zone acme.test/IN: loaded serial 1\nOK\n'

test('loads a plan with every record type', async () => {
  const { messages, records } = await loadRecords([
    plannedTxt('acme.test', 'v=spf1 include:_spf.mail.test ~all', {
      action: 'replace',
      replaces: ['v=spf1 "a"\nevil.acme.test. IN TXT "x"'],
    }),
    plannedTxt('s._domainkey.acme.test', `v=DKIM1; k=rsa; p=${'A'.repeat(382)}`, {
      purpose: 'dkim',
    }),
    plannedCname('k1._domainkey.acme.test', 'k1.mail.test'),
    plannedTxt('*._domainkey.acme.test', 'v=DKIM1; p=', { purpose: 'dkim' }),
    plannedMx('acme.test', '10 mx.mail.test'),
    plannedMx('acme.test', '20 mx.mail.test', { action: 'delete' }),
    plannedMx('off.acme.test', '0 .'),
    plannedTxt('g._domainkey.acme.test', 'p={key}', {
      placeholders: [{ token: '{key}', whereToFind: 'Admin\nevil.acme.test. IN TXT "y"' }],
    }),
    plannedTxt('acme.test._report._dmarc.other.test', 'v=DMARC1', { purpose: 'dmarc' }),
  ])
  expect(messages).toBe(LOADED)
  const head = `v=DKIM1; k=rsa; p=${'A'.repeat(237)}`
  const words = records.map((line) => line.replace(/\s+/g, ' '))
  expect(words.slice(2)).toEqual([
    'acme.test. 3600 IN MX 10 mx.mail.test.',
    'acme.test. 3600 IN TXT "v=spf1 include:_spf.mail.test ~all"',
    '*._domainkey.acme.test. 3600 IN TXT "v=DKIM1; p="',
    'k1._domainkey.acme.test. 3600 IN CNAME k1.mail.test.',
    `s._domainkey.acme.test. 3600 IN TXT "${head}" "${'A'.repeat(145)}"`,
    'off.acme.test. 3600 IN MX 0 .',
  ])
})

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\r', ';', '(', ')', '$', '@', ' ', '\0', '0', '\u2028'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  ),
  maxLength: 600,
})

test('loads any text unchanged', async () => {
  const fifty = fc.array(hostile, { minLength: 50, maxLength: 50 })
  await fc.assert(
    fc.asyncProperty(fifty, async (values) => {
      const { messages, records } = await loadRecords(
        values.flatMap((value, index) => [
          plannedTxt(`n${index}.acme.test`, value, { action: 'replace', replaces: [`${value}!`] }),
          plannedTxt(`gone${index}.acme.test`, value, { action: 'delete' }),
        ]),
      )
      expect(messages).toBe(LOADED)
      const expected = values.map(
        (value, index) => `n${index}.acme.test. ${Buffer.from(value).toString('latin1')}`,
      )
      expect(textsIn(records).sort()).toEqual(expected.sort())
    }),
    { numRuns: propertyRuns(20) },
  )
})

test('loads the plans of random domains', async () => {
  await fc.assert(
    fc.asyncProperty(randomPlanZone, randomPlanDomain, async (lines, name) => {
      const plan = await planFromZone(formatZoneLines(lines), { domain: name })
      const { messages, records } = await loadFragment(plan.exports.zoneFile)
      expect(messages).toBe(LOADED)
      const published = plan.records.filter(
        ({ action, placeholders, type }) =>
          ['create', 'replace'].includes(action) && placeholders.length === 0 && type === 'TXT',
      )
      const own = published.filter((record) => record.name.endsWith('acme.test'))
      const expected = own.map((record) => `${record.name}. ${record.value}`)
      expect(textsIn(records).sort()).toEqual(expected.sort())
    }),
    { numRuns: propertyRuns(100), seed: 1035 },
  )
})
