import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { checkSpfZone, requireSpfReport } from '../../../test/support/spf-fixture.js'

/** All networks with a prefix of this length, which together are all of IPv4. */
function everyNetwork(prefix: number): string {
  const first = Array.from({ length: 2 ** prefix }, (_, index) => index * 2 ** (8 - prefix))
  return first.map((octet) => `ip4:${octet}.0.0.0/${prefix}`).join(' ')
}

describe('record that lets every sender pass', () => {
  test.each([
    ['+all', '+all'],
    ['all', 'all'],
    ['mx +all', '+all'],
    ['ip4:0.0.0.0/0 -all', 'ip4:0.0.0.0/0'],
    ['ip6:::/0 -all', 'ip6:::/0'],
    ['a/0 -all', 'a/0'],
    ['a//0 -all', 'a//0'],
    ['ip4:128.0.0.0/1 ip4:192.0.2.1 ip4:0.0.0.0/1 -all', /ip4:128\.0\.0\.0\/1/],
    ['ip4:0.0.0.0/2 ip4:64.0.0.0/2 ip4:128.0.0.0/2 ip4:192.0.0.0/2 -all', /ip4:0\.0\.0\.0\/2/],
    [`${everyNetwork(3)} -all`, /ip4:0\.0\.0\.0\/3/],
    ['exists:acme.test -all', 'exists:acme.test'],
    ['exists:%{d} -all', 'exists:%{d}'],
  ])('%s', async (terms, named) => {
    const { report, issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 ${terms}"
      acme.test. A 192.0.2.1
      acme.test. AAAA 2001:db8::1
      acme.test. MX 0 .
    `)
    expect(report).toMatchObject({ status: 'fail', valid: true, authorizesSenders: true })
    expect(issues[0]).toMatchObject({
      id: 'spf.allows-everyone',
      severity: 'critical',
      title: expect.stringMatching(/^Anyone can send as acme\.test because of /),
      evidence: [{ name: 'acme.test', type: 'TXT', value: `v=spf1 ${terms}` }],
    })
    expect(issues[0]?.title).toMatch(named)
  })

  test.each(['exists:%{i}.acme.test', 'exists:%{l}._users.%{d}', 'exists:%{ir}.%{v}.acme.test'])(
    '%s, because of a wildcard',
    async (term) => {
      const { report, issues } = await checkSpfZone(`
        acme.test. TXT "v=spf1 ${term} -all"
        *.acme.test. A 192.0.2.1
      `)
      expect(report.status).toBe('fail')
      expect(issues[0]).toMatchObject({
        id: 'spf.allows-everyone',
        title: `Anyone can send as acme.test because of ${term}`,
      })
    },
  )

  test('a list of senders by address does not', async () => {
    const { issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 exists:%{i}._spf.acme.test -all"
      192.0.2.1._spf.acme.test. A 127.0.0.2
    `)
    expect(issues).toEqual([])
  })

  test('a wildcard costs one query for each sender that is tried', async () => {
    const { queries } = await checkSpfZone(`
      acme.test. TXT "v=spf1 a mx exists:%{i}._spf.acme.test -all"
      acme.test. A 192.0.2.1
      acme.test. MX 0 mail.acme.test.
      mail.acme.test. A 192.0.2.2
      *._spf.acme.test. A 127.0.0.2
    `)
    expect(queries.filter((query) => query.startsWith('A ')).toSorted()).toEqual([
      'A 240.83.12.201._spf.acme.test',
      'A 251.7.166.38._spf.acme.test',
      'A acme.test',
      'A mail.acme.test',
    ])
  })

  test.each([
    ['mx +all', '+all'],
    ['ip4:0.0.0.0/0 -all', 'ip4:0.0.0.0/0'],
  ])('%s: advises naming the senders, with DMARC relaxed first', async (terms, term) => {
    const { issues } = await checkSpfZone(`acme.test. TXT "v=spf1 ${terms}"\nacme.test. MX 0 .`)
    expect(issues[0]?.fix).toMatch(
      /^If your DMARC policy is quarantine or reject, set it to "p=none"/,
    )
    expect(issues[0]?.fix).toContain(
      `In the SPF record at acme.test, replace ${term} with the terms for these services, and end the record in "~all".`,
    )
    expect(issues[0]?.fix).toMatch(/Once the reports show that [^.]+, restore the DMARC policy\.$/)
  })

  test('is found in an included record', async () => {
    const { issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test -all"
      b.test.    TXT "v=spf1 redirect=c.test"
      c.test.    TXT "v=spf1 +all"
    `)
    expect(issues).toMatchObject([
      {
        id: 'spf.allows-everyone',
        title: 'Anyone can send as acme.test because of +all',
        fix: expect.stringContaining(
          'In your own SPF record, remove the term that leads to c.test',
        ),
        evidence: [{ name: 'c.test', type: 'TXT', value: 'v=spf1 +all' }],
      },
    ])
  })

  test.each([
    '-all',
    '~all',
    '?all',
    '-ip4:0.0.0.0/0 -all',
    '?include:open.test -all',
    '-include:open.test -all',
    'include:closed.test -all',
    'exists:gone.test -all',
    'exists:%{i}.acme.test -all',
    'ip4:0.0.0.0/2 ip4:128.0.0.0/1 -all',
    '-all +all',
    'a:gone.test/0 -all',
  ])('does not include "v=spf1 %s"', async (terms) => {
    const { ids } = await checkSpfZone(`
      acme.test.   TXT "v=spf1 ${terms}"
      acme.test.   A 192.0.2.1
      open.test.   TXT "v=spf1 +all"
      closed.test. TXT "v=spf1 ?all"
    `)
    expect(ids).not.toContain('spf.allows-everyone')
  })
})

describe('default result', () => {
  test('reports "?all"', async () => {
    const { report, issues } = await checkSpfZone('acme.test. TXT "v=spf1 ip4:192.0.2.1 ?all x=y"')
    expect(report).toMatchObject({ status: 'warn', allQualifier: '?', allResult: 'neutral' })
    expect(issues).toMatchObject([
      {
        id: 'spf.neutral-all',
        severity: 'medium',
        fix: expect.stringContaining('reads: "v=spf1 ip4:192.0.2.1 ~all x=y"'),
        record: { type: 'TXT', name: 'acme.test', value: 'v=spf1 ip4:192.0.2.1 ~all x=y' },
        evidence: [{ name: 'acme.test', type: 'TXT', value: 'v=spf1 ip4:192.0.2.1 ?all x=y' }],
      },
    ])
  })

  test.each(['v=spf1 ip4:192.0.2.300 a ?all', 'v=spf1 ip4:192.0.2.300 a'])(
    'shows no record that still has an invalid term ("%s")',
    async (text) => {
      const { issues } = await checkSpfZone(`acme.test. A 192.0.2.1\nacme.test. TXT "${text}"`)
      const [finding] = issues.filter(({ id }) => /^spf\.(?:neutral|no)-all$/.test(id))
      expect(finding?.fix).toMatch(/^Correct the terms that aren’t valid first\..* "~all"/)
      expect(`${finding?.fix} ${finding?.record?.value}`).not.toContain('192.0.2.300')
    },
  )

  test.each(['v=spf1 ip4:192.0.2.1', 'v=spf1 ip4:192.0.2.1  '])(
    'without "all" is the same ("%s")',
    async (text) => {
      const { report, issues } = await checkSpfZone(`acme.test. TXT "${text}"`)
      expect(report).toMatchObject({
        status: 'warn',
        valid: true,
        allQualifier: null,
        allResult: 'neutral',
      })
      expect(issues).toMatchObject([
        {
          id: 'spf.no-all',
          severity: 'medium',
          fix: expect.stringContaining('reads: "v=spf1 ip4:192.0.2.1 ~all"'),
          record: { type: 'TXT', name: 'acme.test', value: 'v=spf1 ip4:192.0.2.1 ~all' },
        },
      ])
    },
  )

  test('comes from the target of a redirect, even one of another operator', async () => {
    const neutral = await checkSpfZone(
      'acme.test. TXT "v=spf1 redirect=b.test"\nb.test. TXT "v=spf1 ip4:192.0.2.1 ?all"',
    )
    expect(neutral.issues).toMatchObject([
      {
        id: 'spf.neutral-all',
        fix: expect.stringMatching(
          /In the record at b\.test, .* reads: "v=spf1 ip4:192\.0\.2\.1 ~all".* publish a separate one for acme\.test\./,
        ),
        evidence: [{ name: 'b.test' }],
      },
    ])
    const none = await checkSpfZone(
      'acme.test. TXT "v=spf1 redirect=b.test"\nb.test. TXT "v=spf1 ip4:192.0.2.1"',
    )
    expect(none.report.allResult).toBe('neutral')
    expect(none.issues).toMatchObject([
      {
        id: 'spf.no-all',
        fix: expect.stringContaining('"~all" at the end of the record at b.test'),
      },
    ])
    for (const { record } of [...neutral.issues, ...none.issues]) expect(record).toBeUndefined()
  })

  test('does not come from an include', async () => {
    const { report } = await checkSpfZone(
      'acme.test. TXT "v=spf1 include:b.test ~all"\nb.test. TXT "v=spf1 -all"',
    )
    expect(report).toMatchObject({ allQualifier: '~', allResult: 'softfail' })
  })
})

describe('wide range', () => {
  test.each(['ip4:5.0.0.0/15', 'ip6:2001:db8::/31', 'a/8', 'mx:acme.test//16'])(
    'such as %s lets strangers send',
    async (term) => {
      const { report, issues } = await checkSpfZone(`
        acme.test. TXT "v=spf1 ${term} -all"
        acme.test. A 192.0.2.1
        acme.test. AAAA 2001:db8::1
        acme.test. MX 0 acme.test.
      `)
      expect(report).toMatchObject({ status: 'warn', valid: true })
      expect(issues).toMatchObject([
        {
          id: 'spf.wide-range',
          severity: 'medium',
          title: `${term} allows a very wide range of addresses`,
          fix: expect.stringContaining(`In the SPF record at acme.test, replace ${term} with`),
        },
      ])
    },
  )

  test.each(['ip4:5.0.0.0/16', 'ip6:2001:db8::/32', 'ip4:192.0.2.1', '-ip4:5.0.0.0/8'])(
    'is not %s',
    async (term) => {
      const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ip4:192.0.2.9 ${term} -all"`)
      expect(ids).toEqual([])
    },
  )

  test('in own records, including subdomains and redirects: advises changing it', async () => {
    const { issues } = await checkSpfZone(`
      acme.test.      TXT "v=spf1 include:_spf.acme.test redirect=b.test"
      _spf.acme.test. TXT "v=spf1 ip4:5.0.0.0/8 ip4:7.0.0.0/8 -all"
      b.test.         TXT "v=spf1 ip4:6.0.0.0/8 -all"
    `)
    expect(issues).toMatchObject([
      {
        id: 'spf.wide-range',
        fix: expect.stringContaining(
          'In the SPF record at _spf.acme.test and b.test, replace ip4:5.0.0.0/8, ip4:7.0.0.0/8, and ip4:6.0.0.0/8 with',
        ),
        evidence: [{ name: '_spf.acme.test' }, { name: 'b.test' }],
      },
    ])
  })

  const included = (vendor: string) => `
    acme.test. TXT "v=spf1 include:${vendor} -all"
    ${vendor}. TXT "v=spf1 ip4:40.92.0.0/15 ip4:52.100.0.0/14 ptr include:b.${vendor} -all"
    b.${vendor}. TXT "v=spf1 ip4:104.47.0.0/10 ip4:10.0.0.1 -all"
  `

  test('in the record of an unknown operator is reported', async () => {
    const { ids, issues } = await checkSpfZone(included('spf.unknown.test'))
    expect(ids).toEqual(['spf.wide-range', 'spf.private-address', 'spf.ptr'])
    for (const { fix } of issues)
      expect(fix).toMatch(/^Ask whoever runs (?:b\.)?spf\.unknown\.test/)
  })

  test('in the record of a known service is not reported', async () => {
    const { report, ids } = await checkSpfZone(included('spf.protection.outlook.com'))
    expect(report).toMatchObject({ status: 'pass', lookupCount: 3 })
    expect(ids).toEqual([])
  })
})

