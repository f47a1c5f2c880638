import { BUSY_ZONE } from '@mailgrade/testing/plan-zones'
import { expect, test } from 'vitest'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { toVisibleReport } from '../../visible-text.js'
import { planFiles, recordsCsv } from './plan-files.js'

test('holds exactly what the report has, although pages mark line ends', async () => {
  const plan = await planFromZone(BUSY_ZONE)
  const files = planFiles(toVisibleReport(plan))
  expect(files.map(({ label, name, type }) => [label, name, type])).toEqual([
    ['JSON', 'acme.test-fix-plan.json', 'application/json'],
    ['CSV', 'acme.test-fix-plan.csv', 'text/csv'],
    ['Zone file', 'acme.test-fix-plan.zone', 'text/dns'],
    ['Calendar', 'acme.test-fix-plan.ics', 'text/calendar'],
  ])
  const [json, csv, zone, calendar] = files.map(({ content }) => content)
  expect(JSON.parse(json ?? '')).toEqual(plan)
  expect(csv).toBe(recordsCsv(plan.records))
  expect(zone).toBe(plan.exports.zoneFile)
  expect(calendar).toBe(plan.exports.calendar)
})

test('has Terraform if the plan has it', async () => {
  const plan = await planFromZone('acme.test. NS ada.ns.cloudflare.com.')
  const terraform = planFiles(plan).find(({ label }) => label === 'Terraform')
  expect(terraform?.content).toBe(plan.exports.terraform)
  expect(terraform?.name).toBe('acme.test-fix-plan.tf')
})

test('leaves out only the files that would not be exact', async () => {
  const plan = await planFromZone(`
    acme.test. NS ns.acme.test.
    acme.test. MX 1 mx.acme.test.
    mx.acme.test. A 192.0.2.1
    acme.test. TXT "v=spf1 include:\\226\\128\\174x.test -all"
  `)
  const contents = planFiles(toVisibleReport(plan)).map(({ label, content }) => [
    label,
    content !== null,
  ])
  expect(Object.fromEntries(contents)).toMatchObject({ JSON: false, CSV: false, 'Zone file': true })
})

test.each([
  ['a mark as text', '⟨U+202E⟩', ['JSON', 'CSV', 'Zone file', 'Calendar']],
  ['an invisible character', '\u202e', ['JSON', 'Zone file', 'Calendar']],
  ['both', '⟨U+202E⟩\u202e', ['JSON', 'Zone file', 'Calendar']],
])('of the original plan, takes %s for what it is', async (_, text, exact) => {
  const octets = [...Buffer.from(text)].map((octet) => `\\${`${octet}`.padStart(3, '0')}`)
  const plan = await planFromZone(`
    acme.test. NS ns.acme.test.
    acme.test. MX 1 mx.acme.test.
    mx.acme.test. A 192.0.2.1
    acme.test. TXT "v=spf1 mx -all"
    _dmarc.acme.test. TXT "v=DMARC1; p=none; x=${octets.join('')}"
  `)
  const files = planFiles(plan, { isOriginal: true })
  expect(files.filter(({ content }) => content !== null).map(({ label }) => label)).toEqual(exact)
  expect(JSON.parse(files[0]?.content ?? '')).toEqual(plan)
})

test('writes a table that no spreadsheet runs', async () => {
  const { records } = await planFromZone(BUSY_ZONE)
  const [mx] = records
  if (!mx) throw new Error('no record')
  const record = { ...mx, name: '=HYPERLINK("x")', value: '+1', replaces: ['a', 'b'], why: '' }
  const placeholders = [{ token: '{key}', whereToFind: '-there, "here"' }]
  expect(recordsCsv([{ ...record, placeholders, onlyIf: '@SUM(A1)', service: '-x' }])).toBe(
    [
      '\ufefforder,action,type,name,value,ttl,purpose,service,optional,only if,fill in,replaces',
      `1,delete,MX,"'=HYPERLINK(""x"")",'+1,3600,mx,'-x,no,'@SUM(A1),"{key}: -there, ""here""","a\nb"`,
      '',
    ].join('\r\n'),
  )
})
