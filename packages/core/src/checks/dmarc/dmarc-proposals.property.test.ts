/** Every proposed record fixes its finding and causes no other, however odd the zone. */
import { propertyRuns } from '@mailgrade/testing/property-runs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { createOverlayDns } from '../../reports/overlay-dns.js'
import { checkDmarc } from './check-dmarc.js'
import type { DmarcReport } from './dmarc-report.js'

// Thousands of zones with PROPERTY_RUNS=1.

type Finding = DmarcReport['issues'][number]

async function findingsOf(dns: ReturnType<typeof createOverlayDns>, domain: string) {
  const checked = await checkDmarc(dns, domain as DomainName)
  return checked.kind === 'report' ? checked.report.issues : []
}

/** The problems that a zone still has after each of its proposals. */
async function findBrokenProposals(zone: string, domain: string): Promise<string[]> {
  const dns = zoneDns(zone)
  const before = await findingsOf(dns, domain)
  const problems = await Promise.all(
    before.map(async (finding) => {
      if (!finding.record) return []
      const after = await findingsOf(createOverlayDns(dns, [finding.record]), domain)
      return compare(finding, before, after).map(
        (problem) => `${finding.id} "${finding.record?.value}" ${problem}`,
      )
    }),
  )
  return [...problems.flat(), ...findTxtBesideCname(zone, before)]
}

function compare(
  finding: Finding,
  before: readonly Finding[],
  after: readonly Finding[],
): string[] {
  const known = new Set(before.map(({ id }) => id))
  const added = after.filter(({ id, severity }) => severity !== 'info' && !known.has(id))
  return [
    ...(after.some(({ id }) => id === finding.id) ? ['does not fix it'] : []),
    ...added.map(({ id }) => `adds ${id}`),
  ]
}

/** RFC 1034 §3.6.2. */
function findTxtBesideCname(zone: string, findings: readonly Finding[]): string[] {
  const names = findings.flatMap(({ record }) => record?.name ?? [])
  const isAlias = (name: string) => zone.includes(`\n${name}. CNAME `)
  return names.filter(isAlias).map((name) => `TXT beside the CNAME at ${name}`)
}

