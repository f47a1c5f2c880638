import { describe, expect, test } from 'vitest'
import {
  dnsHostServing,
  PLAN_ZONE,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import type { DnsHost } from '../../../catalog/dns-hosts.js'
import { findServiceById } from '../../../catalog/mail-services.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { PlannedRecord } from '../planned-record.js'
import { sayIf } from '../say.js'
import { type PlanInput, renderPlan } from './render-plan.js'

const NOW = new Date('2026-11-16T12:00:00Z')
const BASE_URL = 'https://mailgrade.test'
const CLOUDFLARE = dnsHostServing('ada.ns.cloudflare.com')
const AT_CLOUDFLARE = 'Cloudflare: your domain > DNS > Records > Add record (as of 2026-11)'
const AT_GOOGLE =
  'Google Workspace: Apps > Google Workspace > Gmail > Authenticate email (as of 2026-11)'
const WAIT = 'It can take an hour for every receiver to see the change.'

function stepsFor(
  planned: readonly PlannedRecord[],
  { host = CLOUDFLARE, ...more }: Partial<PlanInput> = {},
) {
  const input = { planned, rollout: [], zone: PLAN_ZONE, host, domain: 'acme.test', now: NOW }
  return renderPlan({ ...input, ...more }).steps
}

/** What to do with the records, without notes on the panel. */
const actionsAt = (host: DnsHost | null, planned: readonly PlannedRecord[]) =>
  stepsFor(planned, { host })
    .filter(({ records }) => records.length > 0)
    .flatMap(({ actions, records }) => actions.slice(-records.length))

const titles = (steps: ReturnType<typeof stepsFor>) => steps.map(({ title }) => title)

function requireService(id: string) {
  const service = findServiceById(id)
  if (!service) throw new Error(`unknown service ${id}`)
  return service
}

const stage = (number: number, value: string, minimumDays: number): RolloutStage => ({
  stage: number,
  record: { type: 'TXT', name: '_dmarc.acme.test', value },
  minimumDays,
  proceedWhen: ['The reports show none of your mail failing.'],
  onlyIf: null,
  dashboard: null,
  rollback: `Publish the record of stage ${number - 1} again.`,
})
const ROLLOUT = [
  stage(1, 'v=DMARC1; p=none', 30),
  stage(2, 'v=DMARC1; p=quarantine', 30),
  stage(3, 'v=DMARC1; p=reject', 0),
]

const KEY = `v=DKIM1; k=rsa; p=${'A'.repeat(382)}`
const SPF = plannedTxt('acme.test', 'v=spf1 mx ~all')
const DMARC = plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=none', { purpose: 'dmarc' })
const TLS_RPT = plannedTxt('_smtp._tls.acme.test', 'v=TLSRPTv1; rua=mailto:t@acme.test', {
  purpose: 'tls-rpt',
  isOptional: true,
})
const GOOGLE_KEY = plannedTxt(
  'google._domainkey.acme.test',
  'v=DKIM1; k=rsa; p={google-public-key}',
  {
    purpose: 'dkim',
    service: 'google',
    placeholders: [{ token: '{google-public-key}', whereToFind: AT_GOOGLE }],
  },
)
const MAILCHIMP_KEYS = ['k2', 'k3'].map((selector) =>
  plannedCname(`${selector}._domainkey.acme.test`, `dkim${selector.slice(1)}.mcsv.net`, {
    service: 'mailchimp',
  }),
)

test('a plan in order: senders, keys, mailbox, policy, reports, optional steps', () => {
  const steps = stepsFor([SPF, ...MAILCHIMP_KEYS, DMARC, TLS_RPT], {
    rollout: ROLLOUT,
    newMailbox: 'dmarc@acme.test',
    sendsMail: true,
    hasLogo: false,
  })
  expect(
    steps.map(({ order, title, records, optional }) => [order, title, records, optional]),
  ).toEqual([
    [1, 'Publish an SPF record with your senders', [1], false],
    [2, 'Add your domain to Mailchimp', [], false],
    [3, 'Let Mailchimp sign your mail', [2, 3], false],
    [4, 'Check that Mailchimp signs your mail', [], false],
    [5, 'Create a mailbox for the reports', [], false],
    [6, 'Ask receivers for DMARC reports', [4], false],
    [7, 'Read the reports, then tighten the policy in stages', [], false],
    [8, 'Get reports about incoming mail that couldn’t be encrypted (TLS-RPT)', [5], true],
    [9, 'Show your logo next to your mail (BIMI)', [], true],
  ])
})

describe('a step has', () => {
  test('the screen, one action for each record, and how to check it', () => {
    const [start, publish, check] = stepsFor(MAILCHIMP_KEYS, { baseUrl: BASE_URL })
    expect(start).toMatchObject({
      title: 'Add your domain to Mailchimp',
      actions: [
        'Verify an email address at the domain first, then choose Start Authentication and the manual option.',
      ],
      verify: { text: 'Mailchimp should show the records for the next step.', url: null },
    })
    expect([publish]).toEqual([
      {
        order: 2,
        kind: 'publish',
        stream: 'mailchimp',
        when: 'today',
        notBefore: null,
        title: 'Let Mailchimp sign your mail',
        service: 'mailchimp',
        where: AT_CLOUDFLARE,
        actions: [
          'Add a CNAME record: name `k2._domainkey`, target `dkim2.mcsv.net`, TTL 3600. Set the proxy status to DNS only (the gray cloud).',
          'Add a CNAME record: name `k3._domainkey`, target `dkim3.mcsv.net`, TTL 3600. Set the proxy status to DNS only (the gray cloud).',
        ],
        records: [1, 2],
        onlyIf: null,
        optional: false,
        verify: {
          text: `The DKIM check should find the key. ${WAIT}`,
          url: `${BASE_URL}/v1/dkim?domain=acme.test&selector=k2`,
        },
      },
    ])
    expect(check).toMatchObject({
      title: 'Check that Mailchimp signs your mail',
      where: 'Mailchimp: Account & billing > Domains > Start Authentication (as of 2026-11)',
      actions: ['Check that it has found the records and signs with DKIM.'],
    })
  })

  test.each([
    [plannedMx('acme.test', '10 mx.mail.test'), 'mx?domain=acme.test'],
    [SPF, 'spf?domain=acme.test'],
    [GOOGLE_KEY, 'dkim?domain=acme.test&selector=google'],
    [DMARC, 'dmarc?domain=acme.test'],
    [TLS_RPT, 'check?domain=acme.test'],
  ])('a check of %o at %s', (record, path) => {
    const urlOf = (baseUrl: string | null) =>
      stepsFor([record], { baseUrl }).find(({ records }) => records.length > 0)?.verify.url
    expect(urlOf(BASE_URL)).toBe(`${BASE_URL}/v1/${path}`)
    expect(urlOf(null)).toBeNull()
  })

  test('no selector in the check where only the service knows it', () => {
    const name = '{zoho-selector}._domainkey.acme.test'
    const placeholders = [{ token: '{zoho-selector}', whereToFind: 'Zoho' }]
    const key = plannedTxt(name, 'v=DKIM1; p=x', { purpose: 'dkim', service: 'zoho', placeholders })
    const [, publish] = stepsFor([key], { baseUrl: BASE_URL })
    expect(publish?.verify.url).toBe(`${BASE_URL}/v1/dkim?domain=acme.test`)
  })

  test('the conditions of its records, once', () => {
    const [one, two] = MAILCHIMP_KEYS.map((key) => ({ ...key, onlyIf: 'It sends.' }))
    expect(stepsFor([one, two].flatMap((key) => key ?? []))[0]?.onlyIf).toBe('It sends.')
    const other = plannedMx('acme.test', '10 a.test', { onlyIf: 'B.' })
    expect(stepsFor([plannedMx('acme.test', '5 b.test', { onlyIf: 'A.' }), other])[0]?.onlyIf).toBe(
      'A. B.',
    )
  })
})

describe('signing', () => {
  test('get the values, publish them, turn on signing', () => {
    expect(stepsFor([GOOGLE_KEY], { baseUrl: BASE_URL })).toEqual([
      {
        order: 1,
        kind: 'get-values',
        stream: 'google',
        when: 'today',
        notBefore: null,
        title: 'Get the DNS records from Google Workspace',
        service: 'google',
        where: AT_GOOGLE,
        actions: [
          'Select your domain, choose Generate new record, and keep 2048 bits. Then copy the TXT record’s name and value.',
          'In the next step, replace `{google-public-key}` with the public key, which is the long text after p=.',
        ],
        records: [],
        onlyIf: null,
        optional: false,
        verify: { text: 'You’ve copied the public key.', url: null },
      },
      {
        order: 2,
        kind: 'publish',
        stream: 'google',
        when: 'today',
        notBefore: null,
        title: 'Let Google Workspace sign your mail',
        service: 'google',
        where: AT_CLOUDFLARE,
        actions: [
          'Add a TXT record: name `google._domainkey`, value `v=DKIM1; k=rsa; p={google-public-key}`, TTL 3600.',
        ],
        records: [1],
        onlyIf: null,
        optional: false,
        verify: {
          text: `The DKIM check should find the key. ${WAIT}`,
          url: `${BASE_URL}/v1/dkim?domain=acme.test&selector=google`,
        },
      },
      {
        order: 3,
        kind: 'turn-on-signing',
        stream: 'google',
        when: 'today',
        notBefore: null,
        title: 'Turn on DKIM signing in Google Workspace',
        service: 'google',
        where: AT_GOOGLE,
        actions: ['Choose Start authentication.'],
        records: [],
        onlyIf: null,
        optional: false,
        verify: {
          text: 'Google Workspace should show Status: Authenticating email with DKIM. Send a message through Google Workspace to a Gmail address, open it there, and choose Show original. DKIM should say PASS with acme.test or one of its subdomains.',
          url: `${BASE_URL}/v1/dkim?domain=acme.test&selector=google`,
        },
      },
    ])
  })

  test('all steps of a service have its condition, and the first asks', () => {
    const onlyIf =
      'You still use Google Workspace. If you don’t, skip this step. Next time you get a plan, mark Google Workspace as no longer used, and the plan will remove what’s left of it.'
    const condition = sayIf('google', 'when.still-used', { name: 'Google Workspace' })
    const steps = stepsFor([{ ...GOOGLE_KEY, onlyIf: [condition] }])
    expect(titles(steps)).toEqual([
      'Get the DNS records from Google Workspace, if you still use it',
      'Let Google Workspace sign your mail',
      'Turn on DKIM signing in Google Workspace',
    ])
    expect(steps.map((step) => step.onlyIf)).toEqual([onlyIf, onlyIf, onlyIf])
  })

  test('is urgent where mail is lost without it', () => {
    expect(
      titles(
        stepsFor([SPF, GOOGLE_KEY, DMARC], {
          urgent: {
            streams: new Set(),
            isSpfNeeded: false,
            isUnsigned: true,
            isPolicyNeeded: false,
          },
        }),
      ),
    ).toEqual([
      'Urgent: Publish an SPF record with your senders',
      'Get the DNS records from Google Workspace',
      'Let Google Workspace sign your mail',
      'Turn on DKIM signing in Google Workspace',
      'Ask receivers for DMARC reports',
    ])
  })

  test('a successor is created, published and switched to, and the old key removed later', () => {
    const successor = {
      ...GOOGLE_KEY,
      name: 'google2._domainkey.acme.test',
      successorOf: 'google',
    }
    const onlyIf = 'A week has passed since Google Workspace began to sign with google2.'
    const old = plannedTxt('google._domainkey.acme.test', 'v=DKIM1; p=OLD', {
      purpose: 'dkim',
      service: 'google',
      action: 'delete',
      isLater: true,
      onlyIf,
    })
    const steps = stepsFor([successor, DMARC, old], { baseUrl: BASE_URL, rollout: ROLLOUT })
    expect(steps.slice(0, 5)).toMatchObject([
      {
        title: 'Create a new key in Google Workspace',
        where: AT_GOOGLE,
        actions: [
          'Create a 2048-bit RSA key with the selector `google2`.',
          'In the next step, replace `{google-public-key}` with the public key, which is the long text after p=.',
        ],
        records: [],
      },
      {
        title: 'Publish the new key for Google Workspace',
        where: AT_CLOUDFLARE,
        actions: [
          'Add a TXT record: name `google2._domainkey`, value `v=DKIM1; k=rsa; p={google-public-key}`, TTL 3600.',
        ],
        records: [1],
        onlyIf: null,
      },
      {
        title: 'Switch Google Workspace to the new key',
        where: AT_GOOGLE,
        actions: ['Choose the selector `google2` for signing, instead of `google`.'],
        verify: { url: `${BASE_URL}/v1/dkim?domain=acme.test&selector=google2` },
      },
      { title: 'Ask receivers for DMARC reports', records: [2] },
      {
        title: 'Remove the old key for Google Workspace',
        actions: [
          'Delete the TXT record named `google._domainkey` with the value `v=DKIM1; p=OLD`.',
        ],
        records: [3],
        onlyIf,
        verify: {
          text: 'The DKIM check should no longer find it.',
          url: `${BASE_URL}/v1/dkim?domain=acme.test&selector=google`,
        },
      },
    ])
    expect(titles(steps.slice(5))).toEqual(['Read the reports, then tighten the policy in stages'])
  })

  test('each key of your own mail server has its own steps', () => {
    const keys = ['dkim', 'dkim1'].map((selector, index) =>
      plannedTxt(`${selector}._domainkey.acme.test`, 'v=DKIM1; p={mail-server-public-key}', {
        purpose: 'dkim',
        successorOf: `old${index + 1}`,
        placeholders: [{ token: '{mail-server-public-key}', whereToFind: 'Create a key pair.' }],
      }),
    )
    const steps = stepsFor(keys)
    expect(steps.map(({ title, actions }) => [title, ...actions.slice(0, 1)])).toEqual([
      [
        'Create a DKIM key on your own server',
        'Create a 2048-bit RSA key with the selector `dkim`.',
      ],
      [
        'Publish the new key for your own server',
        'Add a TXT record: name `dkim._domainkey`, value `v=DKIM1; p={mail-server-public-key}`, TTL 3600.',
      ],
      [
        'Have your own server sign with both keys',
        'Choose the selector `dkim` for signing, in addition to `old1`.',
      ],
      [
        'Create a DKIM key on your own server',
        'Create a 2048-bit RSA key with the selector `dkim1`.',
      ],
      [
        'Publish the new key for your own server',
        'Add a TXT record: name `dkim1._domainkey`, value `v=DKIM1; p={mail-server-public-key}`, TTL 3600.',
      ],
      [
        'Have your own server sign with both keys',
        'Choose the selector `dkim1` for signing, in addition to `old2`.',
      ],
    ])
  })

  test('your mailbox provider, if DNS does not show who that is', () => {
    const tokens = ['{mailbox-provider-selector}', '{mailbox-provider-dkim-record}']
    const placeholders = tokens.map((token) => ({ token, whereToFind: 'Ask the company.' }))
    const name = '{mailbox-provider-selector}._domainkey.acme.test'
    const key = plannedTxt(name, '{mailbox-provider-dkim-record}', {
      purpose: 'dkim',
      placeholders,
    })
    expect(stepsFor([key])).toMatchObject([
      {
        title: 'Get the DKIM record from your mailbox provider',
        where: 'Your mailbox provider',
        actions: [
          'Ask the company.',
          'In the next step, replace `{mailbox-provider-selector}` and `{mailbox-provider-dkim-record}` with what your mailbox provider shows you.',
        ],
      },
      { title: 'Let your mailbox provider sign your mail', where: AT_CLOUDFLARE },
      { title: 'Have your mailbox provider sign your mail', where: 'Your mailbox provider' },
    ])
  })

  test('a spare key needs no other step', () => {
    const [, spare] = MAILCHIMP_KEYS.map((key) => ({ ...key, isSpare: true as const }))
    expect(titles(stepsFor(spare ? [spare] : []))).toEqual(['Add the missing key for Mailchimp'])
  })

  test('services with all records only have to be turned on, before the policy', () => {
    const steps = stepsFor([SPF, DMARC], {
      toTurnOn: [
        { service: requireService('microsoft365'), setUpAt: null, onlyIf: null, toCompare: [] },
      ],
    })
    expect(titles(steps)).toEqual([
      'Publish an SPF record with your senders',
      'Turn on DKIM signing in Microsoft 365 / Exchange Online',
      'Ask receivers for DMARC reports',
    ])
    expect(steps[1]?.actions).toEqual([
      'Turn on “Sign messages for this domain with DKIM signatures”.',
    ])
  })

  test('a proxied CNAME is opened, not created', () => {
    const steps = stepsFor(MAILCHIMP_KEYS, { proxied: ['k2._domainkey.acme.test'] })
    expect(steps[0]?.actions).toEqual([
      'Open the CNAME record named `k2._domainkey` and set its proxy status to DNS only, so that receivers can find the key.',
      'Add a CNAME record: name `k3._domainkey`, target `dkim3.mcsv.net`, TTL 3600. Set the proxy status to DNS only (the gray cloud).',
    ])
  })
})

test('asks about a service that may be a leftover', () => {
  const sender = {
    entry: requireService('hubspot'),
    evidence: 'TXT hubspot-token=1',
    inUse: 'unsure' as const,
    setUpAt: null,
    shownBy: [],
  }
  expect(stepsFor([], { toConfirm: [sender], baseUrl: BASE_URL })).toEqual([
    {
      order: 1,
      kind: 'verify',
      stream: 'hubspot',
      when: 'today',
      notBefore: null,
      title: 'Do you still use HubSpot?',
      service: 'hubspot',
      where: 'HubSpot, or the person who manages your services',
      actions: [
        '`TXT hubspot-token=1` points to HubSpot, but we can’t see whether it still sends for you.',
        'If it does, get a new plan and list HubSpot as a service you use. If it doesn’t, get one and list HubSpot as no longer used. That plan will remove what’s left of its SPF and DKIM records.',
      ],
      records: [],
      onlyIf: null,
      optional: false,
      verify: {
        text: 'You know whether HubSpot sends mail as acme.test.',
        url: null,
      },
    },
  ])
})

test('the bounce records of a service are a step of their own if they are optional', () => {
  const bounces = plannedCname('pm-bounces.acme.test', 'pm.mtasv.net', {
    purpose: 'spf',
    service: 'postmark',
    isOptional: true,
  })
  expect(stepsFor([bounces, DMARC])).toMatchObject([
    { title: 'Ask receivers for DMARC reports', optional: false },
    {
      title: 'Let Postmark use your domain for bounces',
      optional: true,
      verify: { text: `Postmark should find the record. ${WAIT}`, url: null },
    },
  ])
})

describe('the mailbox for the reports', () => {
  test('is created before the policy, at the mailbox provider', () => {
    const mailbox = { newMailbox: 'dmarc@acme.test', mailboxProvider: 'Google Workspace' }
    expect(stepsFor([DMARC], mailbox)).toMatchObject([
      {
        title: 'Create a mailbox for the reports',
        where: 'Google Workspace',
        actions: [
          'Create `dmarc@acme.test` as a mailbox, an alias, or a forwarding address. Gmail, Outlook, and other receivers will each send it one report a day.',
        ],
        onlyIf: 'dmarc@acme.test doesn’t exist yet.',
        verify: { text: 'Send a message to dmarc@acme.test. It should arrive.', url: null },
      },
      { title: 'Ask receivers for DMARC reports' },
    ])
  })

  test('is where the mailboxes of the domain are, if the provider is unknown', () => {
    const [step] = stepsFor([DMARC], { newMailbox: 'dmarc@acme.test' })
    expect(step?.where).toBe('The mailbox provider for acme.test')
  })
})

describe('where records are published', () => {
  test('another zone: that of the other organization', () => {
    const name = 'acme.test._report._dmarc.reports.test'
    const changed = plannedTxt(name, 'v=DMARC1', {
      purpose: 'dmarc',
      action: 'replace',
      replaces: ['v=DMARC'],
    })
    const deleted = plannedTxt('x.reports.test', 'old', { purpose: 'dmarc', action: 'delete' })
    expect(stepsFor([changed, deleted], { pitfalls: [{ text: 'Beware.' }] })).toMatchObject([
      {
        title: 'Ask reports.test to accept your reports',
        where: 'The DNS host for reports.test',
        actions: [
          `\`${name}\` is in DNS that someone else runs. Ask them to publish a TXT record with this name in place of \`v=DMARC\`: value \`v=DMARC1\`.`,
        ],
      },
      {
        where: 'The DNS host for reports.test',
        actions: [
          '`x.reports.test` is in DNS that someone else runs. Ask them to delete the TXT record with the value `old`.',
        ],
      },
    ])
  })

  test('a delegated name: the service that runs it', () => {
    const key = plannedTxt('s1._delegated.acme.test', 'v=DKIM1; p=x', { purpose: 'spf' })
    expect(stepsFor([key])[0]).toMatchObject({
      where: 'The service that runs _delegated.acme.test (your DNS hands this name over to it)',
      actions: [
        '`s1._delegated.acme.test` is in DNS that someone else runs. Ask them to publish a TXT record with this name: value `v=DKIM1; p=x`.',
      ],
    })
  })

  test('unknown host: its name servers, a generic panel, and alternatives', () => {
    const [publish] = stepsFor([plannedTxt('s._domainkey.acme.test', KEY, { purpose: 'dkim' })], {
      host: null,
    })
    expect(publish).toMatchObject({
      where:
        'The DNS host for acme.test (name servers: ns1.host.test and ns2.host.test): the DNS settings of your domain',
      actions: [
        `Add a TXT record: name \`s._domainkey\`, value \`${KEY}\` in one piece, or, if your DNS host rejects that, \`"${KEY.slice(0, 255)}" "${KEY.slice(255)}"\`, TTL 3600. Most panels add the domain to the name for you. If yours doesn’t, enter the full name.`,
      ],
    })
  })

  test('parked: a host of your choice, first', () => {
    const steps = stepsFor([SPF, DMARC], { host: dnsHostServing('ns1.sedoparking.com') })
    expect(steps.map(({ where }) => where)).toEqual([
      'The DNS host you choose for acme.test',
      'The DNS host you choose for acme.test',
    ])
    expect(steps[0]?.actions[0]).toMatch(/^acme\.test’s name servers belong to a parking/)
    expect(steps[1]?.actions).toEqual([
      'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=none`, TTL 3600. Most panels add the domain to the name for you. If yours doesn’t, enter the full name.',
    ])
  })

  test('pitfalls come with the first step at the DNS host only', () => {
    const name = 'acme.test._report._dmarc.reports.test'
    const report = plannedTxt(name, 'v=DMARC1', { purpose: 'dmarc' })
    const steps = stepsFor([report, GOOGLE_KEY, DMARC], {
      pitfalls: [{ text: 'Beware.' }, { text: 'Look.' }],
    })
    expect(steps.map(({ title, actions }) => [title, actions.includes('Beware.')])).toEqual([
      ['Ask reports.test to accept your reports', false],
      ['Get the DNS records from Google Workspace', false],
      ['Let Google Workspace sign your mail', true],
      ['Turn on DKIM signing in Google Workspace', false],
      ['Ask receivers for DMARC reports', false],
    ])
    expect(steps[2]?.actions.slice(0, 2)).toEqual(['Beware.', 'Look.'])
  })

  test('Netlify: says where else the zone can be', () => {
    const [step] = stepsFor([SPF], { host: dnsHostServing('dns1.p01.nsone.net') })
    expect(step?.actions[0]).toBe(
      'NS1 and Squarespace customers can have the same name servers. If you don’t have a Netlify account, look there.',
    )
  })
})

describe('titles', () => {
  const NULL_MX = plannedMx('acme.test', '0 .')
  const lock = plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', {
    purpose: 'dmarc',
    onlyIf: 'No subdomain sends.',
  })
  test.each<[string, PlannedRecord]>([
    ['Refuse all mail to acme.test', NULL_MX],
    [
      'Publish MX records so that mail to acme.test can arrive',
      plannedMx('acme.test', '1 mx.test'),
    ],
    ['Remove mail servers that don’t work', { ...NULL_MX, action: 'delete' }],
    [
      'Publish an SPF record that allows no one to send as acme.test',
      plannedTxt('acme.test', 'v=spf1 -all'),
    ],
    ['Correct the SPF record', { ...SPF, action: 'replace', replaces: ['v=spf1'] }],
    ['Reject forged mail from acme.test', lock],
    ['Correct the DMARC record', { ...DMARC, action: 'replace', replaces: ['v=DMARC1'] }],
    ['Delete the misplaced DMARC record', { ...DMARC, name: 'acme.test', action: 'delete' }],
    [
      'Require encryption for incoming mail (MTA-STS)',
      plannedCname('mta-sts.acme.test', 'mta-sts.mail.test', { purpose: 'mta-sts' }),
    ],
  ])('%s', (title, record) => {
    expect(titles(stepsFor([record]))).toEqual([title])
  })

  test('name a domain as people write it', () => {
    const [step] = stepsFor([NULL_MX], { unicodeDomain: 'äcme.test' })
    expect(step?.title).toBe('Refuse all mail to äcme.test (acme.test)')
  })
})

