import { BUSY_ZONE } from '@mailgrade/testing/plan-zones'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { toVisibleReport } from '../../visible-text.js'
import {
  describeRecords,
  firstStageStep,
  groupSteps,
  planSections,
  reportMailboxes,
  stageDate,
} from './plan-sections.js'

/** A record with too many services, so the plan has steps for most of them. */
const SERVICES_ZONE = `
  acme.test. NS ns.acme.test.
  acme.test. A 192.0.2.30
  acme.test. MX 1 smtp.google.com.
  smtp.google.com. A 192.0.2.101
  acme.test. TXT "v=spf1 a mx include:_spf.google.com include:spf.protection.outlook.com include:sendgrid.net include:servers.mcsv.net include:mail." "zendesk.com include:_spf.salesforce.com include:spf.mandrillapp.com include:_spf.shop.acme.test ~all"
  ${txtZoneLine('google._domainkey.acme.test', GOOD_KEY_RECORD)}
  _dmarc.acme.test. TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test"
  _spf.shop.acme.test. TXT "v=spf1 ip4:192.0.2.31 -all"
  _spf.google.com. TXT "v=spf1 include:_netblocks.google.com include:_netblocks2.google.com include:_netblocks3.google.com ~all"
  _netblocks.google.com. TXT "v=spf1 ip4:192.0.2.96/28 ~all"
  _netblocks2.google.com. TXT "v=spf1 ip6:2001:db8:100::/40 ~all"
  _netblocks3.google.com. TXT "v=spf1 ip4:198.51.100.0/28 ~all"
  spf.protection.outlook.com. TXT "v=spf1 ip4:192.0.2.112/28 ip6:2001:db8:200::/40 -all"
  sendgrid.net. TXT "v=spf1 ip4:198.51.100.16/28 ~all"
  servers.mcsv.net. TXT "v=spf1 ip4:198.51.100.32/28 ~all"
  mail.zendesk.com. TXT "v=spf1 ip4:198.51.100.48/28 ~all"
  _spf.salesforce.com. TXT "v=spf1 exists:%{i}._spf.mta.salesforce.com -all"
  spf.mandrillapp.com. TXT "v=spf1 ip4:198.51.100.64/28 ~all"
`

const MONITORING_ZONE = `
  acme.test. NS ns.acme.test.
  acme.test. MX 1 smtp.google.com.
  smtp.google.com. A 192.0.2.101
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 -all"
  ${txtZoneLine('google._domainkey.acme.test', GOOD_KEY_RECORD)}
  _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"
`

const NO_MAIL_ZONE = `
  acme.test. NS ns.acme.test.
  acme.test. MX 0 .
  acme.test. TXT "v=spf1 -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@reports.test"
  acme.test._report._dmarc.reports.test. TXT "v=DMARC1"
  reports.test. MX 1 mx.reports.test.
  mx.reports.test. A 192.0.2.40
`

test('separates the work of today from later and optional steps', async () => {
  const plan = await planFromZone(BUSY_ZONE)
  // As on the page, where the line ends of the calendar are marked.
  const { today, later, optional } = planSections(toVisibleReport(plan))
  expect(today.map(({ title }) => title)).toEqual([
    'Remove mail servers that don’t work',
    'Create a new key in Google Workspace',
    'Publish the new key for Google Workspace',
    'Switch Google Workspace to the new key',
    'Create a mailbox for the reports',
    'Correct the DMARC record',
    'Delete the misplaced DMARC record',
  ])
  expect(later.map(({ kind, stream, notBefore }) => [kind, stream, notBefore])).toEqual([
    ['remove', 'google', '2026-11-23'],
    ['rollout', null, '2026-12-16'],
  ])
  expect(optional.map(({ order }) => order)).toEqual([10, 11, 12])
  expect([...today, ...later, ...optional]).toEqual(plan.steps)
})