describe('proposal in a known zone', () => {
  const MX = '\nacme.test. MX 10 mx.acme.test.\n'
  const RUA = 'rua=mailto:d@acme.test'
  const at = (name: string, text: string) => `\n${name}. TXT "${text}"`
  const own = (text: string) => at('_dmarc.acme.test', text)

  const FIRST = 'v=DMARC1; p=none; rua=mailto:dmarc@acme.test'

  test.each<[name: string, zone: string, proposals: Record<string, string>, domain?: string]>([
    ['no record', MX, {}],
    ['no record, no mail', '\nacme.test. MX 0 .', {}],
    ['no record, neither MX nor address', '\nacme.test. TXT "x"', {}],
    ['no record below a domain without mail', '\ns.acme.test. A 192.0.2.1', {}, 's.acme.test'],
    ['dangling CNAME', `${MX}\n_dmarc.acme.test. CNAME gone.test.`, {}],
    ['near miss', MX + own(` v=DMARC1; p=none; adkim=s; ${RUA}; ruf=mailto:f@acme.test`), {}],
    ['near miss without reports', MX + own(' v=DMARC1; p=none'), {}],
    ['enforcing near miss', MX + own(`v=dmarc1; p=reject; ${RUA}`), {}],
    ['near miss with a dead address', MX + own(' v=DMARC1; p=none; rua=mailto:d@gone.test'), {}],
    ['record at the domain', MX + at('acme.test', `v=DMARC1; p=none; ${RUA}`), {}],
    ['enforcing record at the domain', MX + at('acme.test', 'v=DMARC1; p=reject'), {}],
    ['faulty record at the domain', MX + at('acme.test', `v=DMARC1; p=none; t=x; ${RUA}`), {}],
    [
      'record at the doubled name',
      MX + at('_dmarc.acme.test.acme.test', `v=DMARC1; p=none; ${RUA}`),
      {},
    ],
    ['unusable record', MX + own('v=DMARC1; sp=reject'), {}],
    ['unusable record with a dead address', MX + own('v=DMARC1; ruf=mailto:d@gone.test'), {}],
    ['none without reports', MX + own('v=DMARC1; p=none'), { 'no-reports': FIRST }],
    [
      'none with open subdomains',
      MX + own(`v=DMARC1; p=none; sp=none; np=none; ${RUA}`),
      { 'policy-none': `v=DMARC1; p=quarantine; ${RUA}` },
    ],
    [
      'quarantine with the same for subdomains',
      MX + own(`v=DMARC1; p=quarantine; sp=quarantine; ${RUA}`),
      { 'policy-quarantine': `v=DMARC1; p=reject; ${RUA}` },
    ],
    [
      'open subdomains',
      MX + own(`v=DMARC1; p=reject; sp=none; np=none; ${RUA}`),
      {
        'nonexistent-weaker': `v=DMARC1; p=reject; sp=none; np=reject; ${RUA}`,
      },
    ],
    [
      'test mode with pct',
      MX + own(`v=DMARC1; p=reject; t=y; pct=5; ${RUA}`),
      {
        testing: `v=DMARC1; p=reject; ${RUA}; pct=5`,
        partial: `v=DMARC1; p=reject; t=y; ${RUA}`,
      },
    ],
    [
      'bad tag',
      MX + own(`v=DMARC1; p=reject; t=x; ${RUA}`),
      { 'bad-tags': `v=DMARC1; p=reject; ${RUA}` },
    ],
    [
      'repeated tag',
      MX + own(`v=DMARC1; p=reject; p=reject; fo=d:d; ${RUA}`),
      { 'bad-tags': `v=DMARC1; p=reject; fo=d; ${RUA}` },
    ],
    ['bad subdomain policy', MX + own(`v=DMARC1; p=reject; sp=x; ${RUA}`), {}],
    [
      'dead address without its scheme',
      MX + own('v=DMARC1; p=reject; rua=d@gone.test'),
      { 'no-reports': 'v=DMARC1; p=reject; rua=mailto:dmarc@acme.test' },
    ],
    ['conflicting addresses', MX + own(`v=DMARC1; p=reject; ${RUA}; rua=mailto:e@acme.test`), {}],
    [
      'hosted elsewhere',
      `${MX}\n_dmarc.acme.test. CNAME d.test.\nd.test. TXT "v=DMARC1; p=none"`,
      {},
    ],
    [
      'own record below an open parent',
      `${MX}${own(`v=DMARC1; p=none; ${RUA}`)}${at('_dmarc.s.acme.test', `v=DMARC1; p=none; ${RUA}`)}`,
      {},
      's.acme.test',
    ],
    [
      'parent without mail',
      `\ns.acme.test. A 192.0.2.1${own('v=DMARC1; p=reject')}`,
      {},
      's.acme.test',
    ],
    [
      'registry',
      `${at('_dmarc.test', 'v=DMARC1; p=quarantine; sp=none; np=reject; psd=y')}${MX}`,
      {
        'no-reports': 'v=DMARC1; p=none; np=reject; rua=mailto:dmarc@acme.test',
      },
    ],
  ])('%s', async (_, zone, proposals, domain = 'acme.test') => {
    const proposed = (await findingsOf(zoneDns(zone), domain)).flatMap(({ id, record }) =>
      record ? [[id.replace('dmarc.', ''), record.value]] : [],
    )
    expect(Object.fromEntries(proposed)).toEqual(proposals)
    expect(await findBrokenProposals(zone, domain)).toEqual([])
  })
})

/** Names of the random zones, from the domain up. */
const DOMAIN = 'mail.acme.test'
const NAMES = [DOMAIN, 'acme.test', 'test']

const policy = fc.constantFrom('none', 'quarantine', 'reject', 'Reject', 'bogus')
const mailbox = fc
  .tuple(
    fc.constantFrom('mailto:d@', 'mailto:d@', 'mailto:d@', 'd@', 'https://'),
    fc.constantFrom(DOMAIN, 'acme.test', 'in.acme.test', 'agreed.test', 'vendor.test', 'gone.test'),
  )
  .map((parts) => parts.join(''))
