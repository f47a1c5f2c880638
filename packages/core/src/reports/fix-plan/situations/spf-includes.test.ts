/** SPF includes that are broken, open, misspelled, nested, repeated or missing. */
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  HELPSCOUT,
  MAILCHIMP,
  ON_GOOGLE,
  SALESFORCE,
  SENDGRID,
  ZENDESK,
} from '../../../../test/support/service-zones.js'
import {
  situation,
  spfOf,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  dmarcZoneLine,
  MAILGUN,
  VENDOR_A,
  VENDOR_B,
} from '../../../../test/support/situation-zones.js'
import type { FixPlan } from '../fix-plan-report.js'

const MONITORED = dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')
const SOUND_GOOGLE = `${ON_GOOGLE}${keyZoneLine('google')}${MONITORED}`

const HALF_BROKEN = `
  spf.vendor.test. TXT "v=spf1 ip4:198.51.100.0/24 include:gone.vendor.test ~all"`

function testOf({ safety }: FixPlan, sender: string): string {
  const found = safety.tested.find((each) => each.sender === sender)
  return `${found?.before} ${found?.after}`
}

/** Everything that the owner is told to do. */
function actions({ steps }: FixPlan): string {
  return steps.flatMap((step) => step.actions).join('\n')
}

situation({
  name: 'A vendor whose record breaks behind its own addresses',
  expert: 'It passes today, so it stays; only the vendor can repair it.',
  zone: `${SOUND_GOOGLE}${HALF_BROKEN}
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.vendor.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({ action: 'keep', lookupCount: 6 })
    expect(spfOf(plan).why).toContain('include:spf.vendor.test has an error')
    expect(warningIds(plan)).not.toContain('plan.spf-too-full')
    expect(warningIds(plan)).not.toContain('spf.include-without-record')
    const step = stepNamed(plan, 'The SPF record of spf.vendor.test is broken')
    expect(step.actions.join(' ')).toMatch(
      /Ask the operator of spf\.vendor\.test to fix the SPF record at spf\.vendor\.test\..*Keep include:spf\.vendor\.test until then\./,
    )
    expect(actions(plan)).not.toMatch(/remove the term/i)
    expect(actions(plan)).not.toMatch(/make room|10 lookups/i)
  },
})

situation({
  name: 'A vendor with a broken record in front of Google',
  expert: 'Google gets an error today: the vendor goes behind it, and both pass.',
  zone: `${SOUND_GOOGLE}${HALF_BROKEN}
    acme.test. TXT "v=spf1 include:spf.vendor.test include:_spf.google.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'replace',
      value: 'v=spf1 include:_spf.google.com include:spf.vendor.test ~all',
    })
    expect(spfOf(plan).why).toContain('Moved include:spf.vendor.test to the end')
    expect(testOf(plan, 'Google Workspace')).toBe('permerror pass')
    expect(testOf(plan, 'spf.vendor.test')).toBe('pass pass')
    expect(actions(plan)).not.toMatch(/remove the term/i)
  },
})

situation({
  name: 'A vendor with an invalid term two records down',
  expert: 'The same: the vendor is asked, no step removes it.',
  zone: `${SOUND_GOOGLE}
    _spf.host.test. TXT "v=spf1 ip4:198.51.100.0/24 include:a.host.test ~all"
    a.host.test. TXT "v=spf1 ip4:198.51.101.0/24 ip4:198.51.102.0/33 ~all"
    acme.test. TXT "v=spf1 include:_spf.google.com include:_spf.host.test ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(warningIds(plan)).toContain('plan.include-faulty')
    expect(warningIds(plan)).not.toContain('spf.syntax')
    expect(actions(plan)).toContain('ip4:198.51.102.0/33')
  },
})

situation({
  name: 'A vendor with three dead hosts in front of Google',
  expert: 'Too many empty lookups: the vendor goes to the end, and Google passes.',
  zone: `${SOUND_GOOGLE}
    spf.vendor.test. TXT "v=spf1 ip4:198.51.100.0/24 a:x1.vendor.test a:x2.vendor.test a:x3.vendor.test ~all"
    acme.test. TXT "v=spf1 include:spf.vendor.test include:_spf.google.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com include:spf.vendor.test -all')
    expect(testOf(plan, 'Google Workspace')).toBe('permerror pass')
    const step = stepNamed(plan, 'The SPF record of spf.vendor.test is broken')
    expect(step.actions.join(' ')).toMatch(/Send them the error: .*empty/)
    expect(actions(plan)).not.toMatch(/remove the term/i)
  },
})

situation({
  name: 'A vendor with a macro in front of its error',
  expert: 'Which servers pass is unknown, so it stays, behind Google.',
  zone: `${SOUND_GOOGLE}
    spf.vendor.test. TXT "v=spf1 exists:%{i}.spf.vendor.test include:gone.vendor.test ~all"
    acme.test. TXT "v=spf1 include:spf.vendor.test include:_spf.google.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com include:spf.vendor.test -all')
    expect(warningIds(plan)).toContain('plan.include-faulty')
  },
})

situation({
  name: 'A vendor whose record breaks before its first server',
  expert: 'No one passes through it, so it goes, and the owner is asked who was meant.',
  zone: `${SOUND_GOOGLE}
    spf.vendor.test. TXT "v=spf1 include:gone.vendor.test ip4:198.51.100.0/24 ~all"
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.vendor.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(warningIds(plan)).toContain('plan.terms-left-out')
  },
})

