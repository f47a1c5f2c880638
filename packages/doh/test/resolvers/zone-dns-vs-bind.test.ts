/** Our zone-backed `Dns` against BIND with the same zone file. */
import { createServerDirectory, type ServerDirectory } from '@mailgrade/testing/server-directory'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Dns, RecordType } from '../../src/dns.js'
import { createDohDns } from '../../src/doh-dns.js'
import { createZoneDns } from '../../src/zone/zone-dns.js'
import { listMainZoneOwners, startBind } from './bind.js'
import { toComparableAnswer } from './comparable-answer.js'
import { dohUrl } from './resolver-servers.js'
import { MAIN_ZONE } from './resolver-zones.js'

/** Counted by hand, so the test does not compare empty lists. */
const OWNER_COUNT = 34

const TYPES: readonly RecordType[] = [
  ...(['A', 'AAAA', 'CNAME', 'MX', 'NS'] as const),
  ...(['PTR', 'SOA', 'SPF', 'TLSA', 'TXT'] as const),
]

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

const INVALID_NAMES = [
  '',
  '..',
  'empty..world.test',
  `${'a'.repeat(64)}.world.test`,
  `${'long.'.repeat(49)}world.test`,
]

const zone = createZoneDns('zone', MAIN_ZONE)
let directory: ServerDirectory
let bind: Dns

beforeAll(async () => {
  directory = await createServerDirectory()
  const server = await startBind(directory).catch(async (error) => {
    await directory.remove()
    throw error
  })
  const url = dohUrl('https', server.dohPort)
  const dns = createDohDns({ urls: [url], tls: { ca: directory.ca }, queryTimeoutMs: 10_000 })
  bind = dns
  return async () => {
    dns.close()
    await server.kill()
    await directory.remove()
  }
})

async function queryAll(dns: Dns, names: readonly string[], type: RecordType) {
  return Promise.all(
    names.map(async (name) => {
      const answer = await dns.query(name, type)
      const ttl = answer.kind === 'records' ? answer.ttl : null
      return { name, ...toComparableAnswer(answer), ttl }
    }),
  )
}

describe('BIND and the zone-backed Dns agree on', () => {
  test.each(TYPES)('%s queries for every name of the zone', async (type) => {
    const owners = await listMainZoneOwners(directory)
    expect(owners).toHaveLength(OWNER_COUNT)
    expect(await queryAll(zone, owners, type)).toEqual(await queryAll(bind, owners, type))
  })

  test.each(TYPES)('%s queries for names without records', async (type) => {
    const answers = await queryAll(bind, NAMES_WITHOUT_RECORDS, type)
    expect(await queryAll(zone, NAMES_WITHOUT_RECORDS, type)).toEqual(answers)
  })

  test('names in other spellings', async () => {
    const answers = await queryAll(bind, OTHER_SPELLINGS, 'TXT')
    expect(answers.map((answer) => answer.kind)).toEqual(OTHER_SPELLINGS.map(() => 'records'))
    expect(await queryAll(zone, OTHER_SPELLINGS, 'TXT')).toEqual(answers)
  })

  test('invalid names', async () => {
    const answers = await queryAll(bind, INVALID_NAMES, 'TXT')
    expect(answers.map((answer) => answer.reason)).toEqual(INVALID_NAMES.map(() => 'bad-name'))
    expect(await queryAll(zone, INVALID_NAMES, 'TXT')).toEqual(answers)
  })
})