const addresses = fc.array(mailbox, { minLength: 1, maxLength: 2 }).map((all) => all.join(','))
const tag = fc.oneof(
  policy.map((value) => `p=${value}`),
  policy.map((value) => `p=${value}`),
  policy.map((value) => `sp=${value}`),
  policy.map((value) => `np=${value}`),
  addresses.map((value) => `rua=${value}`),
  addresses.map((value) => `rua=${value}`),
  addresses.map((value) => `ruf=${value}`),
  fc.constantFrom('t=y', 't=x', 'pct=5', 'pct=x', 'psd=y', 'psd=n', 'adkim=s', 'aspf=x', 'x=y'),
  fc.constantFrom('fo=1', 'fo=d:d', 'fo=0:1', 'P=none', 'reject', 'ri=1'),
)
const validPolicy = fc.constantFrom('none', 'quarantine', 'reject')
const usualTags = fc
  .record({
    p: validPolicy,
    sp: fc.option(validPolicy),
    np: fc.option(validPolicy),
    rua: fc.constantFrom('mailto:d@acme.test', 'mailto:d@agreed.test', 'mailto:d@gone.test', null),
    odd: fc.option(tag, { freq: 2 }),
  })
  .map(({ odd, ...all }) => [
    ...Object.entries(all).flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])),
    ...(odd ? [odd] : []),
  ])
const tags = fc.oneof(usualTags, fc.array(tag, { maxLength: 5 })).map((all) => all.join('; '))
const version = fc.constantFrom(
  ...Array<string>(12).fill('v=DMARC1; '),
  ' v=DMARC1; ',
  'v=dmarc1; ',
  'v=DMARC2; ',
  'v=spf1 ',
)
const text = fc.tuple(version, tags).map((parts) => parts.join(''))

/** What is at the `_dmarc` name of a domain. */
const published = fc.oneof(
  { weight: 4, arbitrary: text.map((each) => [`TXT "${each}"`]) },
  {
    weight: 1,
    arbitrary: fc.array(
      text.map((each) => `TXT "${each}"`),
      { maxLength: 2 },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(['CNAME hosted.test.'], ['CNAME gone.test.']) },
  { weight: 2, arbitrary: fc.constant([]) },
)
const mail = fc.constantFrom(
  'MX 10 mx.acme.test.',
  'MX 10 mx.acme.test.',
  'MX 0 .',
  'A 192.0.2.1',
  '',
)

const zone = fc
  .record({
    dmarc: fc.tuple(published, published, fc.option(text, { freq: 3 })),
    mail: fc.tuple(mail, mail, mail),
    atDomain: fc.option(text, { freq: 4, nil: null }),
    atDoubledName: fc.option(text, { freq: 4, nil: null }),
    hosted: text,
  })
  .map(({ dmarc: [own, parent, registry], mail, atDomain, atDoubledName, hosted }) => {
    const at = (name: string, data: string | null) => (data ? [`${name}. ${data}`] : [])
    const txt = (each: string | null) => each && `TXT "${each}"`
    return [
      '',
      ...own.flatMap((data) => at(`_dmarc.${DOMAIN}`, data)),
      ...parent.flatMap((data) => at('_dmarc.acme.test', data)),
      ...at('_dmarc.test', txt(registry)),
      ...at(DOMAIN, mail[0]),
      ...at('acme.test', mail[1]),
      ...at('in.acme.test', mail[2]),
      ...at(DOMAIN, txt(atDomain)),
      ...at(`_dmarc.${DOMAIN}.${DOMAIN}`, txt(atDoubledName)),
      `hosted.test. TXT "${hosted}"`,
      'vendor.test. MX 10 mx.vendor.test.',
      'agreed.test. MX 10 mx.vendor.test.',
      '*._report._dmarc.agreed.test. TXT "v=DMARC1"',
    ].join('\n')
  })

test('holds for random zones', async () => {
  await fc.assert(
    fc.asyncProperty(zone, fc.constantFrom(...NAMES.slice(0, 2)), async (given, domain) => {
      expect(await findBrokenProposals(given, domain)).toEqual([])
    }),
    { numRuns: propertyRuns(3_000) },
  )
})
