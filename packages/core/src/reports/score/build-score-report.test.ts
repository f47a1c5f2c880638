/** The two answers beside the score: can a stranger send, and may the domain send in bulk? */

import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { keyZoneLine, txtZoneLine } from '../../../test/support/dkim-fixture.js'
import {
  fullScoreZone,
  scoreFromZone,
  withDmarc,
  withSpf,
} from '../../../test/support/score-fixture.js'

const WEAK = { dkim: keyZoneLine('default', `p=${SPKI[768]}`) }

describe('spoofable', () => {
  test.each([
    ['no', 'reject', {}],
    ['no', 'reject, whether or not its own mail passes', { spf: '', dkim: '' }],
    ['partly', 'quarantine', withDmarc('p=quarantine')],
    ['partly', 'reject in test mode', withDmarc('p=reject; t=y')],
    [
      'partly',
      'quarantine in test mode, which older receivers do not know',
      withDmarc('p=quarantine; t=y'),
    ],
    ['partly', 'reject for a share of mail', withDmarc('p=reject; pct=50')],
    ['partly', 'a weaker sp', withDmarc('p=reject; sp=quarantine')],
    ['partly', 'a weaker np', withDmarc('p=reject; np=none')],
    ['partly', 'a range that many share', withSpf('v=spf1 ip4:192.0.0.0/12 -all')],
    ['partly', 'a key that can be broken', WEAK],
    ['yes', 'none', withDmarc('p=none')],
    ['yes', 'no DMARC, although SPF says -all', { dmarc: '' }],
    ['yes', 'an SPF record that allows every server', withSpf('v=spf1 +all')],
  ] as const)('%s: %s', async (answer, _, changes) => {
    expect((await scoreFromZone(fullScoreZone(changes))).spoofable).toBe(answer)
  })
})

describe('bulk sender requirements', () => {
  const rsa = (tags: string, bits: keyof typeof SPKI = 2048) => ({
    dkim: keyZoneLine('default', `${tags}p=${SPKI[bits]}`),
  })
  const NOTHING = '*.acme.test. A 192.0.2.9\n'

  test.each([
    ['with p=none', [], [], withDmarc('p=none')],
    ['with a key of 1024 bits', [], [], rsa('', 1024)],
    ['without SPF', ['spf'], [], { spf: '' }],
    ['with broken SPF', ['spf'], [], withSpf('v=spf1 foo:x -all')],
    ['with SPF that authorizes no sender', ['spf'], [], withSpf('v=spf1 -all')],
    ['without DKIM', ['dkim'], [], { dkim: '' }],
    ['with a weak key', [], ['dkim'], WEAK],
    ['with a key in test mode', ['dkim'], [], rsa('t=y; ')],
    ['with a key for SHA-1', [], ['dkim'], rsa('h=sha1; ')],
    ['with a forwarder’s key', [], ['dkim'], { dkim: keyZoneLine('cf2024-1') }],
    [
      'with an Ed25519 key alone',
      ['dkim'],
      [],
      { dkim: keyZoneLine('default', `k=ed25519; p=${ED25519}`) },
    ],
    ['without DMARC', ['dmarc'], [], { dmarc: '' }],
    ['with nothing at all', ['spf', 'dkim', 'dmarc'], [], { spf: '', dkim: '', dmarc: '' }],
    ['with unknown DKIM', [], ['dkim'], { dkim: NOTHING }],
    ['with that and no SPF', ['spf'], ['dkim'], { spf: '', dkim: NOTHING }],
    ['with a revoked key', [], ['dkim'], { dkim: keyZoneLine('default', 'v=DKIM1; p=') }],
    [
      'with an unusable record',
      [],
      ['dkim'],
      { dkim: txtZoneLine('default._domainkey.acme.test', 'v=DKIM1') },
    ],
  ])('%s', async (_, missing, unknown, changes) => {
    const ready = missing.length + unknown.length === 0
    expect((await scoreFromZone(fullScoreZone(changes))).bulkSender).toEqual({
      ready,
      missing,
      unknown,
    })
  })
})
