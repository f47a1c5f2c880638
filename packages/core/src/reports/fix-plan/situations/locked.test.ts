/** Domains that send no mail, or seem to. */
import { expect } from 'vitest'
import { GOOD_KEY_RECORD, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  MAILCHIMP,
  ON_GOOGLE,
} from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  dmarcTags,
  ladder,
  recordAt,
  requiredTitles,
  situation,
  spfOf,
  stepNamed,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  AT_AZURE,
  AT_DIGITALOCEAN,
  AT_LINODE,
  AT_ROUTE53,
  dmarcZoneLine,
  MAILGUN,
  SES,
} from '../../../../test/support/situation-zones.js'

const LOCKED = [
  'create TXT acme.test v=spf1 -all',
  'create TXT _dmarc.acme.test v=DMARC1; p=reject',
  'create MX acme.test 0 .',
]
const WEB_SITE = 'acme.test. A 192.0.2.80\n'

situation({
  name: 'Parked domain at Cloudflare',
  expert:
    'The lock-down set, each record on the condition that nobody sends; no strict tags, no stages.',
  zone: `${AT_CLOUDFLARE}${WEB_SITE}`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(changes(plan)).toEqual(LOCKED)
    expect(plan.records.map(({ onlyIf }) => onlyIf === null)).toEqual([false, false, false])
    expect(plan.rollout).toEqual([])
    expect(warningIds(plan)).toContain('plan.no-sender-seen')
    expect(requiredTitles(plan)).toHaveLength(3)
  },
})

situation({
  name: 'Parked domain at DigitalOcean',
  expert:
    'DigitalOcean refuses a null MX, so the plan leaves it out and says that it is not needed.',
  zone: `${AT_DIGITALOCEAN}${WEB_SITE}`,
  expect: (plan) => {
    expect(changes(plan)).toEqual(LOCKED.slice(0, -1))
    expect(warningIds(plan)).toContain('plan.null-mx-refused')
  },
})

situation({
  name: 'Parked domain at Linode',
  expert: 'The target of a null MX is left empty there.',
  zone: `${AT_LINODE}${WEB_SITE}`,
  expect: (plan) => {
    expect(changes(plan)).toEqual(LOCKED)
    const step = plan.steps.find(({ records }) => records.includes(1))
    expect(step?.actions.join(' ')).toMatch(/empty|blank/i)
  },
})

situation({
  name: 'Parked domain at Route 53',
  expert: 'TXT values are entered with quotes.',
  zone: `${AT_ROUTE53}${WEB_SITE}`,
  expect: (plan) => {
    expect(changes(plan)).toEqual(LOCKED)
    expect(recordAt(plan, 'acme.test').valueToEnter).toBe('"v=spf1 -all"')
    expect(recordAt(plan, '_dmarc.acme.test').valueToEnter).toBe('"v=DMARC1; p=reject"')
    expect(recordAt(plan, 'acme.test', 'MX').valueToEnter).toBe('0 .')
    expect(plan.exports.terraform).toContain('aws_route53_record')
  },
})

situation({
  name: 'Parked domain at Azure',
  expert: 'Azure refuses a null MX; TXT goes without quotes.',
  zone: `${AT_AZURE}${WEB_SITE}`,
  expect: (plan) => {
    expect(changes(plan)).toEqual(LOCKED.slice(0, -1))
    expect(recordAt(plan, 'acme.test').valueToEnter).toBe('v=spf1 -all')
    expect(warningIds(plan)).toContain('plan.null-mx-refused')
  },
})

situation({
  name: 'Web site only at the root, newsletter from news.',
  expert:
    'Mail From the root may be signed by news.: stages with reports, never a lock on the first day.',
  zone: `${AT_CLOUDFLARE}${WEB_SITE}${MAILCHIMP}
    news.acme.test. TXT "v=spf1 include:servers.mcsv.net ~all"
    ${txtZoneLine('k2._domainkey.news.acme.test', GOOD_KEY_RECORD)}`,
  signsElsewhere: true,
  expect: (plan) => {
    expect(recordAt(plan, '_dmarc.acme.test').value).toMatch(/p=none; rua=mailto:/)
    expect(ladder(plan)[0]).toBe('none')
    expect(changes(plan).filter((line) => line.includes('MX acme.test 0 .'))).toEqual([])
    expect(warningIds(plan)).toContain('plan.senders-below')
  },
})

