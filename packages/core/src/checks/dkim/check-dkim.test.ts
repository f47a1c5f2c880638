import { createRsaPublicKey, ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import {
  GOOD_KEY_RECORD,
  keyZoneLine,
  requireDkimReport,
  SENDING_ZONE,
  txtZoneLine,
} from '../../../test/support/dkim-fixture.js'

const ED25519_KEY = `v=DKIM1; k=ed25519; p=${ED25519}`
const rsa = (bits: keyof typeof SPKI, tags = '') => `v=DKIM1; k=rsa; ${tags}p=${SPKI[bits]}`

describe('domain with a good key', () => {
  test('passes and shows the key in full', async () => {
    const { report, issues } = await requireDkimReport(
      `acme.test. MX 1 smtp.google.com.\n${keyZoneLine('google', rsa(2048, 't=s; s=email; h=sha256; '))}`,
    )
    expect(report).toMatchObject({
      domain: 'acme.test',
      status: 'pass',
      presence: 'present',
      selectorsFailed: [],
      wildcard: false,
    })
    expect(report.keys).toEqual([
      {
        selector: 'google',
        name: 'google._domainkey.acme.test',
        record: rsa(2048, 't=s; s=email; h=sha256; '),
        keyType: 'rsa',
        keySize: 2048,
        valid: true,
        revoked: false,
        testing: false,
        strictDomain: true,
        hashAlgorithms: ['sha256'],
        serviceTypes: ['email'],
        problems: [],
        cname: [],
        provider: { id: 'google', name: 'Google Workspace' },
        forwarder: false,
      },
    ])
    expect(issues).toEqual([])
  })

  test('shows an internationalized name in Unicode', async () => {
    const domain = 'xn--mller-kva.test'
    const { report } = await requireDkimReport(`${domain}. A 192.0.2.1`, { domain })
    expect(report).toMatchObject({ domain, unicodeDomain: 'müller.test' })
  })
})

describe('provider of a key', () => {
  test('comes from the last known CNAME target', async () => {
    const { report } = await requireDkimReport(`${SENDING_ZONE}
      s1._domainkey.acme.test. CNAME s1.domainkey.u1.wl2.sendgrid.net.
      s1.domainkey.u1.wl2.sendgrid.net. CNAME pdk1.domainkey.mailgun.org.
      pdk1.domainkey.mailgun.org. CNAME keys.unknown.test.
      ${txtZoneLine('keys.unknown.test', GOOD_KEY_RECORD)}`)
    expect(report.keys).toMatchObject([
      {
        selector: 's1',
        cname: [
          's1.domainkey.u1.wl2.sendgrid.net',
          'pdk1.domainkey.mailgun.org',
          'keys.unknown.test',
        ],
        provider: { id: 'mailgun', name: 'Mailgun' },
      },
    ])
  })

  test('does not come from the selector alone', async () => {
    const { report } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('google') + keyZoneLine('s1'),
    )
    expect(report.keys.map((found) => found.provider)).toEqual([null, null])
  })
})

