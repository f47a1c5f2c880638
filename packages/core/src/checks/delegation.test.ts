import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { discoverDelegation } from './delegation.js'

const ZONE = `
  acme.test.        NS ns2.host.test.
  acme.test.        NS ns1.host.test.
  shop.acme.test.   A 192.0.2.1
  _dmarc.acme.test. CNAME acme.dmarc.test.
  _domainkey.acme.test. NS ns.signer.test.`

function discover(domain: string, failing: Record<string, FailureReason> = {}) {
  return discoverDelegation(zoneDns(ZONE, failing), domain)
}

test('names the servers of the zone and of the names below it that are zones', async () => {
  expect(await discover('acme.test')).toEqual({
    nameServers: ['ns1.host.test', 'ns2.host.test'],
    delegated: [
      { name: '_dmarc.acme.test', nameServers: [] },
      { name: '_domainkey.acme.test', nameServers: ['ns.signer.test'] },
    ],
    dmarcCname: ['acme.dmarc.test'],
  })
})

test('names the servers of the zone above a subdomain', async () => {
  expect(await discover('shop.acme.test')).toMatchObject({
    nameServers: ['ns1.host.test', 'ns2.host.test'],
    dmarcCname: [],
  })
})

test.each([
  ['NS acme.test', { nameServers: null }],
  ['NS _dmarc.acme.test', { delegated: [{ nameServers: null }, {}] }],
  ['TXT _dmarc.acme.test', { dmarcCname: null }],
] as const)('without an answer for %s leaves that unknown', async (query, expected) => {
  expect(await discover('acme.test', { [query]: 'servfail' })).toMatchObject(expected)
})

test('a name without room for a label below has nothing delegated', async () => {
  const name = [...Array.from({ length: 3 }, () => 'a'.repeat(63)), 'b'.repeat(56), 'test'].join(
    '.',
  )
  expect(await discover(name)).toMatchObject({
    delegated: [{ nameServers: [] }, { nameServers: [] }],
    dmarcCname: [],
  })
})
