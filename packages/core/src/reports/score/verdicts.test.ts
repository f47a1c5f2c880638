/** The two answers beside the score: can a stranger send, and may the domain send in bulk? */

import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { key, txt } from '../../../test/support/dkim-story.js'
import { dmarc, scoreOf, spf, zoneOf } from '../../../test/support/score-story.js'

const WEAK = { dkim: key('default', `p=${SPKI[768]}`) }

describe('can a stranger send as the domain?', () => {
  test.each([
    ['no', 'reject', {}],
    ['no', 'reject, whatever becomes of its own mail', { spf: '', dkim: '' }],
    ['partly', 'quarantine', dmarc('p=quarantine')],
    ['partly', 'reject in test mode', dmarc('p=reject; t=y')],
    [
      'partly',
      'quarantine in test mode, which older receivers do not know',
      dmarc('p=quarantine; t=y'),
    ],
    ['partly', 'reject for a share of mail', dmarc('p=reject; pct=50')],
    ['partly', 'a weaker sp', dmarc('p=reject; sp=quarantine')],
    ['partly', 'a weaker np', dmarc('p=reject; np=none')],
    ['partly', 'a range that many share', spf('v=spf1 ip4:192.0.0.0/12 -all')],
    ['partly', 'a key that can be broken', WEAK],
    ['yes', 'none', dmarc('p=none')],
    ['yes', 'no DMARC, although SPF says -all', { dmarc: '' }],
    ['yes', 'an SPF record that lets everybody pass', spf('v=spf1 +all')],
  ] as const)('%s: %s', async (answer, _, changes) => {
    expect((await scoreOf(zoneOf(changes))).spoofable).toBe(answer)
  })
})

describe('may the domain send in bulk?', () => {
  const rsa = (tags: string, bits: keyof typeof SPKI = 2048) => ({
    dkim: key('default', `${tags}p=${SPKI[bits]}`),
  })
  const NOTHING = '*.acme.test. A 192.0.2.9\n'

  test.each([
    ['with p=none', [], [], dmarc('p=none')],
    ['with a key of 1024 bits', [], [], rsa('', 1024)],
    ['without SPF', ['spf'], [], { spf: '' }],
    ['with broken SPF', ['spf'], [], spf('v=spf1 foo:x -all')],
    ['with SPF that lets nobody send', ['spf'], [], spf('v=spf1 -all')],
    ['without DKIM', ['dkim'], [], { dkim: '' }],
    ['with a weak key', ['dkim'], [], WEAK],
    ['with a key in test mode', ['dkim'], [], rsa('t=y; ')],
    ['with a key for SHA-1', ['dkim'], [], rsa('h=sha1; ')],
    [
      'with an Ed25519 key alone',
      ['dkim'],
      [],
      { dkim: key('default', `k=ed25519; p=${ED25519}`) },
    ],
    ['without DMARC', ['dmarc'], [], { dmarc: '' }],
    ['with nothing at all', ['spf', 'dkim', 'dmarc'], [], { spf: '', dkim: '', dmarc: '' }],
    ['with DKIM that nobody can see', [], ['dkim'], { dkim: NOTHING }],
    ['with that and no SPF', ['spf'], ['dkim'], { spf: '', dkim: NOTHING }],
    ['with a revoked key', [], ['dkim'], { dkim: key('default', 'v=DKIM1; p=') }],
    [
      'with an unusable record',
      [],
      ['dkim'],
      { dkim: txt('default._domainkey.acme.test', 'v=DKIM1') },
    ],
  ])('%s', async (_, missing, unknown, changes) => {
    const ready = missing.length + unknown.length === 0
    expect((await scoreOf(zoneOf(changes))).bulkSender).toEqual({ ready, missing, unknown })
  })
})