describe('after the records', () => {
  const READ = 'Read the reports, then tighten the policy in stages'
  const KEPT = plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=none', {
    action: 'keep',
    purpose: 'dmarc',
  })

  test('the reports, in a mailbox', () => {
    const host = dnsHostServing('ns01.domaincontrol.com')
    expect(stepsFor([DMARC], { host, rollout: ROLLOUT, baseUrl: BASE_URL })[1]).toEqual({
      order: 2,
      kind: 'rollout',
      stream: null,
      when: 'later',
      notBefore: '2026-12-16',
      title: READ,
      service: null,
      where: 'Your report mailbox',
      actions: [
        'Each receiver sends one compressed XML file a day. Save the files in a folder and run the free command npx mailgrade reports <folder>. You’ll see who sends as you, and whether the next stage is safe. A DMARC report service can also do this for you. Most give you an address to add to rua= in the DMARC record.',
        'In the reports, find each service that sends your mail, and check that it passes DMARC. Look at everything that fails. It’s either forged, forwarded, or from one of your senders that isn’t set up yet.',
        'Move on to stage 2 once you meet all the conditions of stage 1, but not before 2026-12-16.',
        'For each stage, change the value of the TXT record `_dmarc.acme.test` to the one for that stage. Do this at GoDaddy: My Products > your domain > DNS > DNS Records (as of 2026-11).',
      ],
      records: [],
      onlyIf: null,
      optional: false,
      verify: {
        text: 'The DMARC check should show the policy of the stage you’re in.',
        url: `${BASE_URL}/v1/dmarc?domain=acme.test`,
      },
    })
  })

  test('the reports, at a DNS host that shows them', () => {
    expect(stepsFor([DMARC], { rollout: ROLLOUT })[1]).toMatchObject({
      title: READ,
      where: 'Cloudflare: your domain > Email > DMARC Management',
      actions: [
        'Turn on DMARC reporting there. Cloudflare adds its own address to rua= in your DMARC record and shows you the reports. Keep that address in rua= in later stages.',
        expect.stringMatching(/^In the reports, find each service/),
        expect.stringMatching(/^Move on to stage 2 once you meet all the conditions of stage 1/),
        'For each stage, change the value of the TXT record `_dmarc.acme.test` to the one for that stage. Do this at Cloudflare: your domain > DNS > Records (as of 2026-11).',
      ],
    })
  })

  test('a policy in another zone is changed there', () => {
    const name = '_delegated.acme.test'
    const rollout = ROLLOUT.map((each) => ({ ...each, record: { ...each.record, name } }))
    const last = stepsFor([{ ...DMARC, name }], { rollout }).at(-1)
    expect(last?.where).toBe('The service that runs _delegated.acme.test, or your report mailbox')
    expect(last?.actions.at(-1)).toBe(
      'For each stage, change the value of the TXT record `_delegated.acme.test` to the one for that stage. Do this at the service that runs _delegated.acme.test.',
    )
  })

  test('time in a stage that is published already counts', () => {
    const [only, ...others] = stepsFor([KEPT], { rollout: ROLLOUT })
    expect([only?.title, others]).toEqual([READ, []])
    expect(only?.actions.at(-2)).toBe(
      'Stage 1 is already published. Move on to stage 2 once stage 1 has been published for at least 30 days and you meet all its conditions.',
    )
  })

  test('nothing if all is done', () => {
    expect(stepsFor([KEPT], { sendsMail: true, policy: 'none', hasLogo: false })).toEqual([])
  })

  test('a logo, once the policy is enforced', () => {
    const logo = { sendsMail: true, policy: 'reject' }
    expect(stepsFor([], { ...logo, hasLogo: true })).toEqual([])
    expect(stepsFor([], { ...logo, hasLogo: false, sendsMail: false })).toEqual([])
    expect(stepsFor([], { ...logo, hasLogo: false })).toMatchObject([
      {
        title: 'Show your logo next to your mail (BIMI)',
        onlyIf: 'Your DMARC policy is p=quarantine or p=reject for all mail, without t=y.',
        optional: true,
      },
    ])
  })
})