describe('a name that the sender alone chooses', () => {
  test.each(['exists:%{l}.users.acme.test', 'exists:%{S}.acme.test', 'exists:%{h}.acme.test'])(
    '%s asks nothing about the server',
    async (term) => {
      const { issues, report } = await checkSpfZone(
        `acme.test. TXT "v=spf1 ip4:192.0.2.1 ${term} -all"`,
      )
      expect(report.status).toBe('fail')
      expect(issues).toMatchObject([
        {
          id: 'spf.open-local-part',
          severity: 'high',
          title: `Any server can send as some of your addresses because of ${term}`,
          evidence: [{ name: 'acme.test' }],
        },
      ])
    },
  )

  test.each([
    // RFC 7208 §7.2: %{i} is the address of the server, and %{p} its validated name.
    'exists:%{ir}.%{l}.users.acme.test',
    'exists:%{p}.%{l}.acme.test',
    '?exists:%{l}.users.acme.test',
    'a:%{l}.users.acme.test',
    'include:%{l}.users.acme.test',
  ])('is not open in %s', async (term) => {
    const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ip4:192.0.2.1 ${term} -all"`)
    expect(ids).not.toContain('spf.open-local-part')
  })

  test('is not reached through an include that lets no one pass', async () => {
    const { ids } = await checkSpfZone(`
      acme.test.  TXT "v=spf1 ip4:192.0.2.1 ?include:b.acme.test -all"
      b.acme.test. TXT "v=spf1 exists:%{l}.users.acme.test -all"`)
    expect(ids).toEqual([])
  })

  test('in the record of someone else is theirs to change', async () => {
    const { issues } = await checkSpfZone(`
      acme.test.  TXT "v=spf1 include:spf.vendor.test -all"
      spf.vendor.test. TXT "v=spf1 exists:%{l}.users.vendor.test -all"`)
    expect(issues[0]?.fix).toMatch(/^Ask whoever runs spf\.vendor\.test/)
  })

  test('counts once where a wildcard lets every sender pass', async () => {
    const { ids } = await checkSpfZone(`
      acme.test.  TXT "v=spf1 exists:%{l}.users.acme.test -all"
      *.users.acme.test. A 127.0.0.2`)
    expect(ids).toEqual(['spf.allows-everyone'])
  })
})