situation({
  name: 'Web site only at the root, staff mail at mail.',
  expert: 'Same with an own server below the root.',
  zone: `${AT_CLOUDFLARE}${WEB_SITE}
    mail.acme.test. MX 10 mx.mail.acme.test.
    mx.mail.acme.test. A 203.0.113.2
    mail.acme.test. TXT "v=spf1 mx -all"`,
  expect: (plan) => {
    expect(dmarcTags(recordAt(plan, '_dmarc.acme.test').value).p).toBe('none')
    expect(warningIds(plan)).toContain('plan.senders-below')
    expect(spfOf(plan).value).not.toBe('v=spf1 -all')
  },
})

situation({
  name: 'Declared non-sending root above a sending mg.',
  expert:
    'The root keeps -all and the null MX; the policy reaches reject in stages because mg. is covered by it.',
  zone: `${AT_CLOUDFLARE}${MAILGUN}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${txtZoneLine('pic._domainkey.mg.acme.test', GOOD_KEY_RECORD)}`,
  signsElsewhere: true,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(spfOf(plan)).toMatchObject({ action: 'keep', value: 'v=spf1 -all' })
    expect(recordAt(plan, 'acme.test', 'MX').action).toBe('keep')
    expect(dmarcTags(recordAt(plan, '_dmarc.acme.test').value).p).toBe('none')
    expect(ladder(plan).at(-1)).toBe('reject')
    expect(warningIds(plan)).toContain('plan.senders-below')
  },
})

situation({
  name: 'Locked domain that is done',
  expert: 'Null MX, -all and reject: nothing to do, nothing to ask.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"
    ${dmarcZoneLine('p=reject')}`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(changes(plan)).toEqual([])
    expect(warningIds(plan)).toEqual([])
    expect(plan.summary).toContain('You don’t need to change anything today.')
  },
})

situation({
  name: 'Declared non-sending domain without DMARC',
  expert:
    'It says itself that it sends nothing, so reject at once; only subdomains are a condition.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"`,
  expect: (plan) => {
    expect(changes(plan)).toEqual(['create TXT _dmarc.acme.test v=DMARC1; p=reject'])
    expect(recordAt(plan, '_dmarc.acme.test').onlyIf).toMatch(/No subdomain of acme\.test sends/)
    expect(plan.rollout).toEqual([])
  },
})

situation({
  name: 'Parked IDN',
  expert: 'Texts show bücher.test, records use the A-label.',
  domain: 'xn--bcher-kva.test',
  zone: `xn--bcher-kva.test. NS ada.ns.cloudflare.com.
    xn--bcher-kva.test. A 192.0.2.80`,
  expect: (plan) => {
    expect(plan.unicodeDomain).toBe('bücher.test')
    expect(plan.summary).toContain('bücher.test')
    expect(plan.steps.map(({ title }) => title).join(' ')).toContain('bücher.test')
    expect(changes(plan)).toEqual([
      'create TXT xn--bcher-kva.test v=spf1 -all',
      'create TXT _dmarc.xn--bcher-kva.test v=DMARC1; p=reject',
      'create MX xn--bcher-kva.test 0 .',
    ])
  },
})

situation({
  name: 'A domain that is a CNAME to a site builder',
  expert:
    'No SPF or MX can be published beside a CNAME; only names below it are planned, and that is said.',
  domain: 'www.acme.test',
  zone: `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    www.acme.test. CNAME sites.builder.example.
    sites.builder.example. A 192.0.2.81`,
  expect: (plan) => {
    const warning = plan.warnings.find(({ id }) => id === 'plan.domain-is-alias')
    expect(warning?.title).toBe('www.acme.test is an alias for sites.builder.example')
    // Copied before the CNAME goes, which hides them.
    expect(warning?.fix).toMatch(
      /^Look up the MX and TXT records of sites\.builder\.example\. .* Replace the CNAME at www\.acme\.test .* In the same change, publish copies of the MX and TXT records at www\.acme\.test\./,
    )
    expect(changesFor(plan, 'spf')).toEqual([])
    expect(changesFor(plan, 'mx')).toEqual([])
  },
})

situation({
  name: 'Parking service as DNS host',
  expert: 'Records cannot be published at the parking service: first the DNS has to move.',
  zone: `acme.test. NS ns1.sedoparking.com.
    acme.test. NS ns2.sedoparking.com.
    ${WEB_SITE}`,
  expect: (plan) => {
    expect(changes(plan)).toEqual(LOCKED)
    expect(plan.steps[0]?.actions.join(' ')).toMatch(/parking service/)
    // Signatures of the old host do not match the keys of the new one.
    expect(plan.steps[0]?.actions).toContain(
      'If the registrar shows DS records (DNSSEC), delete them at least a day before the move. Otherwise, the domain will stop working.',
    )
  },
})