describe('short key', () => {
  test('below 1024 bits is critical', async () => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('k1', rsa(512)) + keyZoneLine('s1'),
    )
    expect(report).toMatchObject({ status: 'fail', presence: 'present' })
    expect(issues).toEqual([
      {
        id: 'dkim.weak-key',
        severity: 'critical',
        title: 'Attackers can break the DKIM key at k1 (512 bits)',
        detail: expect.stringContaining('sign forged mail as acme.test'),
        fix: 'Create a 2048-bit key in your mail service, and publish its record at a new selector. Switch signing to the new selector. Wait a week for mail that’s still in transit to arrive. Only then delete the record at k1._domainkey.acme.test.',
        evidence: [{ name: 'k1._domainkey.acme.test', type: 'TXT', value: rsa(512) }],
        reference: 'RFC 8301 §3.2',
      },
    ])
  })

  test.each([
    [768, ['dkim.weak-key']],
    [1023, ['dkim.weak-key']],
    [1024, ['dkim.short-key']],
    [1536, ['dkim.short-key']],
    [2048, []],
    [4096, []],
  ] as const)('%i bits: %j', async (bits, expected) => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('k1', rsa(bits)))
    expect(report.keys).toMatchObject([{ keySize: bits, valid: true }])
    expect(ids).toEqual(expected)
  })

  test('2047 bits are too few', async () => {
    const { ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('k1', `v=DKIM1; p=${createRsaPublicKey(2047)}`),
    )
    expect(ids).toEqual(['dkim.short-key'])
  })

  test('below 2048 bits should be replaced at its provider', async () => {
    const { report, issues } = await requireDkimReport(
      `acme.test. MX 1 smtp.google.com.\n${keyZoneLine('google', rsa(1024))}`,
    )
    expect(report.status).toBe('warn')
    expect(issues).toMatchObject([
      {
        severity: 'medium',
        fix: expect.stringMatching(
          /^Create a 2048-bit key in Google Workspace, .* a new selector\. Switch signing .* Only then/,
        ),
      },
    ])
  })

  test.each([
    [512, 'dkim.weak-key'],
    [1024, 'dkim.short-key'],
  ] as const)('of %i bits behind a CNAME is up to its host', async (bits, id) => {
    const cname = `s1._domainkey.acme.test. CNAME s1.domainkey.u1.wl2.sendgrid.net.
      ${txtZoneLine('s1.domainkey.u1.wl2.sendgrid.net', rsa(bits))}`
    const hosted = await requireDkimReport(SENDING_ZONE + cname)
    expect(hosted.issues).toMatchObject([
      {
        id,
        fix: expect.stringMatching(
          /^Ask Twilio SendGrid .* leave the CNAME at s1\._domainkey\.acme\.test as it is/,
        ),
      },
    ])
    const mixed = await requireDkimReport(SENDING_ZONE + cname + keyZoneLine('k1', rsa(bits)))
    expect(mixed.issues).toMatchObject([
      { id, fix: expect.stringMatching(/^Create a 2048-bit key in your mail service,/) },
    ])
  })

  test('does not apply to Ed25519', async () => {
    const { ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1') + keyZoneLine('s2', ED25519_KEY),
    )
    expect(ids).toEqual([])
  })
})

describe('key that receivers must refuse', () => {
  const refused = [
    ['dkim.weak-key', rsa(512)],
    ['dkim.weak-key', rsa(1023)],
    ['dkim.sha1-only', rsa(2048, 'h=sha1; ')],
  ] as const

  test.each(refused)('%s does not make DKIM present: %s', async (id, record) => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', record))
    expect(report).toMatchObject({ status: 'fail', presence: 'unknown', keys: [{ valid: true }] })
    expect(ids).toEqual([id])
    const requested = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', record), {
      selector: 's1',
    })
    expect(requested.report.presence).toBe('absent')
    expect(requested.ids).toEqual([id])
  })

  test('leaves DKIM present beside a key that they accept', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', rsa(512)) + keyZoneLine('s2'),
    )
    expect(report.presence).toBe('present')
    expect(ids).toEqual(['dkim.weak-key'])
  })

  test('of each kind: both are reported', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', rsa(512)) + keyZoneLine('s2', rsa(2048, 'h=sha1; ')),
    )
    expect(report.presence).toBe('unknown')
    expect(ids).toEqual(['dkim.weak-key', 'dkim.sha1-only'])
  })
})

describe('large key', () => {
  test.each([4097, 6144, 8192, 16384])('of %i bits is reported with its size', async (bits) => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', `v=DKIM1; p=${createRsaPublicKey(bits)}`),
    )
    expect(report).toMatchObject({
      status: 'warn',
      presence: 'present',
      keys: [{ keySize: bits, valid: true }],
    })
    expect(issues).toMatchObject([
      {
        id: 'dkim.large-key',
        severity: 'low',
        title: expect.stringContaining(`s1 (${bits} bits)`),
        fix: expect.stringMatching(/^Create a 2048-bit key in .* at a new selector\./),
        reference: 'RFC 8301 §3.2',
      },
    ])
  })
})