test('Cloudflare: several SPF records become one', () => {
  const merged = plannedTxt('acme.test', 'v=spf1 include:spf.mail.test ~all', {
    action: 'replace',
    replaces: ['v=spf1 include:spf.mail.test -all', 'v=spf1 mx -all'],
    otherValues: ['verification=1'],
  })
  expect(actionsAt(CLOUDFLARE, [merged])).toEqual([
    'Find the TXT record named `@` with the value `v=spf1 include:spf.mail.test -all`, and enter this instead: value `v=spf1 include:spf.mail.test ~all`. Delete the other: `v=spf1 mx -all`. Keep only one, because two SPF records at one name are an error (RFC 7208 §4.5).',
  ])
})

test('Route 53: an existing TXT set, a key of 400 octets, and new mail servers', () => {
  const planned = [
    plannedTxt('acme.test', 'v=spf1 ~all', { otherValues: ['verification=1', 'verification=2'] }),
    plannedTxt('s._domainkey.acme.test', KEY, { purpose: 'dkim' }),
    plannedMx('acme.test', '10 new.mail.test'),
    plannedMx('acme.test', '20 new.mail.test'),
    plannedMx('acme.test', '10 old.mail.test', { action: 'delete' }),
    plannedMx('acme.test', '30 third.mail.test', { action: 'keep' }),
    plannedTxt('old.acme.test', 'v=DMARC1', { action: 'delete', purpose: 'dmarc' }),
    plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', {
      purpose: 'dmarc',
      action: 'replace',
      replaces: ['v=DMARC1; p=none', 'v=DMARC1'],
      otherValues: ['stray'],
    }),
  ]
  expect(actionsAt(dnsHostServing('ns-1.awsdns-01.org'), planned)).toEqual([
    'In the TXT record set with an empty name (the domain itself), keep `verification=1` and `verification=2` and add: value `"v=spf1 ~all"` with the quotes. Don’t create a second set with this name.',
    `Add a TXT record set: name \`s._domainkey\`, value \`"${KEY.slice(0, 255)}" "${KEY.slice(255)}"\` with the quotes on one line, because a string can hold at most 255 bytes, TTL 3600.`,
    'In the MX record set with an empty name (the domain itself), keep `10 old.mail.test` and `30 third.mail.test` and add: priority `10`, mail server `new.mail.test`. Don’t create a second set with this name.',
    'In the MX record set with an empty name (the domain itself), keep `10 old.mail.test`, `30 third.mail.test`, and `10 new.mail.test` and add: priority `20`, mail server `new.mail.test`. Don’t create a second set with this name.',
    'From the MX record set with an empty name (the domain itself), remove `10 old.mail.test`. Keep `30 third.mail.test`, `10 new.mail.test`, and `20 new.mail.test` in it.',
    'Delete the TXT record set named `old` with the value `v=DMARC1`.',
    'In the TXT record set named `_dmarc`, replace `v=DMARC1; p=none` and `v=DMARC1` with: value `"v=DMARC1; p=reject"` with the quotes. Keep `stray` in it. Keep only one, because receivers ignore all DMARC records if there’s more than one (RFC 9989 §4.10).',
  ])
})

