import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  buildAggregateReport,
  DAY,
  type RecordValues,
} from '@mailgrade/testing/build-aggregate-report'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'

/** The key is at a selector that no one guesses. */
const ZONE = `
acme.test. MX 10 mx.acme.test.
mx.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:d@acme.test"
q7x2._domainkey.acme.test. TXT "v=DKIM1; k=rsa; p=${SPKI[2048].slice(0, 200)}" "${SPKI[2048].slice(200)}"`

const TODAY = Date.UTC(2026, 10, 17) / 1000
const ORGANIZATIONS = ['google.com', 'yahoo.com', 'mail.example']

const pass = (domain: string, selector = 's') => ({ domain, selector, result: 'pass' })

const OWN: RecordValues = {
  count: 200,
  headerFrom: 'acme.test',
  envelopeFrom: 'acme.test',
  dkimResults: [pass('acme.test', 'q7x2')],
  spfResults: [pass('acme.test')],
}

const MAILCHIMP: RecordValues = {
  ...OWN,
  count: 30,
  spf: 'fail',
  envelopeFrom: 'mail1.mcsv.net',
  dkimResults: [pass('acme.test', 'k2')],
  spfResults: [pass('mail1.mcsv.net')],
}

const PAYROLL: RecordValues = {
  ...OWN,
  count: 48,
  dkim: 'fail',
  spf: 'fail',
  dkimResults: [pass('payroll.test')],
  spfResults: [pass('bounces.payroll.test')],
}

let folder: string
let reports: string
let message: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-evidence-'))
  reports = join(folder, 'reports')
  message = join(folder, 'newsletter.eml')
  mkdirSync(reports)
  for (const [index, org] of ORGANIZATIONS.entries()) {
    for (const day of Array.from({ length: 32 }, (_, number) => number)) {
      const begin = TODAY - (32 - day) * DAY
      const records = [OWN, ...(index === 0 && day === 9 ? [MAILCHIMP, PAYROLL] : [])]
      const policy = { domain: 'acme.test', p: 'none' }
      const xml = buildAggregateReport({ org, begin, end: begin + DAY - 1, policy, records })
      writeFileSync(join(reports, `${org}-${day}.xml`), xml)
    }
  }
  writeFileSync(message, MESSAGE)
})

afterAll(() => rmSync(folder, { recursive: true }))

const MESSAGE = `Received: from mail1.mcsv.net by mx.receiver.test with ESMTP; Tue, 10 Nov 2026 16:00:00 +0000
Authentication-Results: mx.receiver.test; dkim=pass header.d=acme.test header.s=k2;
 spf=pass smtp.mailfrom=b@mail1.mcsv.net
Return-Path: <b@mail1.mcsv.net>
DKIM-Signature: v=1; d=acme.test; s=k2; b=x
Date: Tue, 10 Nov 2026 16:00:00 +0000
From: news@acme.test

Hello`

const plan = (...options: string[]) =>
  runMailgrade(['plan', 'acme.test', ...options], { zone: ZONE, terminal: 100 })

const planOf = async (...options: string[]) =>
  JSON.parse((await plan(...options, '--format', 'json')).stdout)

describe('--reports', () => {
  test('looks up the selectors that reports show', async () => {
    const namesOf = ({ records }: { records: { name: string }[] }) =>
      records.map(({ name }) => name)
    const before = JSON.stringify(await planOf())
    const after = await planOf('--reports', reports)
    expect(before).not.toContain('q7x2')
    expect(JSON.stringify(after)).toContain('q7x2._domainkey')
    expect(namesOf(after)).toContain('acme.test')
  })

  test('counts the services that pass as used', async () => {
    const services = (plan: { steps: { service: string | null }[] }) =>
      plan.steps.map(({ service }) => service)
    expect(services(await planOf())).not.toContain('mailchimp')
    expect(services(await planOf('--reports', reports))).toContain('mailchimp')
  })

  test('says what they prove, and which conditions of the first stage are met', async () => {
    const { stdout } = await plan('--reports', reports)
    expect(stdout.slice(stdout.indexOf('The reports prove:')).split('\n')).toEqual([
      'The reports prove:',
      '- acme.test sends as acme.test: 19,200 messages. SPF passes for 100%, DKIM for 100%.',
      '- payroll.test may send as acme.test: 48 messages, the last on 2026-10-25. Only you can tell whether',
      '  it’s yours. Add --mine <source> or --not-mine <source>.',
      '- Mailchimp sends as acme.test: 30 messages. SPF passes for 0%, DKIM for 100%.',
      '',
      'So we also looked up the DKIM selectors q7x2, k2, and counted Mailchimp as yours.',
      '',
      'Conditions of the first stage, by your reports:',
      '? In the reports, you recognize every service that sends your mail.',
      '✓ Each of them passes DMARC with SPF or DKIM.',
      '? None of the mail that fails DMARC is yours.',
      '',
    ])
  })

  test('with an answer, the conditions are met', async () => {
    const { stdout } = await plan('--reports', reports, '--not-mine', 'payroll.test')
    expect(stdout).toContain('✓ In the reports, you recognize every service that sends your mail.')
    expect(stdout).not.toContain('payroll.test')
  })

  test('says so when a service that is no longer used still sends', async () => {
    const { stdout } = await plan('--reports', reports, '--unused', 'mailchimp')
    expect(stdout).toContain(
      'You said that you no longer use Mailchimp, but it sent 30 messages, the last on 2026-10-25.',
    )
  })

  test('refuses reports about other domains before any query', async () => {
    const line = ['plan', 'other.test', '--reports', reports]
    expect(await runMailgrade(line, { zone: ZONE })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'The reports are about acme.test, so they say nothing about other.test.\n',
    })
  })
})

describe('--message', () => {
  test('adds what the headers of a message prove', async () => {
    const { stdout } = await plan('--message', message)
    expect(stdout).toContain(
      'The message proves:\n- Mailchimp sends as acme.test: 1 message. SPF passes for 0%, DKIM for 100%.\n',
    )
    expect((await planOf('--message', message)).steps).toContainEqual(
      expect.objectContaining({ service: 'mailchimp' }),
    )
  })

  test('takes pasted headers from standard input', async () => {
    const line = ['plan', 'acme.test', '--message', '-']
    const { stdout } = await runMailgrade(line, { zone: ZONE, stdin: MESSAGE })
    expect(stdout).toContain('The message proves:')
  })

  test.each<[string, string, string]>([
    [
      'of another domain',
      'From: a@other.test\n\n',
      'is from other.test, so it says nothing about acme.test.',
    ],
    [
      'without From',
      'Subject: x\n\n',
      'doesn’t have exactly one address in From. Pass a message as your mail program saves it, or its headers.',
    ],
  ])('refuses a message %s before any query', async (_, text, reason) => {
    const file = join(folder, 'refused.eml')
    writeFileSync(file, text)
    expect(await plan('--message', file)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `${file} ${reason}\n`,
    })
  })

  test('says that a file cannot be read', async () => {
    const file = join(folder, 'none.eml')
    expect(await plan('--message', file)).toMatchObject({
      exitCode: 2,
      stderr: `We couldn’t read ${file}: there’s no such file. Check the path.\n`,
    })
  })
})

test('answers without reports are refused', async () => {
  expect(await plan('--mine', 'payroll.test')).toMatchObject({
    exitCode: 2,
    stderr: '--mine and --not-mine need --reports.\n',
  })
})