describe('limited keys', () => {
  test('all keys in testing mode', async () => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', rsa(2048, 't=y; ')),
    )
    expect(report.keys).toMatchObject([{ testing: true, valid: true }])
    expect(issues).toMatchObject([{ id: 'dkim.testing', severity: 'medium' }])
  })

  test('some keys in testing mode', async () => {
    const { issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', rsa(2048, 't=y; ')) + keyZoneLine('s2'),
    )
    expect(issues).toMatchObject([
      {
        id: 'dkim.testing',
        title: 'The DKIM key at s1 is in test mode',
        fix: expect.stringContaining('remove "t=y" from the record at s1._domainkey.acme.test.'),
      },
    ])
  })

  test('only Ed25519', async () => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', ED25519_KEY))
    expect(report.keys).toMatchObject([{ keyType: 'ed25519', keySize: 256 }])
    expect(ids).toEqual(['dkim.ed25519-only'])
  })

  test('Ed25519 beside a revoked RSA key', async () => {
    const { ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', ED25519_KEY) + keyZoneLine('s2', 'v=DKIM1; p='),
    )
    expect(ids).toEqual(['dkim.ed25519-only'])
  })

  test('only SHA-1', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', rsa(2048, 'h=sha1; ')),
    )
    expect(report).toMatchObject({ status: 'fail', keys: [{ hashAlgorithms: ['sha1'] }] })
    expect(ids).toEqual(['dkim.sha1-only'])
  })

  test('SHA-1 at one of several keys', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', rsa(2048, 'h=sha1; ')) + keyZoneLine('s2'),
    )
    expect(report.status).toBe('warn')
    expect(ids).toEqual(['dkim.sha1-key'])
  })

  test('not for email', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', rsa(2048, 's=tlsrpt; ')) + keyZoneLine('s2'),
    )
    expect(report.keys).toMatchObject([{ valid: false, serviceTypes: ['tlsrpt'] }, { valid: true }])
    expect(ids).toEqual(['dkim.not-for-email'])
  })

  test('an obsolete tag or a missing version does no harm', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', `g=*; p=${SPKI[2048]}`),
    )
    expect(report).toMatchObject({ status: 'pass', presence: 'present' })
    expect(ids).toEqual(['dkim.obsolete-tags', 'dkim.missing-version'])
  })

  test('a revoked key beside a good one is normal', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', 'v=DKIM1; t=y; s=tlsrpt; p=') + keyZoneLine('s2'),
    )
    expect(report.keys).toMatchObject([{ revoked: true, valid: false, keySize: null }, {}])
    expect(ids).toEqual([])
  })
})

describe('faulty records', () => {
  test('show each fault and its remedy', async () => {
    const broken = `v=DKIM1; k=dsa; p=${SPKI[2048]}`
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', broken) + keyZoneLine('s2'),
    )
    expect(report).toMatchObject({ status: 'warn', presence: 'present' })
    expect(report.keys[0]).toMatchObject({
      record: broken,
      keyType: null,
      keySize: null,
      valid: false,
      problems: [expect.stringContaining('k="dsa"')],
    })
    expect(issues).toMatchObject([
      {
        id: 'dkim.malformed',
        title: 'Receivers can’t use the DKIM record at s1',
        detail: expect.stringContaining(
          's1._domainkey.acme.test: Receivers don’t recognize the key type k="dsa"',
        ),
        fix: expect.stringMatching(/^s1\._domainkey\.acme\.test: Write k=rsa, or k=ed25519 if/),
        evidence: [{ name: 's1._domainkey.acme.test', type: 'TXT', value: broken }],
      },
    ])
  })

  test('a private key is critical', async () => {
    const leaked = 'v=DKIM1; p=-----BEGIN PRIVATE KEY-----MIIE'
    const { report, ids, issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', leaked) + keyZoneLine('s2'),
    )
    expect(report.status).toBe('fail')
    expect(ids).toEqual(['dkim.private-key', 'dkim.malformed'])
    expect(issues[0]?.fix).toMatch(
      /^Create a new key pair .* at a new selector\. Switch signing .* Delete the record at s1\._domainkey\.acme\.test, and every record with the public half of the leaked key\./,
    )
  })

  test('several at one selector, keys or not', async () => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE +
        keyZoneLine('s1') +
        keyZoneLine('s1', rsa(4096)) +
        keyZoneLine('s2') +
        keyZoneLine('s2', 'hello'),
    )
    expect(report.keys.map((found) => [found.selector, found.keySize])).toEqual([
      ['s1', 2048],
      ['s1', 4096],
      ['s2', 2048],
    ])
    expect(issues).toMatchObject([
      {
        id: 'dkim.several-records',
        evidence: [
          { value: GOOD_KEY_RECORD },
          { value: rsa(4096) },
          { value: GOOD_KEY_RECORD },
          { value: 'hello' },
        ],
      },
    ])
  })

  test('one key in two records is truncated and repeated', async () => {
    const { ids } = await requireDkimReport(
      SENDING_ZONE +
        keyZoneLine('s1', GOOD_KEY_RECORD.slice(0, 255)) +
        keyZoneLine('s1', GOOD_KEY_RECORD.slice(255)) +
        keyZoneLine('s2'),
    )
    expect(ids).toEqual(['dkim.malformed', 'dkim.several-records'])
  })

  test('two broken records at one selector are named once', async () => {
    const { issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', 'p=x') + keyZoneLine('s1', 'p=y') + keyZoneLine('s2'),
    )
    expect(issues[0]).toMatchObject({
      title: 'Receivers can’t use the DKIM record at s1',
      evidence: { length: 2 },
    })
  })

  test('one key in two strings is fine', async () => {
    const strings = `"${GOOD_KEY_RECORD.slice(0, 255)}" "${GOOD_KEY_RECORD.slice(255)}"`
    const { ids } = await requireDkimReport(
      `${SENDING_ZONE} s1._domainkey.acme.test. TXT ${strings}`,
    )
    expect(ids).toEqual([])
  })

  test('names all of several', async () => {
    const { issues } = await requireDkimReport(
      SENDING_ZONE +
        ['s1', 's2', 'k1', 'dkim', 'mail', 'smtp', 'default']
          .map((s) => keyZoneLine(s, 'p=x'))
          .join(''),
    )
    expect(issues.find((issue) => issue.id === 'dkim.malformed')).toMatchObject({
      title: expect.stringMatching(/ records at default, s1, s2, k1, dkim, mail, and smtp$/),
      evidence: { length: 7 },
    })
  })
})

