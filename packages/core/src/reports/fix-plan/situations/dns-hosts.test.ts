/** What the plan says about the panels of DNS hosts, and zones that are out of the ordinary. */
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  FASTMAIL,
  GOOGLE,
  MAILCHIMP,
} from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  recordAt,
  situation,
  spfOf,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  AT_AZURE,
  AT_DIGITALOCEAN,
  AT_GODADDY,
  AT_ROUTE53,
  dmarcZoneLine,
  nameServers,
} from '../../../../test/support/situation-zones.js'

const MAILBOXES = `${GOOGLE}
  acme.test. MX 1 smtp.google.com.
`
const MONITORED = dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')
const SPF = 'acme.test. TXT "v=spf1 include:_spf.google.com ?all"\n'

situation({
  name: 'Route 53 with another TXT value at the root',
  expert: 'The set keeps the other value, in the step and in Terraform; values have quotes.',
  zone: `${AT_ROUTE53}${MAILBOXES}${SPF}${keyZoneLine('google')}${MONITORED}
    acme.test. TXT "google-site-verification=abc123"`,
  expect: (plan) => {
    const step = stepNamed(plan, 'SPF')
    expect(step.actions.join(' ')).toContain('google-site-verification=abc123')
    expect(spfOf(plan).valueToEnter).toBe('"v=spf1 include:_spf.google.com ~all"')
    expect(plan.exports.terraform).toContain('google-site-verification=abc123')
  },
})

situation({
  name: 'Azure DNS with a new Google key',
  expert:
    'The Terraform record set and the panel agree; the placeholder is explained in both exports.',
  zone: `${AT_AZURE}${MAILBOXES}`,
  expect: (plan) => {
    expect(plan.dnsHost?.id).toBe('azure')
    expect(plan.exports.zoneFile).toContain('Fill in {google-public-key}:')
    expect(plan.exports.terraform).toContain('{google-public-key}')
    expect(plan.exports.terraform).toContain('azurerm_dns_txt_record')
  },
})

situation({
  name: 'Conditions in both exports at Cloudflare',
  expert:
    'Someone who applies Terraform without reading the steps must still see what has to be true first.',
  zone: `${AT_CLOUDFLARE}${MAILBOXES}${MAILCHIMP}${keyZoneLine('google')}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net +all"`,
  expect: (plan) => {
    const condition = spfOf(plan).onlyIf ?? ''
    expect(condition).not.toBe('')
    expect(plan.exports.zoneFile).toContain(`; Only if: ${condition}`)
    expect(plan.exports.terraform).toContain(condition)
  },
})

situation({
  name: 'CNAMEs at Cloudflare',
  expert: 'Each DKIM CNAME says DNS only where it is added, not in a collapsed note.',
  zone: `${AT_CLOUDFLARE}${FASTMAIL}${MONITORED}
    acme.test. MX 10 in1-smtp.messagingengine.com.
    acme.test. TXT "v=spf1 include:spf.messagingengine.com ~all"`,
  expect: (plan) => {
    const step = stepNamed(plan, 'Fastmail')
    const cnames = step.actions.filter((action) => action.includes('CNAME'))
    expect(cnames).toHaveLength(3)
    expect(cnames.filter((action) => !/DNS only/.test(action))).toEqual([])
  },
})

situation({
  name: 'GoDaddy without its default DMARC record',
  expert: 'Traps of defaults are shown only where the default exists.',
  zone: `${AT_GODADDY}${MAILBOXES}${SPF}${keyZoneLine('google')}`,
  expect: (plan) => {
    const actions = plan.steps.flatMap((step) => step.actions).join(' ')
    expect(actions).not.toMatch(/onsecureserver|default DMARC/i)
  },
})

situation({
  name: 'Zone at Cloudflare and Route 53 at once',
  expert: 'Both must get every record, or receivers see it only sometimes.',
  zone: `${nameServers('ada.ns.cloudflare.com', 'ns-100.awsdns-12.com')}${MAILBOXES}${SPF}${keyZoneLine('google')}${MONITORED}`,
  expect: (plan) => {
    expect(warningIds(plan)).toContain('plan.several-dns-hosts')
  },
})

