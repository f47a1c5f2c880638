/** Keys by the service that they belong to: forwarders and mailbox providers. */
import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import {
  GOOD_KEY_RECORD,
  keyZoneLine,
  requireDkimReport,
  SENDING_ZONE,
  txtZoneLine,
} from '../../../test/support/dkim-fixture.js'

describe('key of a forwarder', () => {
  test('is shown but does not count', async () => {
    const { report, issues } = await requireDkimReport(SENDING_ZONE + keyZoneLine('cf2024-1'))
    expect(report).toMatchObject({
      status: 'warn',
      presence: 'unknown',
      keys: [
        { selector: 'cf2024-1', valid: true, forwarder: true, provider: { id: 'cloudflare' } },
      ],
    })
    expect(issues).toMatchObject([
      {
        id: 'dkim.unknown',
        detail: expect.stringContaining(
          'The only key we found belongs to a service that forwards mail',
        ),
      },
      {
        id: 'dkim.forwarder-key',
        severity: 'info',
        title: expect.stringContaining(' cf2024-1 belongs to a forwarder'),
        detail: expect.stringMatching(/^Cloudflare Email Routing signs only mail/),
        evidence: [{ name: 'cf2024-1._domainkey.acme.test', type: 'TXT', value: GOOD_KEY_RECORD }],
      },
    ])
  })

  test('is not named where no key was found', async () => {
    const { issues } = await requireDkimReport(`${SENDING_ZONE} *.acme.test. A 192.0.2.1`)
    expect(issues).toMatchObject([
      { id: 'dkim.unknown', detail: expect.not.stringContaining('forwards') },
    ])
  })

  test('is recognized by the target of its CNAME', async () => {
    const { report, ids } = await requireDkimReport(`
      acme.test. MX 10 mail.anonaddy.me.
      dk1._domainkey.acme.test. CNAME dk1._domainkey.anonaddy.me.
      ${txtZoneLine('dk1._domainkey.anonaddy.me', GOOD_KEY_RECORD)}`)
    expect(report).toMatchObject({ presence: 'unknown', keys: [{ forwarder: true }] })
    expect(ids).toEqual(['dkim.unknown', 'dkim.forwarder-key'])
  })

  test('is not recognized by a selector that others use too', async () => {
    const { report, ids } = await requireDkimReport(
      `acme.test. MX 10 mx1.simplelogin.co.\n${keyZoneLine('dkim')}`,
    )
    expect(report).toMatchObject({
      presence: 'present',
      keys: [{ selector: 'dkim', forwarder: false, provider: null }],
    })
    expect(ids).toEqual([])
  })

  test('leaves the presence to the other keys', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('cf2024-1') + keyZoneLine('s1'),
    )
    expect(report).toMatchObject({ status: 'pass', presence: 'present' })
    expect(ids).toEqual(['dkim.forwarder-key'])
    const revoked = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('cf2024-1') + keyZoneLine('s1', 'v=DKIM1; p='),
    )
    expect(revoked.report.presence).toBe('unknown')
    expect(revoked.issues[0]).toMatchObject({
      id: 'dkim.revoked',
      evidence: [{ name: 's1._domainkey.acme.test' }],
    })
  })

  test('does not hide what is wrong with the other keys', async () => {
    const { ids } = await requireDkimReport(
      SENDING_ZONE +
        keyZoneLine('cf2024-1') +
        keyZoneLine('s1', `v=DKIM1; k=ed25519; p=${ED25519}`),
    )
    expect(ids).toEqual(['dkim.ed25519-only', 'dkim.forwarder-key'])
  })

  test('is a risk when it is weak, but its size is not up to the domain', async () => {
    const idsFor = async (bits: 512 | 1024) =>
      (
        await requireDkimReport(
          SENDING_ZONE + keyZoneLine('s1') + keyZoneLine('cf2024-1', `v=DKIM1; p=${SPKI[bits]}`),
        )
      ).ids
    expect(await idsFor(512)).toEqual(['dkim.weak-key', 'dkim.forwarder-key'])
    expect(await idsFor(1024)).toEqual(['dkim.forwarder-key'])
  })

  test('is present when it is the selector asked for', async () => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('cf2024-1'), {
      selector: 'cf2024-1',
    })
    expect(report).toMatchObject({ presence: 'present', keys: [{ forwarder: true }] })
    expect(ids).toEqual(['dkim.forwarder-key'])
  })
})

