/** Owners whose records are nearly right, so that the exact repair follows from DNS. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { checkOf, planOf, spfAt } from '../../../../test/support/expert.js'
import { GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { evaluateSpf } from '../../../checks/spf/evaluate-spf.js'

function mailServers(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `acme.test. MX ${index + 1} mx${index + 1}.acme.test.
      mx${index + 1}.acme.test. A 192.0.2.${index + 1}`,
  ).join('\n')
}

async function resultFor(record: string, ip: string) {
  const dns = zoneDns(`acme.test. TXT "${record}"`)
  const message = { ip, sender: 'info@acme.test', helo: null, timestamp: 0 }
  return (await evaluateSpf(dns, 'acme.test', message)).result
}

test('eleven mail servers are one too many for the mx term: their addresses are written out', async () => {
  // RFC 7208 §4.6.4: more than ten MX hosts are permerror.
  const plan = await planOf(`${AT_CLOUDFLARE}${mailServers(11)}
    ${keyZoneLine('default')}
    ${spfLine('mx -all')}${policy('p=none')}`)
  const terms = spfAt(plan).value.split(' ')
  expect(terms).not.toContain('mx')
  for (let host = 1; host <= 11; host++) {
    expect(await resultFor(spfAt(plan).value, `192.0.2.${host}`), String(host)).toBe('pass')
  }
  for (const stranger of ['192.0.2.0', '192.0.2.12']) {
    expect(await resultFor(spfAt(plan).value, stranger)).toBe('fail')
  }
  expect(terms.at(-1)).toBe('-all')
})

test('twelve mail servers and Google in one record: Google’s include survives the repair', async () => {
  const plan = await planOf(`${ON_GOOGLE}${mailServers(12)}
    ${GOOGLE_KEY}
    ${spfLine('include:_spf.google.com mx ~all')}${policy('p=quarantine')}`)
  const terms = spfAt(plan).value.split(' ')
  expect(terms).toContain('include:_spf.google.com')
  expect(terms).not.toContain('mx')
  // Google’s own mail server is behind its include.
  expect(spfAt(plan).value).not.toContain('142.250')
})

test('eleven mail servers with IPv6, some far apart: no address between them is let in', async () => {
  const servers = Array.from(
    { length: 11 },
    (_, index) => `acme.test. MX 10 mx${index}.acme.test.
      mx${index}.acme.test. A 192.0.2.${index * 20}
      mx${index}.acme.test. AAAA 2001:db8::${index.toString(16)}`,
  ).join('\n')
  const plan = await planOf(`${AT_CLOUDFLARE}${servers}
    ${keyZoneLine('default')}${spfLine('mx -all')}${policy('p=none')}`)
  const { value } = spfAt(plan)
  for (let index = 0; index < 11; index++) {
    expect(await resultFor(value, `192.0.2.${index * 20}`)).toBe('pass')
    expect(await resultFor(value, `2001:db8::${index.toString(16)}`)).toBe('pass')
    expect(await resultFor(value, `192.0.2.${index * 20 + 1}`)).toBe('fail')
  }
  expect(await resultFor(value, '2001:db8::b')).toBe('fail')
})

test('eleven mail servers, one of which can’t be looked up: none of them is left out', async () => {
  const plan = await planOf(
    `${AT_CLOUDFLARE}${mailServers(11)}
    ${keyZoneLine('default')}${spfLine('mx -all')}`,
    { failing: { 'A mx11.acme.test': 'servfail' } },
  )
  expect(spfAt(plan).value).toBe('v=spf1 mx -all')
})

test('ten mail servers are allowed, so the mx term stays', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}${mailServers(10)}
    ${keyZoneLine('default')}
    ${spfLine('mx -all')}${policy('p=none')}`)
  expect(spfAt(plan)).toMatchObject({ action: 'keep', value: 'v=spf1 mx -all' })
})

test('SPF has ptr and mail goes to Google: Google is named', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${spfLine('ptr:acme.test ~all')}
    ${policy('p=quarantine')}`)
  expect(spfAt(plan).value).toContain('include:_spf.google.com')
})

test('SPF has ptr only: the own mail server gets a term that works without reverse DNS', async () => {
  // RFC 7208 §5.5: ptr should not be used.
  const plan = await planOf(`${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 192.0.2.25
    ${keyZoneLine('default')}${spfLine('ptr -all')}${policy('p=none')}`)
  const terms = spfAt(plan).value.split(' ')
  expect(terms.some((term) => /^(?:mx|a:mail\.acme\.test|ip4:192\.0\.2\.25)$/.test(term))).toBe(
    true,
  )
  expect(terms.at(-1)).toBe('-all')
})

test('SPF has ptr beside an address: the own mail server joins before ptr may go', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    acme.test. MX 20 mail2.acme.test.
    mail.acme.test. A 192.0.2.25
    mail2.acme.test. A 192.0.2.26
    ${keyZoneLine('default')}${spfLine('ip4:198.51.100.7 ptr -all')}${policy('p=quarantine')}`)
  const terms = spfAt(plan).value.split(' ')
  const after = plan.safety.tested.filter(({ ip }) => ip.startsWith('192.0.2.'))
  expect(terms).toContain('ip4:198.51.100.7')
  expect(terms.includes('mx') || after.filter((each) => each.after === 'pass').length === 2).toBe(
    true,
  )
})

test('exists with the local part lets any server choose a valid one: the term goes or is named', async () => {
  // RFC 7208 §7.2: %{l} comes from the sender.
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com exists:%{l}._spf.acme.test -all')}
    info._spf.acme.test. A 127.0.0.2`)
  const isGone = !spfAt(plan).value.includes('%{l}')
  const warned = plan.warnings.filter(
    ({ severity, evidence }) =>
      severity !== 'info' && evidence.some(({ value }) => value.includes('%{l}')),
  )
  expect(isGone || warned.length > 0).toBe(true)
  expect(spfAt(plan).value).toContain('include:_spf.google.com')
})

test('the same below a redirect isn’t overlooked', async () => {
  const check = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('redirect=_spf.acme.test')}
    ${spfLine('include:_spf.google.com exists:%{l}.%{d}.users.acme.test -all', '_spf.acme.test')}`)
  const severe = check.spf.issues.filter(({ severity }) => /critical|high|medium/.test(severity))
  expect(JSON.stringify(severe)).toContain('%{l}')
})