situation({
  name: 'DNS host that we do not know',
  expert: 'The name servers tell where to look; no Terraform is invented.',
  zone: `${nameServers('ns1.small-host.example', 'ns2.small-host.example')}${MAILBOXES}${SPF}${keyZoneLine('google')}${MONITORED}`,
  expect: (plan) => {
    expect(plan.dnsHost).toBeNull()
    expect(plan.exports.terraform).toBeNull()
    expect(stepNamed(plan, 'SPF').where).toContain('ns1.small-host.example')
  },
})

situation({
  name: 'Wildcard CNAME of Porkbun’s parking page',
  expert: 'Its answers are not records: nothing is deleted, kept or read as a key or policy.',
  zone: `${nameServers('maceio.porkbun.com', 'salvador.porkbun.com')}${MAILBOXES}
    *.acme.test. CNAME pixie.porkbun.com.
    pixie.porkbun.com. A 192.0.2.90`,
  expect: (plan) => {
    expect(changes(plan).filter((line) => !line.includes('_smtp._tls'))).toEqual([
      'create TXT acme.test v=spf1 include:_spf.google.com ~all',
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(plan.senders).toEqual([])
  },
})

situation({
  name: 'Wildcard TXT "v=spf1 -all"',
  expert:
    'It answers for _dmarc and selectors too, but is no policy and no key; a record of its own beats it.',
  zone: `${AT_CLOUDFLARE}${MAILBOXES}${SPF}
    *.acme.test. TXT "v=spf1 -all"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(changesFor(plan, 'dkim')).toEqual([
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
    ])
    expect(plan.records.flatMap(({ replaces }) => replaces)).toEqual([
      'v=spf1 include:_spf.google.com ?all',
    ])
  },
})

situation({
  name: '_domainkey delegated by NS to a service',
  expert:
    'Keys go to that service’s zone; the plan does not tell the owner to add them at Cloudflare.',
  zone: `${AT_CLOUDFLARE}${MAILBOXES}${SPF}${MONITORED}
    _domainkey.acme.test. NS ns1.key-service.example.`,
  expect: (plan) => {
    expect(warningIds(plan)).toContain('plan.delegated-names')
    expect(stepNamed(plan, 'sign your mail').where).toMatch(/_domainkey\.acme\.test/)
    expect(recordAt(plan, 'google._domainkey.acme.test').action).toBe('create')
  },
})

situation({
  name: 'Long SPF at DigitalOcean',
  expert: 'The host takes 509 characters: the plan warns before the owner is stuck in the form.',
  zone: `${AT_DIGITALOCEAN}${MAILBOXES}${keyZoneLine('google')}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ${Array.from({ length: 11 }, (_, i) => `ip4:198.51.100.${100 + i}`).join(' ')}" "${Array.from(
      { length: 22 },
      (_, i) => ` ip4:203.0.113.${100 + i}`,
    )
      .join('')
      .slice(
        0,
        220,
      )}" " ip4:192.0.2.101 ip4:192.0.2.102 ip4:192.0.2.103 ip4:192.0.2.104 ip4:192.0.2.105 ?all"`,
  expect: (plan) => {
    expect(spfOf(plan).value.length).toBeGreaterThan(509)
    expect(warningIds(plan)).toContain('plan.txt-too-long')
    expect(spfOf(plan).chunks.join('')).toBe(spfOf(plan).value)
    // No string ends inside an address.
    expect(
      spfOf(plan)
        .chunks.slice(0, -1)
        .filter((chunk) => !/\s$/.test(chunk)),
    ).toEqual([])
  },
})

situation({
  name: 'Mailbox provider in an internationalized domain',
  expert: 'Records use the A-label, sentences the name people know.',
  domain: 'xn--bcher-kva.test',
  zone: `xn--bcher-kva.test. NS ada.ns.cloudflare.com.
    xn--bcher-kva.test. MX 10 in1-smtp.messagingengine.com.
    ${FASTMAIL}`,
  expect: (plan) => {
    expect(plan.unicodeDomain).toBe('bücher.test')
    expect(plan.summary).toContain('bücher.test')
    expect(changesFor(plan, 'dkim')[0]).toBe(
      'create CNAME fm1._domainkey.xn--bcher-kva.test fm1.xn--bcher-kva.test.dkim.fmhosted.com',
    )
    expect(titles(plan)).toContain('Create a mailbox for the reports')
  },
})

situation({
  name: 'A subdomain in the zone of its parent at Route 53',
  expert: 'Names in the panel are relative to the zone, not to the subdomain.',
  domain: 'shop.acme.test',
  zone: `${AT_ROUTE53}${GOOGLE}
    acme.test. A 192.0.2.80
    shop.acme.test. MX 1 smtp.google.com.`,
  expect: (plan) => {
    expect(recordAt(plan, 'shop.acme.test').host).toBe('shop')
    expect(recordAt(plan, 'google._domainkey.shop.acme.test').host).toBe('google._domainkey.shop')
    expect(recordAt(plan, '_dmarc.shop.acme.test').host).toBe('_dmarc.shop')
  },
})

situation({
  name: 'Route 53 with a Google key to come',
  expert: 'A 2048-bit key is longer than one string, so the step says how to cut it.',
  zone: `${AT_ROUTE53}${MAILBOXES}`,
  expect: (plan) => {
    const { actions } = stepNamed(plan, 'Let Google Workspace sign')
    expect(actions.join(' ')).toMatch(
      /with the quotes, split into strings of at most 255 characters, each in its own quotes/,
    )
  },
})

situation({
  name: 'A newsletter subdomain at Cloudflare that inherits p=none',
  expert:
    'Its stages are a record of its own. Nothing is changed at the parent, and Cloudflare shows reports only for the zone.',
  domain: 'news.acme.test',
  zone: `${AT_CLOUDFLARE}${MAILBOXES}${MAILCHIMP}${MONITORED}
    news.acme.test. TXT "v=spf1 include:servers.mcsv.net ~all"`,
  expect: (plan) => {
    expect(plan.steps.flatMap(({ actions }) => actions).join(' ')).not.toMatch(/sp=reject/)
    expect(warningIds(plan)).not.toContain('dmarc.subdomains-open')
    const reports = stepNamed(plan, 'Read the reports')
    expect(reports.where).toBe('Your report mailbox')
    expect(reports.actions.at(-1)).toMatch(
      /^For stage 2, add a TXT record named `_dmarc\.news\.acme\.test`, and leave `_dmarc\.acme\.test` as it is\./,
    )
  },
})

situation({
  name: 'DMARC Management of Cloudflare is on',
  expert: 'Its address is in rua already, so nothing is to be turned on.',
  zone: `${AT_CLOUDFLARE}${MAILBOXES}${keyZoneLine('google')}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${dmarcZoneLine('p=none; rua=mailto:abc@dmarc-reports.cloudflare.net')}
    dmarc-reports.cloudflare.net. MX 10 mx.cloudflare.net.
    mx.cloudflare.net. A 192.0.2.9
    *._report._dmarc.dmarc-reports.cloudflare.net. TXT "v=DMARC1"`,
  expect: (plan) => {
    const reports = stepNamed(plan, 'Read the reports')
    expect(reports.where).toContain('DMARC Management')
    expect(reports.actions.join(' ')).not.toMatch(/Turn it on/)
  },
})

situation({
  name: 'A web application that sends through Amazon SES, without MX and address',
  expert:
    'A null MX would make receivers refuse its mail, so it is offered only to domains that do not send.',
  zone: `${AT_CLOUDFLARE}
    acme.test. TXT "v=spf1 include:amazonses.com ~all"
    amazonses.com. TXT "v=spf1 ip4:199.255.192.0/22 -all"`,
  expect: (plan) => {
    const texts = [
      ...plan.warnings.map(({ fix }) => fix),
      ...plan.steps.flatMap(({ actions }) => actions),
    ]
    expect(texts.filter((text) => / MX 0 \./.test(text) && !/neither sends/.test(text))).toEqual([])
  },
})