describe('no sender passes', () => {
  test.each([
    ['where a broken term ends the reading', 'acme.test. TXT "v=spf1 foo +all"', 'spf.syntax'],
    [
      'where two records cancel each other',
      'acme.test. TXT "v=spf1 +all"\nacme.test. TXT "v=spf1 -all"',
      'spf.multiple-records',
    ],
  ])('%s', async (_, zone, id) => {
    const { ids } = await checkSpfZone(zone)
    expect(ids).toEqual([id])
  })

  test.each([
    ['a:h.test//0', 'h.test. A 192.0.2.1', false],
    ['a:h.test//0', 'h.test. AAAA 2001:db8::1', true],
    ['a:h.test/0', 'h.test. AAAA 2001:db8::1', false],
    ['mx:h.test/0', 'h.test. MX 1 m.test.\nm.test. A 192.0.2.1', true],
    ['mx:h.test//0', 'h.test. MX 1 m.test.\nm.test. A 192.0.2.1', false],
  ])('with the wrong address family: %s with %s', async (term, host, isOpen) => {
    const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ${term} -all"\n${host}`)
    expect(ids.includes('spf.allows-everyone')).toBe(isOpen)
  })
})

describe('private address', () => {
  test.each([
    'ip4:10.0.0.1',
    'ip4:172.16.0.0/16',
    'ip4:192.168.1.0/24',
    'ip4:127.0.0.1',
    'ip6:fd00::1',
    'ip6:fe80::1/64',
    'ip6:::1',
  ])('reports only %s', async (term) => {
    const { report, issues } = await checkSpfZone(
      `acme.test. TXT "v=spf1 ${term} ip4:192.0.2.1 -all"`,
    )
    expect(report.status).toBe('warn')
    expect(issues).toMatchObject([
      {
        id: 'spf.private-address',
        severity: 'low',
        title: `${term} is a private address`,
        fix: expect.stringContaining(`In the SPF record at acme.test, replace ${term} with`),
      },
    ])
  })

  test.each(['ip4:10.0.0.0/8', 'ip4:172.16.0.0/12', 'ip6:fc00::/7'])(
    'is %s, but not too wide: no one can send from it',
    async (term) => {
      const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ${term} -all"`)
      expect(ids).toEqual(['spf.private-address'])
    },
  )

  test.each(['ip4:0.0.0.0/1', 'ip4:172.16.0.0/11', 'ip4:10.0.0.0/7', 'ip4:192.168.0.0/8'])(
    'is not %s, most of which is public',
    async (term) => {
      const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ${term} -all"`)
      expect(ids).toEqual(['spf.wide-range'])
    },
  )
})