describe('key of the mailbox provider', () => {
  const GOOGLE = 'acme.test. MX 1 smtp.google.com.\n'
  const NOT_FOUND = 'dkim.mailbox-provider-key-not-found'

  test('is missed beside keys of others', async () => {
    const { report, issues } = await requireDkimReport(GOOGLE + keyZoneLine('s1'))
    expect(report).toMatchObject({ status: 'warn', presence: 'present' })
    expect(issues).toMatchObject([
      {
        id: NOT_FOUND,
        severity: 'low',
        title: expect.stringContaining('Google Workspace'),
        detail: expect.stringContaining(
          'Google Workspace usually has a key at google._domainkey.acme.test and google2._domainkey.acme.test,',
        ),
        fix: expect.stringMatching(
          /^Send yourself a message from Google Workspace, .* "d=acme\.test"\. .* Authenticate email\. Select your domain/,
        ),
        evidence: ['google', 'google2'].map((selector) => ({
          name: `${selector}._domainkey.acme.test`,
          type: 'TXT',
          value: 'no usable key',
        })),
      },
    ])
  })

  test('is missed beside the key of another mailbox provider', async () => {
    const microsoft = 'acme.test. MX 5 acme-test.mail.protection.outlook.com.\n'
    const { issues } = await requireDkimReport(GOOGLE + microsoft + keyZoneLine('google'))
    expect(issues).toMatchObject([
      { id: NOT_FOUND, evidence: [{ name: 'selector1._domainkey.acme.test' }, {}] },
    ])
  })

  test('has records with nothing to copy at a provider whose records are known', async () => {
    const tuta = 'acme.test. MX 0 mail.tutanota.de.\n'
    const { issues } = await requireDkimReport(tuta + keyZoneLine('google'))
    expect(issues).toMatchObject([
      {
        id: NOT_FOUND,
        fix: expect.stringMatching(
          / publish the DKIM records for Tuta \(Tutanota\), and turn on signing\. There’s nothing to copy, /,
        ),
      },
    ])
  })

  test('is found at its usual selector or behind its CNAME', async () => {
    for (const key of [keyZoneLine('google'), keyZoneLine('google', `v=DKIM1; p=${SPKI[1024]}`)]) {
      const { ids } = await requireDkimReport(GOOGLE + key + keyZoneLine('s1'))
      expect(ids).not.toContain(NOT_FOUND)
    }
    const { ids } = await requireDkimReport(`
      acme.test. MX 1 acme-test.mail.protection.outlook.com.
      s1._domainkey.acme.test. CNAME s1-acme-test._domainkey.acme.onmicrosoft.com.
      ${txtZoneLine('s1-acme-test._domainkey.acme.onmicrosoft.com', GOOD_KEY_RECORD)}`)
    expect(ids).toEqual([])
  })

  test('is missed when it is revoked', async () => {
    const { ids } = await requireDkimReport(
      GOOGLE + keyZoneLine('google', 'v=DKIM1; p=') + keyZoneLine('s1'),
    )
    expect(ids).toEqual([NOT_FOUND])
  })

  test.each([
    ['no key was found', GOOGLE, {}],
    ['only a forwarder’s key was found', GOOGLE + keyZoneLine('cf2024-1'), {}],
    ['the provider is unknown', SENDING_ZONE + keyZoneLine('s1'), {}],
    [
      'its selector could not be looked up',
      GOOGLE + keyZoneLine('s1'),
      { failing: { 'TXT google._domainkey.acme.test': 'timeout' as const } },
    ],
    [
      'each of its customers has another selector',
      `acme.test. MX 10 mx1.emailsrvr.com.\n${keyZoneLine('s1')}`,
      {},
    ],
    [
      'a wildcard has a key for every selector',
      GOOGLE +
        keyZoneLine('s1') +
        txtZoneLine('*._domainkey.acme.test', `n=x; ${GOOD_KEY_RECORD.slice(9)}`),
      {},
    ],
    ['one selector was asked for', GOOGLE + keyZoneLine('s1'), { selector: 's1' }],
  ])('is not missed when %s', async (_, zone, options) => {
    expect((await requireDkimReport(zone, options)).ids).not.toContain(NOT_FOUND)
  })
})

test('asks no one to edit a key behind the CNAME of a known service', async () => {
  const { ids } = await requireDkimReport(`${SENDING_ZONE}
    k2._domainkey.acme.test. CNAME dkim2.mcsv.net.
    ${txtZoneLine('dkim2.mcsv.net', `p=${SPKI[2048]}`)}`)
  expect(ids).not.toContain('dkim.missing-version')
})
