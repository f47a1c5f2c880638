/** Facts about services that earlier data had wrong, each as the vendor or public zones show it. */
import { expect, test } from 'vitest'
import {
  findProviderByMx,
  findServiceById,
  MAILBOX_PROVIDERS,
  type MailService,
} from './mail-services.js'

type Fact = readonly [id: string, fact: string, read: (service: MailService) => unknown, unknown]

const terms = ({ setup }: MailService) => setup.spf.flatMap((row) => row.terms)
const rootRule = ({ returnPathAtRoot }: MailService) => returnPathAtRoot
/** `selector[ below label] TYPE value`. */
const keys = ({ setup }: MailService) =>
  (setup.dkim?.records ?? []).map(({ selector, type, value, below }) =>
    [selector, ...(below ? ['below', below] : []), type, value].join(' '),
  )
/** `label TYPE value`, with a question mark if it is optional. */
const bounces = ({ setup }: MailService) =>
  (setup.returnPath ?? []).map(
    ({ label, type, value, isOptional }) => `${label} ${type} ${value}${isOptional ? ' ?' : ''}`,
  )

const FACTS: readonly Fact[] = [
  [
    'salesforce',
    'each of the two targets has its own code',
    keys,
    [
      '{selector-1} CNAME {selector-1}.{code-1}.custdkim.salesforce.com',
      '{selector-2} CNAME {selector-2}.{code-2}.custdkim.salesforce.com',
    ],
  ],
  [
    'shopify',
    'six CNAMEs in two groups',
    (service) => [...keys(service), ...bounces(service)],
    [
      '{prefix-1} CNAME dkim1.{code-1}.p{pool-1}.email.myshopify.com',
      '{prefix-1}2 CNAME dkim2.{code-1}.p{pool-1}.email.myshopify.com',
      'pdk1 below mailer{prefix-2} CNAME dkim3.{code-2}.p{pool-2}.email.myshopify.com',
      'pdk2 below mailer{prefix-2} CNAME dkim4.{code-2}.p{pool-2}.email.myshopify.com',
      'mailer{prefix-1} CNAME {code-1}.p{pool-1}.email.myshopify.com',
      'mailer{prefix-2} CNAME {code-2}.p{pool-2}.email.myshopify.com',
    ],
  ],
  ['shopify', 'needs no include', terms, []],
  [
    'atlassian',
    'bounces to a CNAME instead of an include',
    (service) => [...terms(service), ...bounces(service)],
    ['atlassian-bounces CNAME bounces.mail-us.atlassian.net'],
  ],
  [
    'atlassian',
    'selectors have a code',
    keys,
    [
      'atlassian-{code-1} CNAME atlassian-{code-1}.dkim.atlassian.net',
      'atlassian-{code-2} CNAME atlassian-{code-2}.dkim.atlassian.net',
    ],
  ],
  ['mailjet', 'never uses the domain in MAIL FROM', rootRule, 'never'],
  ['mailjet', 'its include cannot align', terms, []],
  [
    'klaviyo',
    'signs below send',
    keys,
    [
      '{selector-1} below send CNAME {target-1}.klaviyodns.com',
      '{selector-2} below send CNAME {target-2}.klaviyodns.com',
    ],
  ],
  [
    'customerio',
    'signs below its own label',
    keys,
    ['{selector} below cio{id} TXT k=rsa; p={public-key}'],
  ],
  [
    'ovh',
    'the mail servers do not show which selectors apply',
    keys,
    [
      '{selector-1} CNAME {selector-1}._domainkey.{number-1}.{zone}.dkim.mail.ovh.net',
      '{selector-2} CNAME {selector-2}._domainkey.{number-2}.{zone}.dkim.mail.ovh.net',
    ],
  ],
  [
    'ovh',
    'has five mail servers',
    ({ setup }) => setup.mx,
    [
      '1 mx0.mail.ovh.net',
      '5 mx1.mail.ovh.net',
      '50 mx2.mail.ovh.net',
      '100 mx3.mail.ovh.net',
      '200 mx4.mail.ovh.net',
    ],
  ],
  [
    'wix',
    'publishes a CNAME at _dmarc',
    ({ defaultDmarc }) => defaultDmarc,
    { type: 'CNAME', values: ['_dmarc.wixemails.com'] },
  ],
  ['ionos', 'publishes a CNAME at _dmarc', ({ defaultDmarc }) => defaultDmarc?.type, 'CNAME'],
  ['godaddy', 'publishes a TXT record at _dmarc', ({ defaultDmarc }) => defaultDmarc?.type, 'TXT'],
  ['mailgun', 'can use the domain in MAIL FROM', rootRule, 'optional'],
  ['mailgun', 'then needs its include', terms, ['include:mailgun.org']],
  [
    'hubspot',
    'the target is not computable, because hyphens are doubled',
    keys,
    [
      'hs1-{portal} CNAME {target-1}.dkim.hubspotemail.net',
      'hs2-{portal} CNAME {target-2}.dkim.hubspotemail.net',
    ],
  ],
  [
    'resend',
    'has CNAMEs for bounces',
    bounces,
    ['send CNAME send.forge.rmta.net', 'rsend CNAME {host}.forge.rmta.net'],
  ],
  [
    'freshdesk',
    'fwdkim1 is the bounce name, not a selector',
    bounces,
    ['fwdkim1 CNAME spfmx1.domainkey.freshemail.io'],
  ],
  ['freshdesk', 'needs no include', terms, []],
  [
    'servicenow',
    'needs three terms',
    terms,
    ['a:b.spf.service-now.com', 'a:c.spf.service-now.com', 'a:d.spf.service-now.com'],
  ],
  [
    'dreamhost',
    'sends through MailChannels, too',
    terms,
    ['include:netblocks.dreamhost.com', 'include:relay.mailchannels.net'],
  ],
  [
    'namecheap',
    'newer plans use privateemail',
    ({ selectors }) => selectors,
    ['privateemail', 'default'],
  ],
  [
    'namecheap',
    'only one of the two selectors is published',
    keys,
    ['{selector} TXT v=DKIM1; k=rsa; p={public-key}'],
  ],
  ['workmail', 'never uses the domain in MAIL FROM', rootRule, 'never'],
  ['workmail', 'needs no include', terms, []],
  [
    'mailersend',
    'has the same selectors for all accounts',
    keys,
    ['ms1 CNAME ms1._domainkey.mailersend.net', 'ms2 CNAME ms2._domainkey.mailersend.net'],
  ],
  ['mailersend', 'bounces to mta', bounces, ['mta CNAME mailersend.net']],
  ['stripe', 'bounces to bounce', bounces, ['bounce CNAME custom-email-domain.stripe.com']],
  ['sendgrid', 'bounces to em', bounces, ['em{number} CNAME {account}.sendgrid.net']],
  ['postmark', 'bounces to pm-bounces', bounces, ['pm-bounces CNAME pm.mtasv.net ?']],
  [
    'intercom',
    'bounces below outbound',
    bounces,
    ['outbound.intercom CNAME rp.{workspace}.intercom-mail.com'],
  ],
  ['clerk', 'bounces to clkmail', bounces, ['clkmail CNAME mail.{account}.clerk.services']],
  ['hey', 'has a fixed target', keys, ['heymail CNAME heymail._domainkey.hey.com']],
  [
    'runbox',
    'has computable targets',
    keys,
    [
      'selector1 CNAME selector1-{dd}.domainkey.runbox.com',
      'selector2 CNAME selector2-{dd}.domainkey.runbox.com',
    ],
  ],
  [
    'godaddy',
    'has underscores in its targets',
    keys,
    [
      'secureserver1 CNAME s1.dkim.{d_}.{code}.onsecureserver.net',
      'secureserver2 CNAME s2.dkim.{d_}.{code}.onsecureserver.net',
    ],
  ],
  [
    'constantcontact',
    'has fixed targets',
    keys,
    ['ctct1 CNAME 100._domainkey.dkim1.ccsend.com', 'ctct2 CNAME 200._domainkey.dkim2.ccsend.com'],
  ],
  [
    'netsuite',
    'has two CNAMEs instead of a key',
    keys,
    ['{selector-1} CNAME {target-1}', '{selector-2} CNAME {target-2}'],
  ],
  [
    'proton-alias',
    'signs with keys of its own',
    keys,
    [
      'dkim CNAME dkim._domainkey.alias.proton.me',
      'dkim02 CNAME dkim02._domainkey.alias.proton.me',
      'dkim03 CNAME dkim03._domainkey.alias.proton.me',
    ],
  ],
  ['symantec', 'signs', keys, ['{selector} TXT v=DKIM1; k=rsa; p={public-key}']],
  ['yahoo-biz', 'lets no customer publish a key', ({ setup }) => setup.dkim, null],
  ['sendpulse', 'has another include', terms, ['include:mxsspf.sendpulse.com']],
  ['pardot', 'never uses the domain in MAIL FROM', rootRule, 'never'],
  ['aweber', 'never uses the domain in MAIL FROM', rootRule, 'never'],
  ['zohocampaigns', 'never uses the domain in MAIL FROM', rootRule, 'never'],
  ['socketlabs', 'never uses the domain in MAIL FROM', rootRule, 'never'],
  ['front', 'never uses the domain in MAIL FROM', rootRule, 'never'],
]

