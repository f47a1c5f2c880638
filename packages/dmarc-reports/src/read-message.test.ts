import { expect, test } from 'vitest'
import { readMessageEvidence } from './read-message.js'

const SIGNATURE = 'DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=k2; h=from; bh=x; b=y'

/** As Gmail shows it with "Show original". */
const MAILCHIMP = [
  'Delivered-To: ann@example.com',
  'Received: by 2002:a05:6a10:1 with SMTP id x; Tue, 10 Nov 2026 08:00:02 -0800',
  'Return-Path: <bounce-1@mail1.mcsv.net>',
  'Received: from mail1.mcsv.net (mail1.mcsv.net. [198.51.100.9]) by mx.google.com with ESMTPS id y',
  '        for <ann@example.com>; Tue, 10 Nov 2026 08:00:01 -0800',
  'Authentication-Results: mx.google.com;',
  '       dkim=pass header.i=@example.com header.s=k2 header.b=abc;',
  '       dkim=pass header.i=@mcsv.net header.s=k9 header.b=def;',
  '       spf=pass (google.com: domain of bounce-1@mail1.mcsv.net designates 198.51.100.9; ok) smtp.mailfrom=bounce-1@mail1.mcsv.net;',
  '       dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=example.com',
  SIGNATURE,
  'DKIM-Signature: v=1; a=rsa-sha256; d=mcsv.net; s=k9; h=from; bh=x; b=y',
  'Date: Tue, 10 Nov 2026 16:00:00 +0000',
  'From: "Example, News" <News@Example.com>',
  'Subject: Hello',
]

const read = (lines: readonly string[], body = '\r\n\r\nHello') =>
  readMessageEvidence(Buffer.from(lines.join('\r\n') + body))

const without = (start: string) => MAILCHIMP.filter((line) => !line.startsWith(start))

const EVIDENCE = {
  from: 'message',
  kind: 'service',
  certainty: 'certain',
  serviceId: 'mailchimp',
  name: 'Mailchimp',
  addresses: [],
  at: 'example.com',
  messages: 1,
  spfAligned: 0,
  dkimAligned: 1,
  months: ['2026-11'],
  keys: [{ domain: 'example.com', selector: 'k2' }],
  envelopeDomains: ['mail1.mcsv.net'],
  lastSeen: '2026-11-10T16:00:00.000Z',
}

test('a whole message', async () => {
  expect(await read(MAILCHIMP)).toEqual({ kind: 'evidence', evidence: EVIDENCE })
})

test.each<[string, Promise<unknown>]>([
  ['without a body', read(MAILCHIMP, '')],
  ['after empty lines', read(['', '', ...MAILCHIMP])],
  ['with the first line of an mbox', read(['From bounce@mcsv.net Tue Nov 10 2026', ...MAILCHIMP])],
])('pasted headers %s say the same', async (_, result) => {
  expect(await result).toEqual({ kind: 'evidence', evidence: EVIDENCE })
})

test.each<[string, string[]]>([
  [
    'are of another server',
    MAILCHIMP.map((line) => line.replace(': mx.google.com;', ': evil.test;')),
  ],
  ['come without the field of a server', without('Received')],
  ['are not the first', ['Authentication-Results: other.test; dkim=fail', ...MAILCHIMP]],
  [
    'were written below a server that adds none',
    [
      'Received: from x.test by mx.victim.test with ESMTP; Tue, 10 Nov 2026 16:00:00 +0000',
      ...MAILCHIMP,
    ],
  ],
])('results that %s prove nothing, but the keys are asked about', async (_, lines) => {
  const result = await read(lines)
  expect(result).toMatchObject({
    kind: 'evidence',
    evidence: {
      certainty: 'possible',
      spfAligned: 0,
      dkimAligned: 0,
      keys: [{ domain: 'example.com', selector: 'k2' }],
    },
  })
})

test('words in comments and values are not results', async () => {
  const lines = MAILCHIMP.map((line) =>
    line
      .replace(
        'dkim=pass header.i=@example.com',
        'dkim=fail (was dkim=pass; really) header.i=@example.com',
      )
      .replace(
        'bounce-1@mail1.mcsv.net;',
        '"spf=pass; dkim=pass header.d=example.com"@mail1.mcsv.net;',
      ),
  )
  expect(await read(lines)).toMatchObject({ evidence: { dkimAligned: 0, certainty: 'likely' } })
})

test('an own server whose SPF passes', async () => {
  const lines = [
    'Received: from erp.example.com by mx.receiver.test with ESMTP; Tue, 10 Nov 2026 16:00:00 +0000',
    'Authentication-Results: mx1.receiver.test 1; spf=pass smtp.mailfrom=bounce.example.com; dkim=none',
    'Return-Path: <erp@bounce.example.com>',
    'From: erp@example.com',
    'Date: Tue, 10 Nov 2026 16:00:00 +0000',
  ]
  expect(await read(lines)).toMatchObject({
    evidence: {
      kind: 'own',
      certainty: 'certain',
      spfAligned: 1,
      envelopeDomains: ['bounce.example.com'],
    },
  })
})

test.each<[string, string[], string]>([
  ['no From', without('From'), 'no-from'],
  ['two From fields', [...MAILCHIMP, 'From: other@evil.test'], 'no-from'],
  ['two addresses in From', [...without('From'), 'From: a@example.com, b@evil.test'], 'no-from'],
  ['an address literal', [...without('From'), 'From: a@[192.0.2.1]'], 'no-from'],
  ['no headers at all', ['hello there'], 'no-from'],
])('%s: nothing is proven', async (_, lines, kind) => {
  expect(await read(lines)).toEqual({ kind })
})

test('a message without a date has none', async () => {
  expect(await read(without('Date'))).toMatchObject({ evidence: { months: [], lastSeen: null } })
})

test('headers without an end are refused', async () => {
  expect(await readMessageEvidence(Buffer.alloc(2_000_000, 'x'))).toEqual({ kind: 'too-large' })
})