test('Hurricane Electric: full names', () => {
  const planned = [
    plannedTxt('acme.test', 'v=spf1 -all'),
    plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=none', {
      purpose: 'dmarc',
      action: 'replace',
      replaces: ['v=DMARC1'],
    }),
  ]
  expect(actionsAt(dnsHostServing('ns1.he.net'), planned)).toEqual([
    'Add a TXT record: name `acme.test`, value `v=spf1 -all`, TTL 3600.',
    'Find the TXT record named `_dmarc.acme.test` with the value `v=DMARC1`, and enter this instead: value `v=DMARC1; p=none`.',
  ])
})

describe('what the panel needs', () => {
  const added = (nameServer: string, ...planned: readonly PlannedRecord[]) =>
    actionsAt(dnsHostServing(nameServer), planned)

  test('Hetzner, OVHcloud and Gandi: targets end with a dot', () => {
    const records = [
      plannedCname('k1._domainkey.acme.test', 'k1.mail.test'),
      plannedMx('acme.test', '10 mx.mail.test'),
    ]
    expect(added('helium.ns.hetzner.de', ...records)).toEqual([
      'Add a CNAME record: name `k1._domainkey`, target `k1.mail.test.`, TTL 3600.',
      'Add an MX record set: name `@`, priority `10`, mail server `mx.mail.test.`, TTL 3600.',
    ])
    expect(added('dns1.ovh.net', ...records)).toEqual([
      'Add a CNAME record: name `k1._domainkey`, target `k1.mail.test.`, TTL 3600.',
      'Add an MX record: leave the name field empty, priority `10`, mail server `mx.mail.test.`, TTL 3600.',
    ])
    expect(added('ns-1-a.gandi.net', ...records)[0]).toContain('target `k1.mail.test.`')
  })

  test('a target in another zone has no final dot', () => {
    const [step] = added('dns1.ovh.net', plannedCname('x.other.test', 'y.test'))
    expect(step).toContain('target `y.test`.')
  })

  test('Linode: the mail server of a null MX is empty', () => {
    expect(added('ns1.linode.com', plannedMx('acme.test', '0 .'))).toEqual([
      'Add an MX record: leave the name field empty, priority `0`, leave the mail server field empty, TTL 3600.',
    ])
  })

  test('Bluehost: the TTL is at least four hours', () => {
    expect(added('ns1.bluehost.com', plannedTxt('acme.test', 'v=spf1 -all'))).toEqual([
      'Add a TXT record: name `@`, value `v=spf1 -all`, TTL 14400.',
    ])
  })

  test('Vultr: a long text is one quoted string', () => {
    expect(added('ns1.vultr.com', plannedTxt('s._domainkey.acme.test', KEY))).toEqual([
      `Add a TXT record: name \`s._domainkey\`, value \`"${KEY}"\` with the quotes, TTL 3600. Paste the whole text in one pair of quotes, and don’t split it.`,
    ])
  })

  test('OVHcloud: a key to fill in counts as long', () => {
    const key = plannedTxt('s._domainkey.acme.test', 'v=DKIM1; k=rsa; p={public-key}')
    expect(added('dns1.ovh.net', key)[0]).toMatch(
      /or use TXT instead\. .* Use the DKIM type or Change in text format, because the plain TXT form stops at 255 characters\.$/,
    )
    const short = plannedTxt('acme.test', 'v=spf1 -all')
    expect(added('dns1.ovh.net', short)[0]).not.toContain('255 characters')
  })

  test('Dynadot: names below the domain have their own table', () => {
    expect(
      added(
        'ns1.dyna-ns.net',
        plannedTxt('acme.test', 'v=spf1 -all'),
        plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', { purpose: 'dmarc' }),
      ),
    ).toEqual([
      'Add a TXT record: leave the name field empty, value `v=spf1 -all`, TTL 3600.',
      'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=reject`, TTL 3600. Add it in Subdomain Records, because the domain itself has its own table.',
    ])
  })

  test('STRATO: a note for two purposes is shown once', () => {
    const steps = added(
      'docks01.rzone.de',
      plannedTxt('acme.test', 'v=spf1 -all'),
      plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', { purpose: 'dmarc' }),
    )
    expect(steps.join('\n').match(/ready-made rules/g)).toHaveLength(1)
  })

  test('a long SPF record is split at a space', () => {
    const record = `v=spf1 ${'include:_spf.mail.example '.repeat(12)}~all`
    const [step] = added('ns-1.awsdns-01.org', plannedTxt('acme.test', record))
    expect(step).toContain('include:_spf.mail.example " "include:_spf.mail.example ')
  })
})

