import { buildAggregateReport, type RecordValues } from '@mailgrade/testing/build-aggregate-report'
import { expect, test } from 'vitest'
import { parseOne } from '../test/parse-one.js'
import type { AggregateRecord } from './aggregate-report.js'
import { streamOf } from './byte-stream.js'
import { classifyRecord } from './classify-record.js'

async function classify(values: RecordValues): Promise<string> {
  const records: AggregateRecord[] = []
  const content = Buffer.from(buildAggregateReport({ records: [values] }))
  await parseOne(streamOf(content), (record) => records.push(record))
  const [record] = records
  if (!record) throw new Error('no record')
  const { origin, identity } = classifyRecord(record)
  return `${origin}: ${identity.kind} ${identity.name}`
}

const dkim = (domain: string, selector = 's', result = 'pass') => ({ domain, selector, result })
const spf = (domain: string, result = 'pass') => ({ domain, result })
const FAILS = { dkim: 'fail', spf: 'fail' }

test.each<[string, RecordValues, string]>([
  ['both pass for the domain itself', {}, 'yours: own example.com'],
  [
    'the selector belongs to one service',
    { dkimResults: [dkim('example.com', 'google')] },
    'yours: service Google Workspace',
  ],
  [
    'the selector names the service that sends through another',
    {
      spf: 'fail',
      dkimResults: [dkim('amazonses.com'), dkim('example.com', 'resend')],
      spfResults: [spf('eu-west-1.amazonses.com')],
    },
    'yours: service Resend',
  ],
  [
    'a known service passes SPF with its own bounce domain',
    { spf: 'fail', spfResults: [spf('bounces.sendgrid.net')] },
    'yours: service Twilio SendGrid',
  ],
  [
    'no results are given',
    { dkimResults: [], spfResults: [], ip: '192.0.2.77' },
    'yours: network 192.0.2.0/24',
  ],
  [
    'no results are given, IPv6',
    { dkimResults: [], spfResults: [], ip: '2001:db8:1:2::3' },
    'yours: network 2001:db8:1::/48',
  ],
  [
    'there is no SPF record',
    { spf: 'fail', spfResults: [spf('example.com', 'none')] },
    'yours: own example.com',
  ],
  [
    'it is mail of a subdomain',
    {
      headerFrom: 'news.example.co.uk',
      dkimResults: [dkim('example.co.uk')],
      spfResults: [spf('x.example.co.uk')],
    },
    'yours: own example.co.uk',
  ],
])('mail that passes is yours when %s', async (_, values, expected) => {
  expect(await classify(values)).toBe(expected)
})

test.each<[string, RecordValues, string]>([
  [
    'Google signs with the default name of this customer',
    { ...FAILS, dkimResults: [dkim('example-com.20230601.gappssmtp.com')], spfResults: [] },
    'yours: service Google Workspace',
  ],
  [
    'Mailchimp signs and bounces for itself',
    { ...FAILS, dkimResults: [dkim('mcsv.net')], spfResults: [spf('mail1.suw11.mcsv.net')] },
    'yours: service Mailchimp',
  ],
  [
    'SPF passes for Amazon SES',
    { ...FAILS, dkimResults: [], spfResults: [spf('eu-west-1.amazonses.com')] },
    'yours: service Amazon SES',
  ],
  [
    'it passes for a subdomain, with strict alignment',
    { ...FAILS, dkimResults: [dkim('mail.example.com')], spfResults: [] },
    'yours: own mail.example.com',
  ],
])('mail that fails is yours when %s', async (_, values, expected) => {
  expect(await classify(values)).toBe(expected)
})

test.each<[string, RecordValues, string]>([
  [
    'SPF fails and the signature of the owner passes',
    { spf: 'fail', spfResults: [spf('example.com', 'softfail')] },
    'forwarded: network 192.0.2.0/24',
  ],
  [
    'SPF passes for an unknown domain and the signature of the owner passes',
    { spf: 'fail', spfResults: [spf('srs.forwarder.test')] },
    'forwarded: domain forwarder.test',
  ],
  [
    'a mailbox at Gmail forwards it and the signature breaks',
    {
      ...FAILS,
      dkimResults: [dkim('example.com', 'google', 'fail')],
      spfResults: [spf('gmail.com')],
    },
    'forwarded: domain gmail.com',
  ],
  [
    'a list signs it with its own domain',
    { ...FAILS, dkimResults: [dkim('lists.example.org')], spfResults: [spf('lists.example.org')] },
    'forwarded: domain example.org',
  ],
  [
    'a forwarding service passes SPF',
    { ...FAILS, dkimResults: [], spfResults: [spf('simplelogin.co')] },
    'forwarded: domain simplelogin.co',
  ],
  [
    'the receiver names a mailing list',
    { ...FAILS, dkimResults: [], spfResults: [], reasons: [{ type: 'mailing_list' }] },
    'forwarded: network 192.0.2.0/24',
  ],
  [
    'the receiver trusted ARC',
    {
      ...FAILS,
      dkimResults: [],
      spfResults: [],
      reasons: [{ type: 'local_policy', comment: 'arc=pass as.1.list.test=pass' }],
    },
    'forwarded: network 192.0.2.0/24',
  ],
])('mail is forwarded when %s', async (_, values, expected) => {
  expect(await classify(values)).toBe(expected)
})

test.each<[string, RecordValues, string]>([
  [
    'nothing passes',
    { ...FAILS, dkimResults: [], spfResults: [] },
    'unknown: network 192.0.2.0/24',
  ],
  [
    'it passes for a stranger',
    { ...FAILS, dkimResults: [dkim('spam.test')], spfResults: [spf('x.spam.test')] },
    'unknown: domain spam.test',
  ],
  [
    'a claimed signature of a service fails',
    {
      ...FAILS,
      dkimResults: [dkim('mcsv.net', 'k1', 'fail')],
      spfResults: [spf('spam.test', 'none')],
    },
    'unknown: network 192.0.2.0/24',
  ],
  [
    'Google signs with the default name of another customer',
    { ...FAILS, dkimResults: [dkim('spam-test.20230601.gappssmtp.com')], spfResults: [] },
    'unknown: domain spam-test.20230601.gappssmtp.com',
  ],
  [
    'a local policy has another reason',
    {
      ...FAILS,
      dkimResults: [],
      spfResults: [],
      reasons: [{ type: 'local_policy', comment: 'known sender' }],
    },
    'unknown: network 192.0.2.0/24',
  ],
  [
    'the results are words of the receiver',
    { dkim: 'unknown', spf: 'none', dkimResults: [], spfResults: [spf('example.com', 'fail')] },
    'unknown: network 192.0.2.0/24',
  ],
])('mail is unknown when %s', async (_, values, expected) => {
  expect(await classify(values)).toBe(expected)
})
