import { describe, expect, test } from 'vitest'
import { checkSpfZone } from '../../../test/support/spf-fixture.js'

describe('known senders', () => {
  const vendors = `
    spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/15 ip4:52.100.0.0/14 -all"
    _spf.google.com.            TXT "v=spf1 ip4:64.233.160.0/19 ~all"
    sendgrid.net.               TXT "v=spf1 ip4:167.89.0.0/17 -all"
  `

  test('are listed once, with their term', async () => {
    const {
      report: { senders },
    } = await checkSpfZone(`${vendors}
      acme.test.      TXT "v=spf1 include:_spf.ACME.test include:Spf.Protection.Outlook.com. include:sendgrid.net -all"
      _spf.acme.test. TXT "v=spf1 include:_spf.google.com include:spf.protection.outlook.com -all"
    `)
    expect(senders).toEqual([
      {
        id: 'microsoft365',
        name: 'Microsoft 365 / Exchange Online',
        via: 'include:Spf.Protection.Outlook.com.',
      },
      { id: 'sendgrid', name: 'Twilio SendGrid', via: 'include:sendgrid.net' },
      { id: 'google', name: 'Google Workspace', via: 'include:_spf.google.com' },
    ])
  })

  test('are found in records of unknown operators, but not of known services', async () => {
    const {
      report: { senders },
    } = await checkSpfZone(`${vendors}
      acme.test.           TXT "v=spf1 include:spf.unknown.test include:relay.mailchannels.net -all"
      spf.unknown.test.    TXT "v=spf1 include:_spf.google.com -all"
      relay.mailchannels.net. TXT "v=spf1 include:x.test -all"
      x.test.              TXT "v=spf1 include:sendgrid.net -all"
    `)
    expect(senders.map(({ id }) => id)).toEqual(['mailchannels', 'google'])
  })

  test('exclude forbidden terms and terms after "all"', async () => {
    const {
      report: { senders },
    } = await checkSpfZone(`${vendors}
      acme.test. TXT "v=spf1 -include:sendgrid.net ?include:_spf.google.com -all include:spf.protection.outlook.com"
    `)
    expect(senders.map(({ id }) => id)).toEqual(['google'])
  })

  test('are recognized by a host with macros', async () => {
    const {
      report: { senders },
    } = await checkSpfZone('acme.test. TXT "v=spf1 include:%{i}.spf.hc1234-56.iphmx.com -all"')
    expect(senders).toEqual([
      {
        id: 'cisco',
        name: 'Cisco Secure Email',
        via: 'include:%{i}.spf.hc1234-56.iphmx.com',
      },
    ])
  })

  test('are those that a hosted record names, not its host', async () => {
    const {
      report: { senders },
    } = await checkSpfZone(`${vendors}
      _spf.acme_test._d.easydmarc.pro. TXT "v=spf1 include:sendgrid.net ~all"
      acme.test. TXT "v=spf1 include:_spf.acme_test._d.easydmarc.pro include:_spf.google.com -all"
    `)
    expect(senders.map(({ id }) => id)).toEqual(['google', 'sendgrid'])
  })
})

describe('authorizesSenders', () => {
  test.each([
    ['ip4:192.0.2.1 -all', true],
    ['?ip4:192.0.2.1 ~mx -all', false],
    ['a -all', true],
    ['a:txt.test -all', false],
    ['a:six.test -all', true],
    ['mx -all', true],
    ['mx:null.test -all', false],
    ['mx:crowd.test -all', false],
    ['exists:%{i}.acme.test -all', true],
    ['exists:gone.test -all', false],
    ['ptr -all', true],
    ['include:some.test -all', true],
    ['?include:some.test -all', false],
    ['include:none.test -all', false],
    ['redirect=some.test', true],
    ['include:%{i}.test -all', true],
    ['redirect=%{i}.test', true],
    ['+all', true],
    ['-all ip4:192.0.2.1', false],
  ])('"v=spf1 %s": %s', async (terms, isAllowed) => {
    const crowd = Array.from({ length: 11 }, (_, index) => `crowd.test. MX 0 mx${index}.test.`)
    const { report } = await checkSpfZone(`
      acme.test. TXT "v=spf1 ${terms}"
      acme.test. A   192.0.2.1
      acme.test. MX  0 acme.test.
      txt.test.  TXT "x"
      six.test.  AAAA 2001:db8::1
      null.test. MX  0 .
      some.test. TXT "v=spf1 ip4:192.0.2.1 -all"
      none.test. TXT "v=spf1 -all"
      ${crowd.join('\n')}
    `)
    expect(report.authorizesSenders).toBe(isAllowed)
  })
})