test.each(FACTS)('%s: %s', (id, _, read, value) => {
  const service = findServiceById(id)
  expect(service && read(service)).toEqual(value)
})

test.each([
  ['cloudflare', false],
  ['namecheap-fwd', false],
  ['simplelogin', true],
  ['improvmx', true],
])('%s lets customers send as the domain: %s', (id, can) => {
  const { sending } = MAILBOX_PROVIDERS.find((provider) => provider.id === id) ?? {}
  expect(sending).toEqual({ can, how: expect.stringMatching(/^[A-Z].+\.$/) })
})

test('only forwarders say how to send', () => {
  const others = MAILBOX_PROVIDERS.filter(({ kind, sending }) => sending && kind !== 'forwarder')
  expect(others).toEqual([])
})

test('Amazon WorkMail has an end', () => {
  expect(findProviderByMx('inbound-smtp.eu-west-1.amazonaws.com')?.endsOn).toBe('2027-03-31')
})

test.each(['yandex', 'mailru', 'titan', 'resend', 'postmark'])(
  '%s creates only keys of 1024 bits',
  (id) => {
    expect(findServiceById(id)?.setup.dkim?.hasOnlyShortKeys).toBe(true)
  },
)

test('administrators choose the selector at these services', () => {
  const chosen = MAILBOX_PROVIDERS.filter(({ setup }) => setup.dkim?.selectorIsChosen)
  expect(chosen.map(({ id }) => id)).toEqual([
    'google',
    'zoho',
    'mimecast',
    'proofpoint',
    'cisco',
    'symantec',
  ])
})
