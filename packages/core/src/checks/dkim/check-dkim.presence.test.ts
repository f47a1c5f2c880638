import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import {
  GOOD_KEY_RECORD,
  keyZoneLine,
  requireDkimReport,
  SENDING_ZONE,
  txtZoneLine,
  withDomainKeyDname,
  withNodataForNxdomain,
  withNxdomainForDomainKey,
} from '../../../test/support/dkim-fixture.js'

const REVOKED = 'v=DKIM1; p='
const hidden = keyZoneLine('nobody-guesses-this')

describe('no key at any selector', () => {
  test('is proven absent when _domainkey does not exist', async () => {
    const { report, issues } = await requireDkimReport(`acme.test. MX 1 smtp.google.com.`)
    expect(report).toMatchObject({ status: 'fail', presence: 'absent', keys: [], wildcard: false })
    expect(issues).toMatchObject([
      {
        id: 'dkim.missing',
        severity: 'high',
        detail: expect.stringContaining('"_domainkey.acme.test" doesn’t exist'),
        fix: expect.stringMatching(
          /^In Google Workspace, .* 2048-bit key\. .* "<selector>\._domainkey\.acme\.test"\./,
        ),
        reference: 'RFC 8020 §2',
      },
    ])
  })

  test('is an unknown selector when _domainkey exists', async () => {
    const { report, issues } = await requireDkimReport(SENDING_ZONE + hidden)
    expect(report).toMatchObject({ status: 'pass', presence: 'unknown', keys: [] })
    expect(issues).toMatchObject([
      {
        id: 'dkim.unknown-selector',
        severity: 'info',
        detail: expect.stringContaining('acme.test probably signs its mail'),
        fix: expect.stringMatching(/"s=" tag\. .* Check acme\.test again with it/),
      },
    ])
  })

  test('is unknown when the server denies no name', async () => {
    for (const zone of [SENDING_ZONE, SENDING_ZONE + hidden]) {
      const { report, issues } = await requireDkimReport(zone, { through: withNodataForNxdomain })
      expect(report).toMatchObject({ status: 'warn', presence: 'unknown', wildcard: false })
      expect(issues).toMatchObject([
        {
          id: 'dkim.unknown',
          severity: 'low',
          detail: expect.stringContaining(
            `None of the ${report.selectorsTried.length} selectors we tried`,
          ),
          fix: expect.stringMatching(/"s=" tag\. .* Check acme\.test again with it/),
        },
      ])
    }
  })

  test('is unknown when a wildcard answers for every name', async () => {
    const { report, ids } = await requireDkimReport(`${SENDING_ZONE} *.acme.test. A 192.0.2.1`)
    expect(report).toMatchObject({ presence: 'unknown', wildcard: false })
    expect(ids).toEqual(['dkim.unknown'])
  })

  test('a found key outweighs a denied parent', async () => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1'), {
      through: withNxdomainForDomainKey,
    })
    expect(report).toMatchObject({ presence: 'present', keys: [{ selector: 's1' }] })
    expect(ids).toEqual([])
  })

  test('a wildcard’s key makes the result unknown', async () => {
    const zone = SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', GOOD_KEY_RECORD)
    const { report, ids } = await requireDkimReport(zone, { through: withNxdomainForDomainKey })
    expect(report.presence).toBe('unknown')
    expect(ids).toEqual(['dkim.unknown', 'dkim.wildcard'])
  })

  test('a broken key or a CNAME shows that selectors exist', async () => {
    for (const found of [keyZoneLine('s1', 'p=x'), 's1._domainkey.acme.test. CNAME gone.test.']) {
      const { report, ids } = await requireDkimReport(SENDING_ZONE + found, {
        through: withNxdomainForDomainKey,
      })
      expect(report.presence).toBe('unknown')
      expect(ids).toContain('dkim.unknown-selector')
      expect(ids).not.toContain('dkim.missing')
    }
  })

  test('ignores TXT records that are not DKIM', async () => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', 'v=spf1 -all'))
    expect(report).toMatchObject({ presence: 'unknown', keys: [] })
    expect(ids).toEqual(['dkim.unknown-selector'])
  })
})

describe('only revoked keys', () => {
  test('are reported, but other selectors may exist', async () => {
    const { report, issues } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', REVOKED))
    expect(report).toMatchObject({ status: 'fail', presence: 'unknown', keys: [{ revoked: true }] })
    expect(issues).toMatchObject([
      {
        id: 'dkim.revoked',
        evidence: [{ name: 's1._domainkey.acme.test', type: 'TXT', value: REVOKED }],
      },
    ])
  })

  test('with a broken key among them are unknown', async () => {
    const { ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', REVOKED) + keyZoneLine('s2', 'p=x'),
    )
    expect(ids).toEqual(['dkim.unknown-selector', 'dkim.malformed'])
  })
})

