/** SPF records as they are met in practice. */
import { expect } from 'vitest'
import { keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  HELPSCOUT,
  MAILCHIMP,
  MICROSOFT,
  ON_GOOGLE,
  SALESFORCE,
  SENDGRID,
  ZENDESK,
} from '../../../../test/support/service-zones.js'
import {
  changesFor,
  ladder,
  recordAt,
  senderLines,
  situation,
  spfOf,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  BREVO,
  dmarcZoneLine,
  HUBSPOT,
  MAILGUN,
  VENDOR_A,
  VENDOR_B,
  VENDOR_C,
  YANDEX,
} from '../../../../test/support/situation-zones.js'

const GOOGLE_KEY = keyZoneLine('google')
const MONITORED = dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')
const SOUND_GOOGLE = `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}`

situation({
  name: '16 lookups, every sender is needed',
  expert:
    'As many as fit are named, the mailboxes first; ~all while some are missing; nobody who passes today fails.',
  zone: `${SOUND_GOOGLE}${VENDOR_A}${VENDOR_B}${ZENDESK}${HELPSCOUT}${SALESFORCE}
    ${txtZoneLine('acme.test', 'v=spf1 include:_spf.google.com include:spf.vendor-a.test include:mail.zendesk.com include:helpscoutemail.com include:spf.vendor-b.test include:_spf.salesforce.com -all')}`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'replace',
      value:
        'v=spf1 include:_spf.google.com include:spf.vendor-a.test include:mail.zendesk.com include:helpscoutemail.com ~all',
      lookupCount: 10,
    })
    const warning = plan.warnings.find(({ id }) => id === 'plan.senders-to-move')
    expect(warning?.title).toContain('vendor-b')
    expect(warning?.title).toContain('Salesforce')
    expect(stepNamed(plan, 'Make room in the SPF record').actions.join(' ')).toContain('Salesforce')
    const google = plan.safety.tested.find(({ sender }) => sender === 'Google Workspace')
    expect(google).toMatchObject({ before: 'pass', after: 'pass' })
  },
})

situation({
  name: '16 lookups with the mailboxes behind the limit',
  expert:
    'A part of the third vendor passes today, so nothing is cut; the plan says that the record is broken and how to make room.',
  zone: `${SOUND_GOOGLE}${VENDOR_A}${VENDOR_B}${VENDOR_C}
    acme.test. TXT "v=spf1 include:spf.vendor-a.test include:spf.vendor-b.test include:spf.vendor-c.test include:_spf.google.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(warningIds(plan)).toContain('plan.spf-too-full')
    expect(stepNamed(plan, 'Make room in the SPF record').actions.join(' ')).toMatch(/subdomain/)
    // The owner must not believe that their own mailboxes pass.
    expect(plan.safety.tested.find(({ sender }) => sender === 'Google Workspace')?.after).toBe(
      'permerror',
    )
    expect(spfOf(plan).why).not.toBe('It lists your senders.')
  },
})

situation({
  name: '12 lookups; the include across the limit cannot be dropped',
  expert:
    'Part of every sender passes today, so no shorter record is safe: the record stays and the plan says why.',
  zone: `${SOUND_GOOGLE}${VENDOR_A}${VENDOR_B}
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.vendor-a.test include:spf.vendor-b.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'keep',
      value:
        'v=spf1 include:_spf.google.com include:spf.vendor-a.test include:spf.vendor-b.test -all',
    })
    expect(warningIds(plan)).toContain('plan.spf-too-full')
    const warning = plan.warnings.find(({ id }) => id === 'plan.spf-too-full')
    expect(warning?.fix).toMatch(/subdomain/)
    expect(warning?.detail).toContain('vendor-b')
    expect(stepNamed(plan, 'Make room in the SPF record').actions.join(' ')).toContain('vendor-b')
  },
})

situation({
  name: '12 lookups where services that never need their include fill the record',
  expert: 'SendGrid and Mailchimp use bounce domains of their own; without them all others fit.',
  zone: `${SOUND_GOOGLE}${SENDGRID}${MAILCHIMP}${HUBSPOT}${VENDOR_A}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net include:servers.mcsv.net include:1234567.spf04.hubspotemail.net include:spf.vendor-a.test -all"`,
  expect: (plan) => {
    const { value, lookupCount, action } = spfOf(plan)
    expect(action).toBe('replace')
    expect(value).toContain('include:_spf.google.com')
    expect(value).toContain('include:spf.vendor-a.test')
    expect(value).toMatch(/-all$/)
    expect(lookupCount).toBeLessThanOrEqual(10)
    expect(warningIds(plan)).not.toContain('plan.senders-to-move')
  },
})

situation({
  name: 'Run-together SPF after a copy without spaces',
  expert: 'Every server that was meant is in the repaired record, as in the free check.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 ip4:203.0.113.7include:_spf.google.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 ip4:203.0.113.7 include:_spf.google.com ~all')
  },
})