situation({
  name: 'Web site at the root, Amazon SES on a bounce subdomain',
  expert: 'A service below shows that the domain sends: no lock and no SPF that names nobody.',
  zone: `${AT_CLOUDFLARE}${WEB_SITE}${SES}
    bounces.acme.test. MX 10 feedback-smtp.us-east-1.amazonses.com.
    bounces.acme.test. TXT "v=spf1 include:amazonses.com ~all"`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(true)
    expect(spfOf(plan).placeholders).toHaveLength(1)
    expect(dmarcTags(recordAt(plan, '_dmarc.acme.test').value).p).toBe('none')
  },
})

situation({
  name: 'Receives at Google, declares with -all that it sends nothing',
  expert: 'Locked as declared, the mailboxes stay, and the owner is warned about mail from them.',
  zone: `${AT_CLOUDFLARE}${GOOGLE}
    acme.test. MX 1 smtp.google.com.
    acme.test. TXT "v=spf1 -all"`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(recordAt(plan, 'acme.test', 'MX').action).toBe('keep')
    const dmarc = recordAt(plan, '_dmarc.acme.test')
    expect(dmarcTags(dmarc.value).p).toBe('reject')
    expect(dmarc.onlyIf).toMatch(/mail servers/)
  },
})

situation({
  name: 'Locked by the book: null MX, -all, reject and a revoked wildcard key',
  expert:
    'The strict tags and the wildcard are the owner’s choice and stay; nothing is left to do.',
  zone: `${AT_CLOUDFLARE}${WEB_SITE}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"
    *._domainkey.acme.test. TXT "v=DKIM1; p="
    ${dmarcZoneLine('p=reject; sp=reject; adkim=s; aspf=s')}`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(changes(plan)).toEqual([])
    expect(warningIds(plan)).toEqual([])
  },
})

/** What Cloudflare and Squarespace publish for domains without mail. */
const NO_MAIL = `
  acme.test. TXT "v=spf1 -all"
  *._domainkey.acme.test. TXT "v=DKIM1; p="
  ${dmarcZoneLine('p=reject; sp=reject; adkim=s; aspf=s;')}
`

situation({
  name: 'A locked domain that has got mailboxes at Google',
  expert: 'It stays locked, and a warning says that mail from the mailboxes is rejected.',
  zone: `${ON_GOOGLE}${NO_MAIL}`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(spfOf(plan).action).toBe('keep')
    const warning = plan.warnings.find(({ id }) => id === 'plan.mailboxes-cannot-send')
    expect(warning?.title).toBe(
      'If anyone sends from your mailboxes at Google Workspace, that mail is rejected today',
    )
    expect(stepNamed(plan, 'If anyone sends').actions.join(' ')).toContain('Ask the people')
    expect(warning?.fix).toContain('get a new plan, with Google Workspace under')
  },
})

situation({
  name: 'Mailboxes at Google, SPF with -all and no policy',
  expert: 'The warning does not say that mail is rejected by DMARC.',
  zone: `${ON_GOOGLE}
    acme.test. TXT "v=spf1 -all"
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    const warning = plan.warnings.find(({ id }) => id === 'plan.mailboxes-cannot-send')
    expect(warning?.title).toBe('Your mailboxes at Google Workspace aren’t allowed to send')
    expect(`${warning?.title} ${warning?.detail}`).not.toMatch(/reject/)
  },
})

situation({
  name: 'A locked domain that starts to send with uses=google',
  expert:
    'SPF and the key come first, as urgent steps; the revoked wildcard is explained, and strict alignment is mentioned.',
  zone: `${ON_GOOGLE}${NO_MAIL}`,
  options: { uses: ['google'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com -all')
    expect(changesFor(plan, 'dkim')).toEqual([
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
    ])
    const wildcard = recordAt(plan, '*._domainkey.acme.test')
    expect([wildcard.action, wildcard.value]).toEqual(['keep', 'v=DKIM1; p='])
    expect(wildcard.why).toMatch(/selector/)
    expect(warningIds(plan)).toContain('plan.mail-at-risk')
    expect(warningIds(plan)).toContain('plan.strict-alignment')
    expect(warningIds(plan)).not.toContain('plan.mailboxes-cannot-send')
    expect(requiredTitles(plan)[0]).toMatch(/^Urgent/)
  },
})

situation({
  name: 'A locked domain that starts to send with uses=mailchimp',
  expert: 'Mailchimp passes by DKIM alone, so SPF stays closed and nothing asks for senders in it.',
  zone: `${AT_ROUTE53}${NO_MAIL}
    acme.test. MX 0 .`,
  options: { uses: ['mailchimp'] },
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(spfOf(plan).why).toMatch(/passes DMARC with DKIM alone/)
    expect(warningIds(plan)).not.toContain('spf.names-nobody')
    expect(requiredTitles(plan).join()).not.toContain('No server may send')
  },
})