situation({
  name: 'A vendor with +all',
  expert: 'Its servers take the place of the include, once the owner knows every sender.',
  zone: `${SOUND_GOOGLE}
    spf.host.test. TXT "v=spf1 ip4:198.51.100.0/24 +all"
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.host.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'replace',
      value: 'v=spf1 include:_spf.google.com ip4:198.51.100.0/24 ~all',
    })
    expect(spfOf(plan).why).toContain('lets every server send as you')
    expect(spfOf(plan).why).toContain('any server passes SPF and DMARC')
    expect(spfOf(plan).onlyIf).toMatch(/every server/)
    expect(titles(plan)).not.toContain('Make room in the SPF record')
  },
})

const MANY = Array.from({ length: 12 }, (_, index) => `ip4:198.51.100.${index}`).join(' ')

situation({
  name: 'A vendor with +all and many servers',
  expert: 'The include stays, and the owner knows that no stage protects until the vendor acts.',
  zone: `${SOUND_GOOGLE}
    spf.host.test. TXT "v=spf1 ${MANY} +all"
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.host.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    const warning = plan.warnings.find(({ id }) => id === 'plan.include-faulty')
    expect(warning?.title).toBe('The SPF record of spf.host.test lets every server send as you')
    expect(warning?.detail).toContain('no DMARC policy can stop forged mail')
    expect(actions(plan)).not.toMatch(/remove the term/i)
  },
})

const OWN_RECORD = `${SENDGRID}${ZENDESK}${VENDOR_A}
  _spf.acme.test. TXT "v=spf1 ip4:203.0.113.0/28 include:_spf.google.com include:sendgrid.net include:mail.zendesk.com include:spf.vendor-a.test -all"`

for (const term of ['redirect=_spf.acme.test', 'include:_spf.acme.test -all']) {
  situation({
    name: `More than ten lookups behind ${term}`,
    expert: 'As in a flat record: its terms move up, and SendGrid, which never needs it, goes.',
    zone: `${SOUND_GOOGLE}${OWN_RECORD}
      acme.test. TXT "v=spf1 ${term}"`,
    expect: (plan) => {
      const { action, value, lookupCount } = spfOf(plan)
      expect(action).toBe('replace')
      expect(lookupCount).toBeLessThanOrEqual(10)
      expect(value).toBe(
        'v=spf1 ip4:203.0.113.0/28 include:_spf.google.com include:mail.zendesk.com include:spf.vendor-a.test -all',
      )
      expect(spfOf(plan).why).toContain(`Replaced ${term.replace(' -all', '')} with`)
      expect(testOf(plan, 'Google Workspace')).toBe('pass pass')
      expect(testOf(plan, 'Zendesk')).toBe('pass pass')
    },
  })
}

for (const term of ['redirect=_spf.acme.test', 'include:_spf.acme.test -all']) {
  situation({
    name: `Three dead hosts behind ${term}`,
    expert: 'As in a flat record: they go, and the server listed after them passes.',
    zone: `${SOUND_GOOGLE}
      _spf.acme.test. TXT "v=spf1 include:_spf.google.com a:x1.acme.test a:x2.acme.test a:x3.acme.test ip4:203.0.113.7 -all"
      acme.test. TXT "v=spf1 ${term}"`,
    expect: (plan) => {
      expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ip4:203.0.113.7 -all')
      expect(testOf(plan, '203.0.113.7')).toBe('permerror pass')
      expect(warningIds(plan)).not.toContain('spf.void-lookups')
    },
  })
}