situation({
  name: 'SPF split into two strings without the space between them',
  expert: 'Receivers join the strings, so the space goes back in and no server is lost.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 ip4:203.0.113.7 ip4:203.0.113.8" "include:_spf.google.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'replace',
      value: 'v=spf1 ip4:203.0.113.7 ip4:203.0.113.8 include:_spf.google.com ~all',
    })
    expect(spfOf(plan).replaces).toHaveLength(1)
  },
})

situation({
  name: 'Two SPF records, one from the web host and one from Google',
  expert: 'Merged into one with all senders; both old ones go.',
  zone: `${SOUND_GOOGLE}${ZENDESK}
    acme.test. TXT "v=spf1 ip4:203.0.113.7 include:mail.zendesk.com ~all"
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  expect: (plan) => {
    const { value, replaces, action } = spfOf(plan)
    expect(action).toBe('replace')
    expect(value.split(' ').sort()).toEqual([
      'include:_spf.google.com',
      'include:mail.zendesk.com',
      'ip4:203.0.113.7',
      'v=spf1',
      '~all',
    ])
    expect(replaces).toHaveLength(2)
    expect(plan.safety.tested.map(({ before, after }) => `${before} ${after}`)).toEqual(
      plan.safety.tested.map(() => 'permerror pass'),
    )
  },
})

situation({
  name: '+all with Google in front of it',
  expert:
    '~all instead, but only once the owner knows every sender: until now every server passed.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com +all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(spfOf(plan).onlyIf).toMatch(/every server/)
    expect(stepNamed(plan, 'SPF').onlyIf).toBe(spfOf(plan).onlyIf)
  },
})

situation({
  name: '?all with an own address',
  expert: 'Neutral becomes soft fail at once; nothing else changes.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 ip4:203.0.113.7 include:_spf.google.com ?all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      value: 'v=spf1 ip4:203.0.113.7 include:_spf.google.com ~all',
      onlyIf: null,
    })
  },
})

situation({
  name: 'A netmask instead of a prefix length',
  expert: '255.255.255.0 is /24: the network stays allowed.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 ip4:198.51.100.0/255.255.255.0 include:_spf.google.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 ip4:198.51.100.0/24 include:_spf.google.com ~all')
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'redirect= beside ~all',
  expert:
    'It has no effect today, so it must not become an authorization: it is left out, and the owner asked.',
  zone: `${SOUND_GOOGLE}${BREVO}
    acme.test. TXT "v=spf1 include:_spf.google.com redirect=spf.brevo.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(warningIds(plan)).toContain('plan.terms-left-out')
  },
})

situation({
  name: 'A term after all of a sender that visibly sends',
  expert: 'Mailgun’s key and tracking host show that it sends, so its include moves before all.',
  zone: `${SOUND_GOOGLE}${MAILGUN}${keyZoneLine('smtp')}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all include:mailgun.org"
    email.acme.test. CNAME mailgun.org.`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com include:mailgun.org ~all')
    expect(spfOf(plan).why).toContain('Moved include:mailgun.org in front of "all"')
  },
})

situation({
  name: 'A term after all of a sender that nothing else shows',
  expert: 'It stays without effect; the plan says so and asks.',
  zone: `${SOUND_GOOGLE}${ZENDESK}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all include:mail.zendesk.com"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(plan.warnings.find(({ id }) => id === 'plan.terms-left-out')?.title).toContain(
      'include:mail.zendesk.com',
    )
  },
})

situation({
  name: 'ptr in the record of an own server',
  expert: 'Nobody can tell from DNS who relies on it, so it stays with a warning.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 mx ptr -all"
    ${keyZoneLine('default')}${MONITORED}`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({ action: 'keep', value: 'v=spf1 mx ptr -all' })
    expect(warningIds(plan)).toContain('plan.ptr-kept')
  },
})

situation({
  name: 'v=spf1 -all although Google hosts mailboxes that sign',
  expert: 'A live key and mailboxes: Google is added and -all stays; the domain is not locked.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}
    acme.test. TXT "v=spf1 -all"`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(true)
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com -all')
    expect(recordAt(plan, '_dmarc.acme.test').value).toContain('p=none')
  },
})

situation({
  name: 'Web host without MX, form mail signed by the server',
  expert: 'The web server is the only possible sender: it is named, and the domain is not locked.',
  zone: `acme.test. NS ns1.hosting.example.
    acme.test. A 203.0.113.7
    ${keyZoneLine('default')}`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(true)
    expect(spfOf(plan).value).toBe('v=spf1 a ~all')
    expect(ladder(plan)[0]).toBe('none')
  },
})

situation({
  name: 'Mailbox provider missing in SPF',
  expert: 'Microsoft 365 receives and sends; without its include all mail of staff fails SPF.',
  zone: `${AT_CLOUDFLARE}${MICROSOFT}${MAILCHIMP}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:servers.mcsv.net -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:servers.mcsv.net include:spf.protection.outlook.com -all',
    )
    expect(spfOf(plan).why).toMatch(
      /Added include:spf\.protection\.outlook\.com, because mail from your Microsoft 365/,
    )
  },
})