describe('domain that declares no mail', () => {
  test.each([
    ['by SPF', 'acme.test. TXT "v=spf1 -all"'],
    ['by a null MX', 'acme.test. MX 0 .'],
    ['by both', 'acme.test. MX 0 .\nacme.test. TXT "v=spf1 -all"'],
  ])('%s needs no key', async (_, zone) => {
    const { report, issues } = await requireDkimReport(zone)
    expect(report).toMatchObject({ status: 'pass', presence: 'absent' })
    expect(issues).toMatchObject([{ id: 'dkim.not-needed', severity: 'info' }])
  })

  test('may revoke all selectors', async () => {
    const { report, ids } = await requireDkimReport(
      `acme.test. MX 0 .\n${txtZoneLine('*._domainkey.acme.test', REVOKED)}`,
    )
    expect(report).toMatchObject({ status: 'pass', presence: 'absent', wildcard: true, keys: [] })
    expect(ids).toEqual(['dkim.not-needed', 'dkim.wildcard-revoked'])
  })

  test('with keys is judged by them', async () => {
    const { ids } = await requireDkimReport(
      `acme.test. MX 0 .\n${keyZoneLine('s1', `v=DKIM1; p=${SPKI[512]}`)}`,
    )
    expect(ids).toEqual(['dkim.weak-key'])
  })
})

describe('wildcard', () => {
  test('that revokes every selector proves absence', async () => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', REVOKED),
    )
    expect(report).toMatchObject({ status: 'fail', presence: 'absent', wildcard: true, keys: [] })
    expect(issues).toMatchObject([
      { id: 'dkim.revoked', evidence: [{ name: '*._domainkey.acme.test' }] },
      {
        id: 'dkim.wildcard-revoked',
        severity: 'info',
        evidence: [{ name: '*._domainkey.acme.test', type: 'TXT', value: REVOKED }],
      },
    ])
  })

  test('that revokes all others does not affect a key', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1') + txtZoneLine('*._domainkey.acme.test', REVOKED),
    )
    expect(report).toMatchObject({
      status: 'pass',
      presence: 'present',
      keys: [{ selector: 's1' }],
    })
    expect(ids).toEqual(['dkim.wildcard-revoked'])
  })

  test('with a key proves no selector', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', GOOD_KEY_RECORD),
    )
    expect(report).toMatchObject({ presence: 'unknown', wildcard: true, keys: [] })
    expect(ids).toEqual(['dkim.unknown', 'dkim.wildcard'])
  })

  test('above _domainkey proves nothing', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + txtZoneLine('*.acme.test', GOOD_KEY_RECORD),
    )
    expect(report).toMatchObject({ presence: 'unknown', wildcard: true, keys: [] })
    expect(ids).toEqual(['dkim.unknown', 'dkim.wildcard'])
  })

  test('with a weak key is reported', async () => {
    const { report, ids, issues } = await requireDkimReport(
      SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', `v=DKIM1; p=${SPKI[512]}`),
    )
    expect(report).toMatchObject({ status: 'fail', keys: [] })
    expect(ids).toEqual(['dkim.unknown', 'dkim.weak-key', 'dkim.wildcard'])
    expect(issues[1]).toMatchObject({
      title: expect.stringContaining('* (512 bits)'),
      fix: expect.stringContaining('delete the record at *._domainkey.acme.test.'),
    })
  })

  test('is never named after the random label', async () => {
    for (const text of [
      REVOKED,
      GOOD_KEY_RECORD,
      `p=${SPKI[512]}`,
      'p=-----BEGIN PRIVATE KEY-----MIIE',
    ]) {
      const { issues } = await requireDkimReport(
        SENDING_ZONE + txtZoneLine('*._domainkey.acme.test', text),
      )
      expect(JSON.stringify(issues)).toContain('"*._domainkey.acme.test"')
      expect(JSON.stringify(issues)).not.toContain('made-up')
    }
  })

  test('without DKIM records is ignored', async () => {
    for (const text of ['v=spf1 -all', 'v=DMARC1; p=reject']) {
      const { report, ids } = await requireDkimReport(
        SENDING_ZONE + txtZoneLine('*.acme.test', text),
      )
      expect(report).toMatchObject({ presence: 'unknown', wildcard: true, keys: [] })
      expect(ids).toEqual(['dkim.unknown'])
    }
  })

  test('is distinguished from a real key in any record order', async () => {
    const wildcard =
      txtZoneLine('*._domainkey.acme.test', 'one') + txtZoneLine('*._domainkey.acme.test', 'two')
    const { report, ids } = await requireDkimReport(SENDING_ZONE + wildcard + keyZoneLine('s1'))
    expect(report).toMatchObject({ presence: 'present', keys: [{ selector: 's1' }] })
    expect(ids).toEqual([])
  })

  test('that is a CNAME makes no selector dangling', async () => {
    const { report, ids } = await requireDkimReport(
      `${SENDING_ZONE} *.acme.test. CNAME parking.test.\nparking.test. A 192.0.2.1`,
    )
    expect(report).toMatchObject({ presence: 'unknown', wildcard: true })
    expect(ids).toEqual(['dkim.unknown'])
  })

  test('that is a DNAME makes no selector dangling', async () => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE, { through: withDomainKeyDname })
    expect(report).toMatchObject({ presence: 'unknown', wildcard: true })
    expect(ids).toEqual(['dkim.unknown-selector'])
  })
})