describe('text of more than 255 octets', () => {
  const panelOf = (differences: Partial<DnsHost['panel']>): DnsHost => {
    const host = dnsHostServing('ada.ns.cloudflare.com')
    return { ...host, panel: { ...host.panel, ...differences } }
  }
  const [head, tail] = [KEY.slice(0, 255), KEY.slice(255)]

  test.each([
    ['automatic', 'never', `value \`${KEY}\` in one piece`],
    ['automatic', 'when-split', `value \`${KEY}\` in one piece`],
    ['automatic', 'always', `value \`"${KEY}"\` with the quotes`],
    [
      'manual',
      'when-split',
      `value \`"${head}" "${tail}"\` with the quotes on one line, because a string can hold at most 255 bytes`,
    ],
    [
      'manual',
      'never',
      `value in 2 strings of one record, because a string can hold at most 255 bytes: \`${head}\`, then \`${tail}\``,
    ],
  ] as const)('%s splitting, quotes %s', (split, quotes, value) => {
    const [step] = actionsAt(panelOf({ split, quotes }), [plannedTxt('s.acme.test', KEY)])
    expect(step).toBe(`Add a TXT record: name \`s\`, ${value}, TTL 3600.`)
  })

  test('quotes a short text only if the panel always needs quotes', () => {
    const [step] = actionsAt(panelOf({ split: 'manual', quotes: 'when-split' }), [
      plannedTxt('s.acme.test', 'short'),
    ])
    expect(step).toBe('Add a TXT record: name `s`, value `short`, TTL 3600.')
  })
})

test('says that the name field stays empty', () => {
  const host = dnsHostServing('ns1.vercel-dns.com')
  const [added, deleted] = actionsAt(host, [
    plannedTxt('acme.test', 'v=spf1 -all'),
    plannedTxt('acme.test', 'v=spf1 a', { action: 'delete' }),
  ])
  expect(added).toBe('Add a TXT record: leave the name field empty, value `v=spf1 -all`, TTL 3600.')
  expect(deleted).toBe(
    'Delete the TXT record with an empty name (the domain itself) with the value `v=spf1 a`.',
  )
})

test('of several records, the one that is right stays', () => {
  const kept = 'v=spf1 mx -all'
  const spf = { ...SPF, value: kept, action: 'replace', replaces: ['v=spf1 -all', kept] } as const
  expect(actionsAt(null, [spf])).toEqual([
    'Of the TXT records named `@`, keep `v=spf1 mx -all` and delete `v=spf1 -all`.',
  ])
})