situation({
  name: 'An include of a provider that no longer exists',
  expert:
    'It breaks the whole record for everyone: removed at once, the rest stays. It may have been a real sender, so nothing is refused outright until its owner knows.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.gone-hosting.test ip4:203.0.113.7 -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ip4:203.0.113.7 ~all')
    expect(spfOf(plan).why).toContain('It ends in "~all" until you know what that was for')
    expect(spfOf(plan).onlyIf).toBeNull()
    expect(titles(plan)[0]).toBe('Correct the SPF record')
  },
})

situation({
  name: 'Misspelt version and separators: "v=spf1;"',
  expert: 'Nobody reads it as SPF today; repaired with every server that was meant.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1; include:_spf.google.com, ip4:203.0.113.7; ~all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'replace',
      value: 'v=spf1 include:_spf.google.com ip4:203.0.113.7 ~all',
    })
  },
})

situation({
  name: 'Misspelt version before a strict end: "v=spf1; … -all"',
  expert: 'No receiver has applied the "-all" so far, so the repaired record starts with "~all".',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1; include:_spf.google.com ip4:203.0.113.7 -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'replace',
      value: 'v=spf1 include:_spf.google.com ip4:203.0.113.7 ~all',
    })
  },
})

situation({
  name: 'redirect= to a record of the domain’s own beside ~all',
  expert:
    'Receivers ignore it, so its servers fail today: it goes in front of “all” as an include.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all redirect=_spf.acme.test"
    _spf.acme.test. TXT "v=spf1 ip4:198.51.100.32/28 include:_spf.google.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com include:_spf.acme.test ~all')
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'redirect to Yandex beside all, with Yandex mailboxes',
  expert:
    'The redirect is dead beside all, but the mailboxes are at Yandex: their include is added once.',
  zone: `${AT_CLOUDFLARE}${YANDEX}
    acme.test. MX 10 mx.yandex.net.
    acme.test. TXT "v=spf1 redirect=_spf.yandex.net ~all"
    ${keyZoneLine('mail')}${MONITORED}`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.yandex.net ~all')
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'SPF repair beside services that do not sign yet',
  expert: 'The repair waits for nothing: it comes first and has no condition.',
  zone: `${ON_GOOGLE}${MAILCHIMP}${MONITORED}
    ${txtZoneLine('acme.test', 'v=spf1 include:_spf.google.com include:servers.mcsv.net ip4:203.0.113.7/255.255.255.255 ~all')}`,
  expect: (plan) => {
    expect(titles(plan)[0]).toBe('Correct the SPF record')
    expect(spfOf(plan)).toMatchObject({
      value: 'v=spf1 include:_spf.google.com include:servers.mcsv.net ip4:203.0.113.7/32 ~all',
      onlyIf: null,
    })
    expect(senderLines(plan)).toEqual(['mailchimp unsure unsigned'])
  },
})

situation({
  name: 'Lookups wasted on a, mx and an include twice',
  expert: 'At 11 lookups the own hosts become addresses; no sender has to move.',
  zone: `${AT_CLOUDFLARE}${GOOGLE}${VENDOR_A}
    acme.test. MX 10 mail.acme.test.
    acme.test. A 203.0.113.1
    mail.acme.test. A 203.0.113.2
    ${txtZoneLine('acme.test', 'v=spf1 a mx a:web.acme.test include:_spf.google.com include:spf.vendor-a.test -all')}
    web.acme.test. A 203.0.113.3
    ${keyZoneLine('default')}${MONITORED}`,
  expect: (plan) => {
    const { value, lookupCount } = spfOf(plan)
    expect(lookupCount).toBeLessThanOrEqual(10)
    expect(value).toContain('include:_spf.google.com include:spf.vendor-a.test -all')
    expect(value).toContain('ip4:203.0.113.')
    expect(changesFor(plan, 'spf')).toHaveLength(1)
    expect(warningIds(plan)).not.toContain('plan.senders-to-move')
  },
})

situation({
  name: 'Three dead hosts beside Google',
  expert:
    'More than two empty lookups break the record for everyone: the dead terms go, Google stays.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 a:old1.acme.test a:old2.acme.test mx:old3.acme.test include:_spf.google.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com -all')
    expect(plan.safety.tested).toContainEqual(
      expect.objectContaining({ sender: 'Google Workspace', after: 'pass' }),
    )
  },
})

situation({
  name: 'A record that includes itself',
  expert: 'An endless loop is a permerror: the include of the own name goes.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:acme.test include:_spf.google.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com -all')
  },
})

situation({
  name: 'Everything behind an include of the own zone',
  expert: 'A common and valid layout: Google is found inside it and nothing changes.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.acme.test -all"
    _spf.acme.test. TXT "v=spf1 ip4:203.0.113.7 include:_spf.google.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({ action: 'keep', lookupCount: 5 })
  },
})

situation({
  name: 'Google’s old include, capitals and an explanation',
  expert: 'All valid: kept as written.',
  zone: `${SOUND_GOOGLE}
    aspmx.googlemail.com. TXT "v=spf1 redirect=_spf.google.com"
    acme.test. TXT "V=SPF1 Include:aspmx.googlemail.com exp=explain.acme.test -ALL"
    explain.acme.test. TXT "Mail from %{i} is not ours"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
  },
})