test('groups the steps of a service, which share a condition', async () => {
  const plan = await planFromZone(SERVICES_ZONE)
  const { today, optional } = planSections(plan)
  const describe = (steps: typeof today) =>
    groupSteps(steps, plan).map(({ label, steps, records, onlyIf }) => [
      label,
      steps.map(({ order }) => order),
      records.map(({ order }) => order),
      onlyIf?.slice(0, 30) ?? null,
    ])
  expect(describe(today)).toEqual([
    ['SPF', [1], [1], null],
    ['Twilio SendGrid', [2, 3, 4], [2, 3, 8], 'You still use Twilio SendGrid.'],
    ['Mailchimp', [5, 6, 7], [4, 5], 'You still use Mailchimp. If yo'],
    ['Mailchimp Transactional', [8, 9], [6, 7], 'You still use Mailchimp Transa'],
    ['Zendesk', [10, 11], [9, 10], null],
    ['Salesforce', [12, 13, 14], [11, 12], 'Salesforce doesn’t sign your m'],
    ['DKIM', [15, 16, 17], [13], 'One of the servers at acme.tes'],
    ['Microsoft 365 / Exchange Online', [18], [], null],
  ])
  expect(describe(optional)).toEqual([
    ['TLS-RPT', [20], [14], null],
    [null, [21], [], 'You can publish a file over HT'],
    [null, [22], [], 'Your DMARC policy is p=quarant'],
  ])
})

test('does not group the steps of different services', async () => {
  const plan = await planFromZone(SERVICES_ZONE)
  const steps = plan.steps.filter(({ order }) => [8, 9, 15].includes(order))
  expect(groupSteps(steps, plan).map((group) => group.steps.map(({ order }) => order))).toEqual([
    [8, 9],
    [15],
  ])
})

test('names the mailbox provider as well', async () => {
  const plan = await planFromZone(BUSY_ZONE)
  const labels = groupSteps(plan.steps, plan).map(({ label }) => label)
  expect(labels.slice(0, 3)).toEqual(['MX', 'Google Workspace', null])
})

test('counts what to publish and what to delete', async () => {
  const { records } = await planFromZone(BUSY_ZONE)
  const count = (...orders: number[]) =>
    describeRecords(records.filter(({ order }) => orders.includes(order)))
  expect([count(), count(1), count(2), count(2, 3), count(1, 2, 3)]).toEqual([
    '',
    '1 record to delete',
    '1 record',
    '2 records',
    '2 records to publish, 1 to delete',
  ])
})

test('knows whether the first stage is published already', async () => {
  const busy = await planFromZone(BUSY_ZONE)
  const monitoring = await planFromZone(MONITORING_ZONE)
  const orderOf = (plan: typeof busy) =>
    plan.rollout[0] && (firstStageStep(plan.rollout[0], plan)?.order ?? null)
  expect([orderOf(busy), orderOf(monitoring)]).toEqual([6, null])
  // A record that is only deleted publishes nothing.
  const records = busy.records.map((record) => ({ ...record, action: 'delete' as const }))
  expect(orderOf({ ...busy, records })).toBeNull()
})

test('dates each stage as the calendar does', async () => {
  const { rollout, effort, exports } = await planFromZone(BUSY_ZONE)
  const dates = rollout.map((_, index) => stageDate(rollout, index, effort.earliestEnd))
  expect(dates).toEqual(['2026-11-16', '2026-12-16', '2026-12-23', '2027-01-22', '2027-01-29'])
  const days = [...(exports.calendar ?? '').matchAll(/UID:stage[\s\S]*?DATE:(\d+)/g)]
  expect(days.map(([, day]) => day)).toEqual(dates.slice(1).map((date) => date.replaceAll('-', '')))
})

test.each([
  ['in monitoring mode', MONITORING_ZONE, ['dmarc@acme.test']],
  ['without mail', NO_MAIL_ZONE, ['dmarc@reports.test']],
  ['without records', 'acme.test. NS ns.acme.test.', []],
])('finds the mailboxes for the reports of a domain %s', async (_, zone, mailboxes) => {
  expect(reportMailboxes(await planFromZone(zone))).toEqual(mailboxes)
})

test('finds the mailboxes of a policy that the domain inherits', async () => {
  const plan = await planFromZone(MONITORING_ZONE)
  expect(reportMailboxes({ ...plan, records: [] })).toEqual(['dmarc@acme.test'])
})
