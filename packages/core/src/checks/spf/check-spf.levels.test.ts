import type { Dns, RecordType } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkSpf } from './check-spf.js'

/** Holds every answer back until all that can be queries has been queries: one batch is one level. */
async function batchesOf(zone: string): Promise<string[][]> {
  const dns = zoneDns(zone)
  let held: { question: string; release: () => void }[] = []
  const ask = (name: string, type: RecordType) =>
    new Promise((resolve) => {
      const release = () => resolve(dns.query(name, type))
      held.push({ question: `${type} ${name}`, release })
    })
  let isDone = false
  const checked = checkSpf({ query: ask as Dns['query'] }, 'acme.test' as DomainName)
  const done = checked.then(() => {
    isDone = true
  })

  const batches: string[][] = []
  while (!isDone) {
    // Whatever goes on without a further answer goes on before this comes back.
    await new Promise(setImmediate)
    const batch = held
    held = []
    if (batch.length > 0) batches.push(batch.map(({ question }) => question))
    for (const { release } of batch) release()
  }
  await done
  return batches
}

test('sends the queries of one level together', async () => {
  const batches = await batchesOf(`
    acme.test.              TXT "v=spf1 include:_spf.google.com ~all"
    _spf.google.com.        TXT "v=spf1 include:_netblocks.google.com include:_netblocks2.google.com include:_netblocks3.google.com ~all"
    _netblocks.google.com.  TXT "v=spf1 ip4:35.190.247.0/24 ~all"
    _netblocks2.google.com. TXT "v=spf1 ip6:2001:4860:4000::/36 ~all"
    _netblocks3.google.com. TXT "v=spf1 ip4:172.217.0.0/19 ~all"
  `)
  expect(batches).toEqual([
    ['TXT acme.test', 'SPF acme.test', 'MX acme.test'],
    ['TXT _spf.google.com'],
    ['TXT _netblocks.google.com', 'TXT _netblocks2.google.com', 'TXT _netblocks3.google.com'],
  ])
})

test('queries addresses with the includes of their level, and nothing twice', async () => {
  const batches = await batchesOf(`
    acme.test.    TXT "v=spf1 a mx include:b.test include:c.test a:www.b.test redirect=d.test"
    acme.test.    A 192.0.2.1
    acme.test.    MX 10 mx.acme.test.
    acme.test.    MX 20 acme.test.
    mx.acme.test. A 192.0.2.2
    b.test.       TXT "v=spf1 mx include:c.test exists:e.test -all"
    c.test.       TXT "v=spf1 include:b.test a:www.b.test -all"
    d.test.       TXT "v=spf1 -all"
  `)
  expect(batches).toEqual([
    ['TXT acme.test', 'SPF acme.test', 'MX acme.test'],
    [
      'A acme.test',
      'AAAA acme.test',
      'MX acme.test',
      'TXT b.test',
      'TXT c.test',
      'A www.b.test',
      'AAAA www.b.test',
      'TXT d.test',
    ],
    ['A mx.acme.test', 'AAAA mx.acme.test', 'MX b.test', 'A e.test'],
  ])
})