describe('dangling CNAME', () => {
  test('is reported with the whole chain', async () => {
    const { report, issues } = await requireDkimReport(`${SENDING_ZONE} ${keyZoneLine('s2')}
      s1._domainkey.acme.test. CNAME s1.gone.test.
      s1.gone.test. CNAME s1.nowhere.test.`)
    expect(report.status).toBe('warn')
    expect(issues).toMatchObject([
      {
        id: 'dkim.dangling-cname',
        title: 'The DKIM CNAME at s1._domainkey.acme.test points nowhere',
        detail: expect.stringMatching(/no key at s1\.nowhere\.test,.*registering its domain/),
        evidence: [
          { name: 's1._domainkey.acme.test', type: 'CNAME', value: 's1.gone.test' },
          { name: 's1.gone.test', type: 'CNAME', value: 's1.nowhere.test' },
        ],
      },
    ])
  })

  test('may lead to a name without a TXT record', async () => {
    const { ids } = await requireDkimReport(`${SENDING_ZONE} ${keyZoneLine('s2')}
      s1._domainkey.acme.test. CNAME web.test.
      web.test. A 192.0.2.1`)
    expect(ids).toEqual(['dkim.dangling-cname'])
  })

  const microsoft = (selector: string) =>
    `${selector}._domainkey.acme.test. CNAME ${selector}-acme-test._domainkey.acme.onmicrosoft.com.\n`

  test('is spare when its sibling at the same service has a key', async () => {
    const { report, ids } = await requireDkimReport(
      SENDING_ZONE +
        microsoft('selector1') +
        microsoft('selector2') +
        txtZoneLine('selector1-acme-test._domainkey.acme.onmicrosoft.com', GOOD_KEY_RECORD),
    )
    expect(report.keys).toMatchObject([
      { selector: 'selector1', provider: { id: 'microsoft365' }, cname: { length: 1 } },
    ])
    expect(ids).toEqual([])
  })

  test('is not spare when the other key belongs to another service', async () => {
    const { ids } = await requireDkimReport(`${SENDING_ZONE} ${microsoft('selector1')}
      s1._domainkey.acme.test. CNAME s1.domainkey.u1.wl2.sendgrid.net.
      ${txtZoneLine('s1.domainkey.u1.wl2.sendgrid.net', GOOD_KEY_RECORD)}`)
    expect(ids).toEqual(['dkim.dangling-cname'])
  })

  test('at both selectors is no sign that mail is signed, and no takeover', async () => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + microsoft('selector1') + microsoft('selector2'),
    )
    expect(report.presence).toBe('unknown')
    expect(issues.map(({ id }) => id)).toEqual(['dkim.unknown-selector', 'dkim.dangling-cname'])
    expect(issues[0]?.detail).not.toContain('probably signs')
    expect(issues[1]?.detail).not.toContain('registering')
  })
})
