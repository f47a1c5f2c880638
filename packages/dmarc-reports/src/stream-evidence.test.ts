import type { RecordValues } from '@mailgrade/testing/build-aggregate-report'
import { expect, test } from 'vitest'
import { fails, pass, tell } from '../test/tell-story.js'
import { streamEvidence } from './stream-evidence.js'

const mailchimp: RecordValues = {
  count: 10,
  ip: '198.51.100.9',
  spf: 'fail',
  envelopeFrom: 'mail1.mcsv.net',
  dkimResults: [pass('example.com', 'k2'), pass('mcsv.net', 'k9')],
  spfResults: [pass('mail1.mcsv.net')],
}

const payroll: RecordValues = {
  ...fails,
  count: 48,
  ip: '198.51.100.7',
  envelopeFrom: 'bounces.payroll.test',
  dkimResults: [pass('payroll.test')],
  spfResults: [pass('bounces.payroll.test')],
}

const invoices: RecordValues = { ...fails, count: 5, ip: '203.0.113.9', envelopeFrom: '' }

const once =
  (...records: readonly RecordValues[]) =>
  (day: number) =>
    day === 8 ? records : []

test('a service, with its keys at the domain and its bounce domain', async () => {
  const evidence = streamEvidence(await tell({ sends: once(mailchimp) }))
  expect(evidence.find(({ kind }) => kind === 'service')).toEqual({
    from: 'reports',
    kind: 'service',
    certainty: 'certain',
    serviceId: 'mailchimp',
    name: 'Mailchimp',
    addresses: ['198.51.100.9'],
    at: 'example.com',
    messages: 10,
    spfAligned: 0,
    dkimAligned: 10,
    months: ['2026-10'],
    keys: [{ domain: 'example.com', selector: 'k2' }],
    envelopeDomains: ['mail1.mcsv.net'],
    lastSeen: '2026-10-27T23:59:59.000Z',
  })
})

test.each<[string, RecordValues, object]>([
  ['the own server', {}, { kind: 'own', certainty: 'certain', name: 'example.com' }],
  [
    'a service that passes only as itself, which anyone could use',
    { ...mailchimp, dkim: 'fail', dkimResults: [pass('mcsv.net', 'k9')] },
    { kind: 'service', certainty: 'likely', serviceId: 'mailchimp', keys: [] },
  ],
  ['a source to ask about', payroll, { kind: 'unknown', certainty: 'possible', keys: [] }],
  [
    'a service below the domain',
    { ...mailchimp, headerFrom: 'news.example.com', dkimResults: [pass('news.example.com', 'k3')] },
    { at: 'news.example.com', keys: [{ domain: 'news.example.com', selector: 'k3' }] },
  ],
])('%s', async (_, record, expected) => {
  const evidence = streamEvidence(await tell({ sends: once(record) }))
  expect(evidence).toContainEqual(expect.objectContaining(expected))
})

test('what the owner calls theirs is certain', async () => {
  const mine = ['payroll.test', '203.0.113.0/24']
  const evidence = streamEvidence(await tell({ sends: once(payroll, invoices), mine }))
  expect(evidence.map(({ name, kind, certainty }) => [name, kind, certainty])).toEqual([
    ['example.com', 'own', 'certain'],
    ['payroll.test', 'unknown', 'certain'],
    ['203.0.113.0/24', 'own', 'certain'],
  ])
})

test('forwarders and probable forgers are no one’s stream', async () => {
  const listed = { ...fails, count: 4, reasons: [{ type: 'mailing_list' }] }
  const evidence = streamEvidence(await tell({ sends: once(listed, invoices) }))
  expect(evidence.map(({ name }) => name)).toEqual(['example.com'])
})
