/** Our zone-backed `Dns` against BIND, on the same zone file: the stand-in behaves as the real one. */

import { createServerDirectory, type ServerDirectory } from '@mailgrade/testing/server-directory'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Dns, RecordType } from '../../src/dns.js'
import { createDohDns } from '../../src/doh-dns.js'
import { createZoneDns } from '../../src/zone/zone-dns.js'
import { listMainZoneOwners, startBind } from './bind.js'
import { toComparableAnswer } from './comparable-answer.js'
import { dohUrl } from './resolver-servers.js'
import { MAIN_ZONE } from './resolver-zones.js'

/** Counted by hand in the zone file, lest an empty list agree with everything. */
const OWNERS_IN_WORLD = 33

const TYPES: readonly RecordType[] = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'SOA', 'SPF', 'TXT']

const NAMES_WITHOUT_RECORDS = [
  'nothing.world.test',
  'below.nothing.world.test',
  'below.www.world.test',
  'region.world.test',
  '_domainkey.world.test',
  'nothing._domainkey.world.test',
  'wild.world.test',
  'any.wild.world.test',
  'far.below.wild.world.test',
  'below.own.wild.world.test',
  'below.*.wild.world.test',
  'hosted.world.test',
  'shop.hosted.world.test',
  'one.label.world.test',
  'by.number.world.test',
  'nothing.branch.world.test',
]

const OTHER_SPELLINGS = [
  'WORLD.Test',
  'world.test.',
  'by\\.number.world.test',
  '\\111ne\\046label.world.test',
  'at\\@sign.world.test',
]

const IMPOSSIBLE_NAMES = [
  '',
  '..',
  'empty..world.test',
  `${'a'.repeat(64)}.world.test`,
  `${'long.'.repeat(49)}world.test`,
]

const zone = createZoneDns('zone', MAIN_ZONE)
let site: ServerDirectory
let bind: Dns

beforeAll(async () => {
  site = await createServerDirectory()
  const server = await startBind(site).catch(async (error) => {
    await site.remove()
    throw error
  })
  const url = dohUrl('https', server.dohPort)
  const dns = createDohDns({ urls: [url], tls: { ca: site.ca }, queryTimeoutMs: 10_000 })
  bind = dns
  return async () => {
    dns.close()
    await server.stop()
    await site.remove()
  }
})

async function answersOf(dns: Dns, names: readonly string[], type: RecordType) {
  return Promise.all(
    names.map(async (name) => {
      const answer = await dns.query(name, type)
      const ttl = answer.kind === 'records' ? answer.ttl : null
      return { name, ...toComparableAnswer(answer), ttl }
    }),
  )
}

describe('BIND and the zone-backed Dns agree on', () => {
  test.each(TYPES)('every name of the zone, asked for %s', async (type) => {
    const owners = await listMainZoneOwners(site)
    expect(owners).toHaveLength(OWNERS_IN_WORLD)
    expect(await answersOf(zone, owners, type)).toEqual(await answersOf(bind, owners, type))
  })

  test.each(TYPES)('names without records of their own, asked for %s', async (type) => {
    const answers = await answersOf(bind, NAMES_WITHOUT_RECORDS, type)
    expect(await answersOf(zone, NAMES_WITHOUT_RECORDS, type)).toEqual(answers)
  })

  test('names in other spellings', async () => {
    const answers = await answersOf(bind, OTHER_SPELLINGS, 'TXT')
    expect(answers.map((answer) => answer.kind)).toEqual(OTHER_SPELLINGS.map(() => 'records'))
    expect(await answersOf(zone, OTHER_SPELLINGS, 'TXT')).toEqual(answers)
  })

  test('names that cannot be', async () => {
    const answers = await answersOf(bind, IMPOSSIBLE_NAMES, 'TXT')
    expect(answers.map((answer) => answer.reason)).toEqual(IMPOSSIBLE_NAMES.map(() => 'bad-name'))
    expect(await answersOf(zone, IMPOSSIBLE_NAMES, 'TXT')).toEqual(answers)
  })
})
