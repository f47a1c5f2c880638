import { expect, test } from 'vitest'
import { nameField } from './panel-record.js'

const ZONE = { apex: 'acme.co.test', nameServers: [] }

test.each([
  ['@', '{name}', 'acme.co.test', '@'],
  ['', '{name}', 'acme.co.test', ''],
  ['{fqdn}', '{fqdn}', 'acme.co.test', 'acme.co.test'],
  ['{fqdn}.', '{fqdn}.', 'acme.co.test', 'acme.co.test.'],
  ['@', '{name}', '_dmarc.acme.co.test', '_dmarc'],
  ['@', '{name}', 'k1._domainkey.team.acme.co.test', 'k1._domainkey.team'],
  ['@', '{fqdn}', '_dmarc.acme.co.test', '_dmarc.acme.co.test'],
  ['@', '{fqdn}.', '_dmarc.acme.co.test', '_dmarc.acme.co.test.'],
  // However it is spelled, and whatever a gap in it is called.
  ['@', '{name}', 'Acme.CO.test', '@'],
  ['@', '{name}', '{fqdn}._domainkey.ACME.co.test', '{fqdn}._domainkey'],
  ['@', '{name}', "$'.acme.co.test", "$'"],
  // Not in the zone: above it, beside it, or a name that only ends alike.
  ['', '{name}', 'co.test', 'co.test'],
  [
    '',
    '{fqdn}.',
    'acme.co.test._report._dmarc.other.test',
    'acme.co.test._report._dmarc.other.test',
  ],
  ['', '{name}', 'bigacme.co.test', 'bigacme.co.test'],
] as const)('where the panel has %j and %j, %s is entered as %j', (apex, below, name, field) => {
  expect(nameField(name, ZONE, { apexName: apex, subdomainName: below })).toBe(field)
})
