import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { evaluateSpf } from './evaluate-spf.js'

const MESSAGE = {
  ip: '192.0.2.1',
  sender: 'ann@acme.test',
  helo: 'mail.acme.test',
  timestamp: 1_794_787_200,
}

test('counts the void lookups of every ptr', async () => {
  const twice = zoneDns('acme.test. TXT "v=spf1 ptr ptr:other.test -all"')
  expect(await evaluateSpf(twice, 'acme.test', MESSAGE)).toMatchObject({
    result: 'fail',
    voidLookups: 2,
  })
  const thrice = zoneDns('acme.test. TXT "v=spf1 ptr ptr:other.test ptr:third.test +all"')
  expect(await evaluateSpf(thrice, 'acme.test', MESSAGE)).toMatchObject({
    result: 'permerror',
    matched: null,
  })
})

test('counts the void lookups of a %{p} and of a ptr', async () => {
  const dns = zoneDns('acme.test. TXT "v=spf1 ptr exists:%{p}.acme.test -all"')
  expect(await evaluateSpf(dns, 'acme.test', MESSAGE)).toMatchObject({
    result: 'permerror',
    voidLookups: 3,
  })
})

test('does not count the lookups of an explanation', async () => {
  const dns = zoneDns(`
    acme.test. TXT "v=spf1 ip4:198.51.100.1 -all exp=why.acme.test"
    why.acme.test. TXT "%{p} is not ours"
  `)
  expect(await evaluateSpf(dns, 'acme.test', MESSAGE)).toMatchObject({
    result: 'fail',
    explanation: 'unknown is not ours',
    voidLookups: 0,
  })
})

const MAIL_SERVERS = `
  acme.test. TXT "v=spf1 mx -all"
  acme.test. MX 10 mx1.acme.test.
  acme.test. MX 20 mx2.acme.test.
  mx1.acme.test. A 192.0.2.1
  mx2.acme.test. A 192.0.2.2
`

test.each(['mx1', 'mx2'])('a failed lookup of %s is a temperror', async (host) => {
  const dns = zoneDns(MAIL_SERVERS, { [`A ${host}.acme.test`]: 'timeout' })
  expect(await evaluateSpf(dns, 'acme.test', MESSAGE)).toMatchObject({
    result: 'temperror',
    matched: null,
  })
})

test.each([
  ['a failed lookup comes first', 10, 'temperror'],
  ['the third void lookup comes first', 30, 'permerror'],
])('the first of several errors decides: %s', async (_, preference, result) => {
  const dns = zoneDns(
    `
    acme.test. TXT "v=spf1 a:gone1.acme.test a:gone2.acme.test mx -all"
    acme.test. MX ${preference} mx1.acme.test.
    acme.test. MX 20 gone3.acme.test.
    `,
    { 'A mx1.acme.test': 'servfail' },
  )
  expect((await evaluateSpf(dns, 'acme.test', MESSAGE)).result).toBe(result)
})
