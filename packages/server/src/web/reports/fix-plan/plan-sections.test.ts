import { toVisibleReport } from '@mailgrade/core'
import { expect, test } from 'vitest'
import { BUSY_ZONE, planDemoDomain, planZone } from '../../../../test/support/plan-fixtures.js'
import {
  describeRecords,
  firstStageStep,
  groupSteps,
  planSections,
  reportMailboxes,
  stageDate,
} from './plan-sections.js'

test('separates the work of today from later and optional steps', async () => {
  const plan = await planZone(BUSY_ZONE)
  // As on the page, where the line ends of the calendar are marked.
  const { today, later, optional } = planSections(toVisibleReport(plan))
  expect(today.map(({ title }) => title)).toEqual([
    'Remove mail servers that do not work',
    'Create a new key at Google Workspace',
    'Publish the new key of Google Workspace',
    'Switch Google Workspace to the new key',
    'Create a mailbox for the reports',
    'Correct the DMARC record',
    'Delete the DMARC record that is in the wrong place',
  ])
  expect(later.map(({ step, date }) => [step.title, date])).toEqual([
    ['Remove the old key of Google Workspace', '2026-11-23'],
    ['Read the reports, then tighten the policy in stages', null],
  ])
  expect(optional.map(({ order }) => order)).toEqual([10, 11, 12])
  expect([...today, ...later.map(({ step }) => step), ...optional]).toEqual(plan.steps)
})

test('groups the steps of a service, which share a condition', async () => {
  const plan = await planDemoDomain('lookups.test')
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
    ['Twilio SendGrid', [2, 3, 4], [2, 3, 12], 'You still use Twilio SendGrid.'],
    ['Mailchimp', [5, 6, 7], [4, 5], 'You still use Mailchimp. If no'],
    ['Zendesk', [8, 9], [6, 7], null],
    ['Salesforce', [10, 11, 12], [8, 9], 'Salesforce does not sign your '],
    ['Mailchimp Transactional', [13, 14], [10, 11], 'You still use Mailchimp Transa'],
    ['Microsoft 365 / Exchange Online', [15], [], null],
  ])
  expect(describe(optional)).toEqual([
    ['DKIM', [17, 18, 19], [13], 'The server at lookups.test or '],
    ['TLS-RPT', [20], [14], null],
    [null, [21], [], 'You can publish a file over HT'],
    [null, [22], [], 'The DMARC policy is p=quaranti'],
  ])
})

test('does not group the steps of different services', async () => {
  const plan = await planDemoDomain('lookups.test')
  const steps = plan.steps.filter(({ order }) => [8, 9, 15].includes(order))
  expect(groupSteps(steps, plan).map((group) => group.steps.map(({ order }) => order))).toEqual([
    [8, 9],
    [15],
  ])
})

test('names the mailbox provider as well', async () => {
  const plan = await planZone(BUSY_ZONE)
  const labels = groupSteps(plan.steps, plan).map(({ label }) => label)
  expect(labels.slice(0, 3)).toEqual(['MX', 'Google Workspace', null])
})

test('counts what to publish and what to delete', async () => {
  const { records } = await planZone(BUSY_ZONE)
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
  const busy = await planZone(BUSY_ZONE)
  const monitoring = await planDemoDomain('monitoring.test')
  const orderOf = (plan: typeof busy) =>
    plan.rollout[0] && (firstStageStep(plan.rollout[0], plan)?.order ?? null)
  expect([orderOf(busy), orderOf(monitoring)]).toEqual([6, null])
  // A record that is only deleted publishes nothing.
  const records = busy.records.map((record) => ({ ...record, action: 'delete' as const }))
  expect(orderOf({ ...busy, records })).toBeNull()
})

test('dates each stage as the calendar does', async () => {
  const { rollout, effort, exports } = await planZone(BUSY_ZONE)
  const dates = rollout.map((_, index) => stageDate(rollout, index, effort.earliestEnd))
  expect(dates).toEqual(['2026-11-16', '2026-12-16', '2026-12-23', '2027-01-22', '2027-01-29'])
  const days = [...(exports.calendar ?? '').matchAll(/UID:stage[\s\S]*?DATE:(\d+)/g)]
  expect(days.map(([, day]) => day)).toEqual(dates.slice(1).map((date) => date.replaceAll('-', '')))
})

test.each([
  ['monitoring.test', ['dmarc@monitoring.test']],
  ['locked.test', ['dmarc@good.test']],
  ['nothing.test', []],
])('finds the mailboxes for the reports of %s', async (domain, mailboxes) => {
  expect(reportMailboxes(await planDemoDomain(domain))).toEqual(mailboxes)
})

test('finds the mailboxes of a policy that the domain inherits', async () => {
  const plan = await planDemoDomain('monitoring.test')
  expect(reportMailboxes({ ...plan, records: [] })).toEqual(['dmarc@monitoring.test'])
})