situation({
  name: 'Three dead hosts two own records down',
  expert: 'The same.',
  zone: `${SOUND_GOOGLE}
    _spf.acme.test. TXT "v=spf1 include:_spf.google.com include:_hosts.acme.test -all"
    _hosts.acme.test. TXT "v=spf1 a:x1.acme.test a:x2.acme.test a:x3.acme.test ip4:203.0.113.7 -all"
    acme.test. TXT "v=spf1 redirect=_spf.acme.test"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ip4:203.0.113.7 -all')
  },
})

situation({
  name: 'Hosts without IPv6 behind an own include',
  expert: 'They send over IPv4, so none of them goes, and the record stays where it is.',
  zone: `${SOUND_GOOGLE}
    _spf.acme.test. TXT "v=spf1 include:_spf.google.com a:h1.acme.test a:h2.acme.test a:h3.acme.test -all"
    h1.acme.test. A 203.0.113.1
    h2.acme.test. A 203.0.113.2
    h3.acme.test. A 203.0.113.3
    acme.test. TXT "v=spf1 include:_spf.acme.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'Google mailboxes and a record without room for them',
  expert:
    'No one who passes today loses the place, nothing is weakened, and the plan says how to make room.',
  zone: `${SOUND_GOOGLE}${SALESFORCE}${ZENDESK}${HELPSCOUT}${MAILGUN}${VENDOR_B}
    acme.test. TXT "v=spf1 include:_spf.salesforce.com include:mail.zendesk.com include:helpscoutemail.com include:spf.vendor-b.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'keep',
      value:
        'v=spf1 include:_spf.salesforce.com include:mail.zendesk.com include:helpscoutemail.com include:spf.vendor-b.test -all',
    })
    expect(spfOf(plan).why).toContain('no room for include:_spf.google.com')
    expect(spfOf(plan).why).not.toContain('Added')
    const step = stepNamed(plan, 'Make room in the SPF record').actions.join(' ')
    expect(step).toContain('Set up DKIM for acme.test at one or more of Salesforce, Zendesk')
    expect(step).toContain('at most 6 lookups. Add include:_spf.google.com before "all"')
    expect(step).not.toContain('subdomain')
  },
})

situation({
  name: 'The mailbox provider behind a question mark',
  expert: 'The qualifier goes; no second include, no placeholder.',
  zone: `${SOUND_GOOGLE}${ZENDESK}
    acme.test. TXT "v=spf1 ?include:_spf.google.com ~include:mail.zendesk.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      value: 'v=spf1 include:_spf.google.com ~include:mail.zendesk.com -all',
      placeholders: [],
    })
    expect(spfOf(plan).why).toContain('Changed ?include:_spf.google.com to include:_spf.google.com')
    expect(spfOf(plan).why).not.toContain('Added')
  },
})

situation({
  name: 'A named service whose include leads nowhere today',
  expert: 'The record stays, and the owner is not asked about a term that was never there.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com -all"`,
  options: { uses: ['firebase'] },
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({ action: 'keep', lookupCount: 4 })
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'Google flattened into addresses',
  expert: 'Its servers pass, so the record needs no include.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 ip4:74.125.0.0/16 ip4:209.85.128.0/17 ip6:2607:f8b0:4000::/36 ip6:2a00:1450:4000::/36 ip4:172.217.0.0/19 ip4:108.177.96.0/19 -all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'Google flattened in part',
  expert: 'Some of its servers fail, so the include is added.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 ip4:74.125.0.0/16 ip4:209.85.128.0/17 -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toContain('include:_spf.google.com')
    expect(spfOf(plan).why).toContain('Added include:_spf.google.com')
  },
})

situation({
  name: 'A misspelled include beside the right one',
  expert: 'It breaks the record and goes; nobody needs to be asked.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:spf.google.com include:_spf.google.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(spfOf(plan).why).toContain('leads to a name without an SPF record, which breaks yours')
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'A misspelled include of Mailchimp',
  expert: 'It goes, and the owner is asked whether Mailchimp was meant.',
  zone: `${SOUND_GOOGLE}${MAILCHIMP}
    acme.test. TXT "v=spf1 include:_spf.google.com include:server.mcsv.net ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(stepNamed(plan, 'out of your SPF record').actions.join(' ')).toContain(
      'Check whether include:server.mcsv.net should be include:servers.mcsv.net (Mailchimp).',
    )
  },
})

situation({
  name: 'Spaces behind the colons',
  expert: 'What was meant is clear, so both terms are joined and nobody is asked.',
  zone: `${SOUND_GOOGLE}${ZENDESK}
    acme.test. TXT "v=spf1 include:_spf.google.com include: mail.zendesk.com ip4: 203.0.113.7 ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:_spf.google.com include:mail.zendesk.com ip4:203.0.113.7 ~all',
    )
    expect(spfOf(plan).why).toContain(
      'Corrected include: mail.zendesk.com to include:mail.zendesk.com.',
    )
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'The same include twice, and the own record',
  expert: 'Both go, and the plan says why.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:acme.test include:_spf.google.com include:_spf.google.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(spfOf(plan).why).toContain(
      'Removed the second include:_spf.google.com (it was there twice).',
    )
    expect(spfOf(plan).why).toContain('Removed include:acme.test (the record includes itself).')
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'Two strings without a space between them',
  expert: 'The plan says what was wrong.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com ip4:203.0.113.7" "ip4:203.0.113.9 -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:_spf.google.com ip4:203.0.113.7 ip4:203.0.113.9 -all',
    )
    expect(spfOf(plan).why).toContain('Added a missing space between two terms.')
  },
})

situation({
  name: 'A term that no one can read, in front of “-all”',
  expert: 'It may have been a real sender, so nothing is refused outright until its owner knows.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com ip4:203.0.113.300 -all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(spfOf(plan).why).toContain('It ends in "~all" until you know what that was for')
    expect(warningIds(plan)).toContain('plan.terms-left-out')
  },
})

situation({
  name: 'Senders behind the “-all” of the record',
  expert: 'No one knows whether they still send, so they aren’t refused outright.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com -all ip4:203.0.113.77"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(warningIds(plan)).toContain('plan.terms-left-out')
  },
})
