import { parse } from '@cdktf/hcl2json'
import { describe, expect, test } from 'vitest'
import {
  PLAN_ZONE,
  panelRecords,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import { DNS_HOSTS } from '../../../catalog/dns-hosts.js'
import { toExactText } from '../../record-data.js'
import type { PlannedRecord } from '../planned-record.js'
import { formatTerraform } from './terraform.js'
import { RECORD_PROVIDERS, RECORD_SET_PROVIDERS } from './terraform-hosts.js'

const textFor = (hostId: string, ...planned: readonly PlannedRecord[]) =>
  formatTerraform(panelRecords(...planned), PLAN_ZONE, hostId) ?? ''

/** The resources by `type.name`, as Terraform reads them. */
async function resourcesFor(hostId: string, ...planned: readonly PlannedRecord[]) {
  const { resource = {} } = await parse('plan.tf', textFor(hostId, ...planned))
  const byType = Object.entries<Record<string, unknown[]>>(resource)
  return Object.fromEntries(
    byType.flatMap(([type, named]) =>
      Object.entries(named).map(([name, [body]]) => [`${type}.${name}`, body]),
    ),
  )
}

/** As the parser gives an expression back. */
const reference = (variable: string) => `\${var.${variable}}`

const [HEAD, TAIL] = ['A'.repeat(255), 'B'.repeat(45)]
const LONG = `${HEAD}${TAIL}`

const SPF = plannedTxt('acme.test', 'v=spf1 ~all', {
  action: 'replace',
  replaces: ['v=spf1 -all'],
  otherValues: ['verification=1'],
})
const KEY = plannedTxt('s._domainkey.acme.test', LONG, { purpose: 'dkim' })
const ALIAS = plannedCname('k1._domainkey.acme.test', 'k1.mail.test')
const SERVERS = [
  plannedMx('acme.test', '20 stays.test', { action: 'keep' }),
  plannedMx('acme.test', '10 new.test', { otherValues: ['30 also.stays.test'] }),
  plannedMx('acme.test', '10 old.test', { action: 'delete' }),
]

test('formats a complete file for Cloudflare', () => {
  expect(
    textFor('cloudflare', SPF, ALIAS, ...SERVERS),
  ).toBe(`# Provider: cloudflare/cloudflare, version 5

variable "zone_id" {
  description = "Cloudflare: the zone ID, shown on its overview page"
  type        = string
}

# Replaces: TXT acme.test v=spf1 -all
# Before you apply, import the existing record with \`terraform import\`, or delete it by hand.
resource "cloudflare_dns_record" "txt_spf_acme_test" {
  zone_id = var.zone_id
  name    = "acme.test"
  type    = "TXT"
  content = "\\"v=spf1 ~all\\""
  ttl     = 3600
}

resource "cloudflare_dns_record" "cname_dkim_k1_domainkey_acme_test" {
  zone_id = var.zone_id
  name    = "k1._domainkey.acme.test"
  type    = "CNAME"
  content = "k1.mail.test"
  ttl     = 3600
  proxied = false
}

resource "cloudflare_dns_record" "mx_acme_test" {
  zone_id  = var.zone_id
  name     = "acme.test"
  type     = "MX"
  content  = "new.test"
  priority = 10
  ttl      = 3600
}

# Delete by hand: MX acme.test 10 old.test
`)
})

test('formats a complete file for Azure DNS', () => {
  expect(textFor('azure', SPF)).toBe(`# Provider: hashicorp/azurerm

variable "resource_group_name" {
  description = "Azure: the resource group that contains the zone"
  type        = string
}

# Replaces: TXT acme.test v=spf1 -all
# Before you apply, import the existing set with \`terraform import\`.
resource "azurerm_dns_txt_record" "txt_spf_acme_test" {
  zone_name           = "acme.test"
  resource_group_name = var.resource_group_name
  name                = "@"
  ttl                 = 3600

  record {
    value = "verification=1"
  }

  record {
    value = "v=spf1 ~all"
  }
}
`)
})

describe('record sets have all values after the plan', () => {
  test.each([
    [
      'route53',
      'aws_route53_record',
      {
        spf: { name: 'acme.test', records: ['verification=1', 'v=spf1 ~all'] },
        key: { name: 's._domainkey.acme.test', records: [`${HEAD}""${TAIL}`] },
        alias: { type: 'CNAME', records: ['k1.mail.test'] },
        mx: { records: ['20 stays.test', '30 also.stays.test', '10 new.test'] },
      },
    ],
    [
      'gcloud',
      'google_dns_record_set',
      {
        spf: { name: 'acme.test.', rrdatas: ['"verification=1"', '"v=spf1 ~all"'] },
        key: { managed_zone: reference('managed_zone'), rrdatas: [`"${HEAD}" "${TAIL}"`] },
        alias: { rrdatas: ['k1.mail.test.'] },
        mx: { rrdatas: ['20 stays.test.', '30 also.stays.test.', '10 new.test.'] },
      },
    ],
    [
      'gandi',
      'gandi_livedns_record',
      {
        spf: { zone: 'acme.test', name: '@', values: ['"verification=1"', '"v=spf1 ~all"'] },
        key: { name: 's._domainkey', values: [`"${HEAD}" "${TAIL}"`] },
        alias: { values: ['k1.mail.test.'] },
        mx: { values: ['20 stays.test.', '30 also.stays.test.', '10 new.test.'] },
      },
    ],
    [
      'hetzner',
      'hcloud_zone_rrset',
      {
        spf: {
          zone: 'acme.test',
          name: '@',
          records: [{ value: '"verification=1"' }, { value: '"v=spf1 ~all"' }],
        },
        key: { name: 's._domainkey', records: [{ value: `"${HEAD}" "${TAIL}"` }] },
        alias: { records: [{ value: 'k1.mail.test.' }] },
        mx: {
          records: [
            { value: '20 stays.test.' },
            { value: '30 also.stays.test.' },
            { value: '10 new.test.' },
          ],
        },
      },
    ],
    [
      'ns1',
      'ns1_record',
      {
        spf: {
          zone: 'acme.test',
          domain: 'acme.test',
          answers: [{ answer: 'verification=1' }, { answer: 'v=spf1 ~all' }],
        },
        key: { domain: 's._domainkey.acme.test', answers: [{ answer: LONG }] },
        alias: { answers: [{ answer: 'k1.mail.test' }] },
        mx: {
          answers: [
            { answer: '20 stays.test' },
            { answer: '30 also.stays.test' },
            { answer: '10 new.test' },
          ],
        },
      },
    ],
  ])('%s', async (hostId, resource, { spf, key, alias, mx: servers }) => {
    expect(await resourcesFor(hostId, SPF, KEY, ALIAS, ...SERVERS)).toEqual({
      [`${resource}.txt_spf_acme_test`]: expect.objectContaining({ ttl: 3600, ...spf }),
      [`${resource}.txt_dkim_s_domainkey_acme_test`]: expect.objectContaining(key),
      [`${resource}.cname_dkim_k1_domainkey_acme_test`]: expect.objectContaining(alias),
      [`${resource}.mx_acme_test`]: expect.objectContaining({ ttl: 3600, ...servers }),
    })
  })

  test('azure uses one resource type per record type', async () => {
    const head = { resource_group_name: reference('resource_group_name'), zone_name: 'acme.test' }
    expect(await resourcesFor('azure', KEY, ALIAS, ...SERVERS)).toEqual({
      'azurerm_dns_txt_record.txt_dkim_s_domainkey_acme_test': {
        ...head,
        name: 's._domainkey',
        ttl: 3600,
        record: [{ value: LONG }],
      },
      'azurerm_dns_cname_record.cname_dkim_k1_domainkey_acme_test': {
        ...head,
        name: 'k1._domainkey',
        ttl: 3600,
        record: 'k1.mail.test',
      },
      'azurerm_dns_mx_record.mx_acme_test': {
        ...head,
        name: '@',
        ttl: 3600,
        record: [
          { preference: 20, exchange: 'stays.test' },
          { preference: 30, exchange: 'also.stays.test' },
          { preference: 10, exchange: 'new.test' },
        ],
      },
    })
  })
})

describe('single records', () => {
  test.each([
    [
      'cloudflare',
      'cloudflare_dns_record',
      {
        key: { zone_id: reference('zone_id'), name: KEY.name, content: `"${HEAD}" "${TAIL}"` },
        alias: { content: 'k1.mail.test', proxied: false },
        mx: { name: 'acme.test', content: 'new.test', priority: 10 },
      },
    ],
    [
      'digitalocean',
      'digitalocean_record',
      {
        key: { domain: 'acme.test', name: 's._domainkey', value: LONG },
        alias: { value: 'k1.mail.test.' },
        mx: { name: '@', value: 'new.test.', priority: 10 },
      },
    ],
    [
      'ovh',
      'ovh_domain_zone_record',
      {
        key: { zone: 'acme.test', subdomain: 's._domainkey', target: `"${HEAD}" "${TAIL}"` },
        alias: { fieldtype: 'CNAME', target: 'k1.mail.test.' },
        mx: { subdomain: '', target: '10 new.test.' },
      },
    ],
    [
      'dnsimple',
      'dnsimple_zone_record',
      {
        key: { zone_name: 'acme.test', name: 's._domainkey', value: `"${HEAD}" "${TAIL}"` },
        alias: { value: 'k1.mail.test' },
        mx: { name: '', value: 'new.test', priority: 10 },
      },
    ],
    [
      'linode',
      'linode_domain_record',
      {
        key: {
          domain_id: reference('domain_id'),
          name: 's._domainkey',
          target: LONG,
          ttl_sec: 3600,
        },
        alias: { record_type: 'CNAME', target: 'k1.mail.test' },
        mx: { name: '', target: 'new.test', priority: 10 },
      },
    ],
    [
      'vultr',
      'vultr_dns_record',
      {
        key: { domain: 'acme.test', name: 's._domainkey', data: `"${LONG}"` },
        alias: { data: 'k1.mail.test' },
        mx: { name: '', data: 'new.test', priority: 10 },
      },
    ],
  ])('%s', async (hostId, resource, { key, alias, mx: server }) => {
    expect(await resourcesFor(hostId, KEY, ALIAS, ...SERVERS)).toEqual({
      [`${resource}.txt_dkim_s_domainkey_acme_test`]: expect.objectContaining(key),
      [`${resource}.cname_dkim_k1_domainkey_acme_test`]: expect.objectContaining(alias),
      [`${resource}.mx_acme_test`]: expect.objectContaining(server),
    })
  })
})

test('linode writes a null MX with an empty target', async () => {
  expect(await resourcesFor('linode', plannedMx('acme.test', '0 .'))).toEqual({
    'linode_domain_record.mx_acme_test': expect.objectContaining({ target: '', priority: 0 }),
  })
})

test('uses unique resource names', async () => {
  const names = Object.keys(
    await resourcesFor(
      'cloudflare',
      plannedMx('acme.test', '1 a.test'),
      plannedMx('acme.test', '2 b.test'),
      plannedCname('a-b.acme.test', 'x.test'),
      plannedCname('a.b.acme.test', 'x.test'),
      plannedCname('a.b.acme.test.2', 'not.in.the.zone'),
    ),
  )
  expect(names).toEqual(
    [
      'cloudflare_dns_record.mx_acme_test',
      'cloudflare_dns_record.mx_acme_test_2',
      'cloudflare_dns_record.cname_dkim_a_b_acme_test',
      'cloudflare_dns_record.cname_dkim_a_b_acme_test_2',
    ].sort(),
  )
})

describe('records that stay beside a changed one', () => {
  const kept = (...octets: readonly string[]) =>
    plannedTxt('acme.test', 'v=spf1 ~all', {
      action: 'replace',
      replaces: [toExactText('v=spf1 \xe9')],
      otherValues: octets.map(toExactText),
    })

  test.each([
    ['route53', 'aws_route53_record', 'records', ['x=\\303\\251', 'x=\\351', 'v=spf1 ~all']],
    [
      'gcloud',
      'google_dns_record_set',
      'rrdatas',
      ['"x=\\195\\169"', '"x=\\233"', '"v=spf1 ~all"'],
    ],
    ['gandi', 'gandi_livedns_record', 'values', ['"x=\\195\\169"', '"x=\\233"', '"v=spf1 ~all"']],
  ])('keep their octets, also if these are not UTF-8: %s', async (hostId, type, key, values) => {
    const resources = await resourcesFor(hostId, kept('x=\xc3\xa9', 'x=\xe9'))
    expect(resources).toMatchObject({ [`${type}.txt_spf_acme_test`]: { [key]: values } })
  })

  test.each(['azure', 'ns1'])('are left to people if plain text cannot hold them: %s', (hostId) => {
    const nfd = Buffer.from('x=e\u0301').toString('latin1')
    const shown = ['"x=\\233"', '"x=e\\204\\129"']
    for (const [at, octets] of ['x=\xe9', nfd].entries()) {
      const [, ...notes] = textFor(hostId, kept('y=1', octets)).trim().split('\n\n')
      expect(notes).toEqual([
        `# Change this by hand, because Terraform can’t write an existing value at this name exactly as it is: ${shown[at]}
# Delete by hand: TXT acme.test "v=spf1 \\233"
# Publish by hand: TXT acme.test v=spf1 ~all`,
      ])
    }
  })

  test('are left to people if they were not read to the end', () => {
    const text = textFor('route53', kept('x'.repeat(8_193)))
    expect(text).toContain(`exactly as it is: "${'x'.repeat(100)}"\n`)
    expect(text).not.toContain('resource "')
  })

  test.each(['azure', 'ns1'])('may be Unicode in normal form C: %s', async (hostId) => {
    const text = textFor(hostId, kept(Buffer.from('x=\u00e9').toString('latin1')))
    expect(text).toContain('= "x=é"')
  })
})

describe('comments', () => {
  const placeholders = [{ token: '{key}', whereToFind: 'Admin > Keys' }]

  test('list a set with placeholders', () => {
    const gap = plannedTxt('acme.test', 'v=spf1 include:{key} ~all', {
      placeholders,
      otherValues: ['x=1'],
    })
    const other = plannedTxt('acme.test', 'y=2', { purpose: 'tls-rpt' })
    expect(textFor('route53', gap, other)).toBe(`# Provider: hashicorp/aws

# Fill in {key}: Admin > Keys
# Publish by hand: TXT acme.test v=spf1 include:{key} ~all
# Publish by hand: TXT acme.test y=2
`)
  })

  test('list records in another zone', () => {
    expect(
      textFor('ovh', plannedTxt('acme.test._report._dmarc.other.test', 'v=DMARC1')),
    ).toBe(`# Provider: ovh/ovh

# In someone else’s zone:
# Publish by hand: TXT acme.test._report._dmarc.other.test v=DMARC1
`)
  })

  test('say what must be true first', () => {
    const conditional = plannedTxt('acme.test', 'v=spf1 -all', { onlyIf: 'No one sends.' })
    const optional = plannedTxt('b.acme.test', 'p={key}', { placeholders, isOptional: true })
    expect(
      textFor('digitalocean', conditional, optional),
    ).toBe(`# Provider: digitalocean/digitalocean

# Only if: No one sends.
resource "digitalocean_record" "txt_spf_acme_test" {
  domain = "acme.test"
  type   = "TXT"
  name   = "@"
  value  = "v=spf1 -all"
  ttl    = 3600
}

# Optional.
# Fill in {key}: Admin > Keys
# Publish by hand: TXT b.acme.test p={key}
`)
  })

  test('list records that are only deleted', () => {
    expect(
      textFor('gcloud', plannedTxt('old.acme.test', 'x', { action: 'delete' })),
    ).toBe(`# Provider: hashicorp/google

# Delete by hand: TXT old.acme.test x
`)
  })
})

test('returns null for other hosts', () => {
  expect(formatTerraform(panelRecords(SPF), PLAN_ZONE, 'godaddy')).toBeNull()
})

test('has a known DNS host for every provider', () => {
  const ids = DNS_HOSTS.map(({ id }) => id)
  for (const id of [...Object.keys(RECORD_PROVIDERS), ...Object.keys(RECORD_SET_PROVIDERS)]) {
    expect(ids).toContain(id)
  }
})

test('asks to import a set of a single value that a record replaces', () => {
  const text = textFor('azure', { ...SPF, otherValues: [] })
  expect(text).toContain(
    '# Replaces: TXT acme.test v=spf1 -all\n# Before you apply, import the existing set',
  )
})

test('does not ask to import a set that does not exist yet', () => {
  expect(textFor('azure', plannedTxt('acme.test', 'v=spf1 -all'))).not.toContain('import')
})