test('reports "ptr" with or without a host', async () => {
  const { report, issues, queries } = await checkSpfZone(`
    acme.test.      TXT "v=spf1 ?ptr include:_spf.acme.test -all"
    _spf.acme.test. TXT "v=spf1 ptr:acme.test -all"
  `)
  expect(report).toMatchObject({ status: 'warn', valid: true, lookupCount: 3 })
  expect(issues).toMatchObject([
    {
      id: 'spf.ptr',
      severity: 'low',
      title: 'The SPF record at acme.test and _spf.acme.test uses “ptr”',
      evidence: [{ name: 'acme.test' }, { name: '_spf.acme.test' }],
    },
  ])
  expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test', 'TXT _spf.acme.test'])
})

describe('everyone', () => {
  test.each([
    ['-ip4:0.0.0.0/0 -ip6:::/0 +all', false],
    ['-ip4:192.0.2.0/24 +all', true],
    ['ip6:::/1 ip6:8000::/1 -all', true],
    ['ip6:2000::/3 -all', true],
    ['ip6:2001:db8::/32 -all', false],
    ['ip4:0.0.0.0/2 ip4:64.0.0.0/2 ip4:128.0.0.0/1 -all', true],
    ['ip4:0.0.0.0/1 -all', false],
  ])('may send with "v=spf1 %s": %s', async (terms, isOpen) => {
    const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ${terms}"`)
    expect(ids.includes('spf.allows-everyone')).toBe(isOpen)
  })
})

describe('a record that no sender passes', () => {
  test.each([
    ['a host without an address', 'a:mial.acme.test -all'],
    ['mx without mail servers', 'mx -all'],
    ['a neutral include', '?include:_spf.google.com -all'],
    ['a range that an earlier term excludes', '-ip4:192.0.2.0/24 ip4:192.0.2.1 -all'],
    ['"all" alone', '~all'],
  ])('%s is a finding', async (_, terms) => {
    const { report, issues } = await checkSpfZone(`
      acme.test.       TXT "v=spf1 ${terms}"
      _spf.google.com. TXT "v=spf1 ip4:192.0.2.96/28 ~all"
    `)
    expect(report).toMatchObject({ valid: true, authorizesSenders: false, status: 'fail' })
    expect(issues.find(({ id }) => id === 'spf.names-nobody')).toMatchObject({
      severity: 'high',
      title: 'SPF doesn’t let any server send as acme.test',
    })
  })

  test.each([
    'v=spf1 -all',
    'v=spf1 exp=why.acme.test -all',
    'v=spf1 -all ra=postmaster',
    'v=spf1 redirect=none.test',
  ])('"%s" declares that the domain sends no mail', async (record) => {
    const { report, ids } = await checkSpfZone(
      `acme.test. TXT "${record}"\nnone.test. TXT "v=spf1 -all"`,
    )
    expect(report).toMatchObject({ declaresNoSenders: true, namesSenders: false })
    expect(ids).toEqual([])
  })
})

describe('mailbox provider', () => {
  const GOOGLE = `
    acme.test.            MX 1 smtp.google.com.
    smtp.google.com.      A 192.0.2.200
    smtp.google.com.      AAAA 2001:db8::200
    _spf.google.com.      TXT "v=spf1 include:_netblocks.google.com ~all"
    _netblocks.google.com. TXT "v=spf1 ip4:192.0.2.128/25 ip6:2001:db8:1::/48 ~all"
  `
  const missing = async (zone: string) => {
    const { issues } = await checkSpfZone(zone)
    return issues.find(({ id }) => id === 'spf.mailbox-provider-missing')
  }

  test('that SPF does not authorize is a finding with the record to publish', async () => {
    expect(await missing(`${GOOGLE} acme.test. TXT "v=spf1 mx -all"`)).toMatchObject({
      severity: 'high',
      title: 'SPF doesn’t allow Google Workspace to send',
      fix: expect.stringContaining('"acme.test TXT v=spf1 include:_spf.google.com mx -all"'),
      record: { type: 'TXT', name: 'acme.test', value: 'v=spf1 include:_spf.google.com mx -all' },
      evidence: [{ type: 'MX', value: 'smtp.google.com' }, { type: 'TXT' }],
    })
  })

  test.each([
    ['its include', 'include:_spf.google.com ~all'],
    ['its addresses', 'ip4:192.0.2.0/24 ~all'],
    ['an own record that includes it', 'include:_spf.acme.test ~all'],
    ['a redirect', 'redirect=_spf.acme.test'],
    ['macros that depend on the sender', 'include:%{i}.spf.test ~all'],
  ])('is authorized by %s', async (_, terms) => {
    const zone = `${GOOGLE} acme.test. TXT "v=spf1 ${terms}"
      _spf.acme.test. TXT "v=spf1 include:_spf.google.com ~all"`
    expect(await missing(zone)).toBeUndefined()
  })

  test('is missed beside another that is authorized', async () => {
    const zone = `${GOOGLE} acme.test. MX 5 acme-test.mail.protection.outlook.com.
      spf.protection.outlook.com. TXT "v=spf1 ip4:203.0.113.0/24 -all"
      acme.test. TXT "v=spf1 include:_spf.google.com -all"`
    expect(await missing(zone)).toMatchObject({
      title: 'SPF doesn’t allow Microsoft 365 / Exchange Online to send',
      record: { value: 'v=spf1 include:spf.protection.outlook.com include:_spf.google.com -all' },
    })
  })

  test('that sends through another service needs the includes of both', async () => {
    const zone = `
      acme.test.               MX 10 mx1.dreamhost.com.
      mx1.dreamhost.com.       A 192.0.2.200
      acme.test.               TXT "v=spf1 ip4:203.0.113.1 -all"
      netblocks.dreamhost.com. TXT "v=spf1 ip4:192.0.2.0/24 ~all"`
    expect((await missing(zone))?.record?.value).toBe(
      'v=spf1 include:netblocks.dreamhost.com include:relay.mailchannels.net ip4:203.0.113.1 -all',
    )
  })

  test('is unknown when its own record cannot be looked up', async () => {
    const dns = zoneDns(`${GOOGLE} acme.test. TXT "v=spf1 mx -all"`, {
      'TXT _netblocks.google.com': 'servfail',
    })
    const { ids } = await requireSpfReport(dns)
    expect(ids).toEqual([])
  })
})

test.each([
  ['spf.neutral-all', ['v=spf1 ip4:192.0.2.1 ?all'], 'v=spf1 ip4:192.0.2.1 ~all'],
  ['spf.no-all', ['v=spf1 ip4:192.0.2.1'], 'v=spf1 ip4:192.0.2.1 ~all'],
  ['spf.missing', ['v=spf1; ip4:192.0.2.1 -all'], 'v=spf1 ip4:192.0.2.1 ~all'],
  [
    'spf.multiple-records',
    ['v=spf1 ip4:192.0.2.1 -all', 'v=spf1 ip4:192.0.2.2 ~all'],
    'v=spf1 ip4:192.0.2.1 ip4:192.0.2.2 ~all',
  ],
  [
    'spf.duplicate-include',
    ['v=spf1 include:b.test include:b.test -all'],
    'v=spf1 include:b.test -all',
  ],
  [
    'spf.mailbox-provider-missing',
    ['v=spf1 ip4:203.0.113.1 -all', 'host.test. MX 1 smtp.google.com.'],
    'v=spf1 include:_spf.google.com ip4:203.0.113.1 -all',
  ],
])('%s: never proposes a TXT record at a name that is a CNAME', async (id, texts, better) => {
  const records = texts.map((text) => (text.startsWith('v=') ? `host.test. TXT "${text}"` : text))
  const { issues } = await checkSpfZone(`
    acme.test. CNAME host.test.
    ${records.join('\n')}
    b.test.    TXT "v=spf1 ip4:192.0.2.1 -all"
    smtp.google.com. A 192.0.2.200
    _spf.google.com. TXT "v=spf1 ip4:192.0.2.128/25 ~all"
  `)
  const issue = issues.find((one) => one.id === id)
  expect(issue?.record).toBeUndefined()
  expect(issue?.fix).toContain('acme.test is a CNAME for host.test')
  expect(issue?.fix).toContain(`: "${better}"`)
})
