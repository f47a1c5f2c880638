import { expect, test } from 'vitest'
import {
  panelRecords,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import { GENERIC_PANEL } from '../../../catalog/dns-hosts.js'
import { nameField, toPanelRecords, toPlanRecord } from './panel-record.js'

const ZONE = { apex: 'acme.co.test', nameServers: [], delegated: ['_domainkey.acme.co.test'] }

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
  ['@', '{name}', '{fqdn}.ACME.co.test', '{fqdn}'],
  ['@', '{name}', "$'.acme.co.test", "$'"],
  // Not in the zone: above it, beside it, delegated, or a name that only ends alike.
  ['@', '{name}', 'k1._domainkey.acme.co.test', 'k1._domainkey.acme.co.test'],
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

const LONG = 'A'.repeat(300)

test.each([
  [{}, plannedTxt('acme.co.test', 'v=spf1 -all'), 'v=spf1 -all'],
  [{ quotes: 'always' }, plannedTxt('acme.co.test', 'v=spf1 -all'), '"v=spf1 -all"'],
  [{ quotes: 'when-split', split: 'manual' }, plannedTxt('acme.co.test', 'x'), 'x'],
  [
    { quotes: 'when-split', split: 'manual' },
    plannedTxt('acme.co.test', LONG),
    `"${LONG.slice(0, 255)}" "${LONG.slice(255)}"`,
  ],
  [{}, plannedCname('k1.acme.co.test', 'k1.mail.test'), 'k1.mail.test'],
  [{ targetDot: true }, plannedCname('k1.acme.co.test', 'k1.mail.test'), 'k1.mail.test.'],
  [{ targetDot: true }, plannedMx('acme.co.test', '10 mx.mail.test'), '10 mx.mail.test.'],
  [{ targetDot: true }, plannedMx('acme.co.test', '0 .'), '0 .'],
  [{ nullMx: 'empty' }, plannedMx('acme.co.test', '0 .'), '0'],
  // The panel of another zone is not known.
  [{ quotes: 'always' }, plannedTxt('k1._domainkey.acme.co.test', 'x'), 'x'],
  [{ targetDot: true }, plannedCname('other.test', 'k1.mail.test'), 'k1.mail.test'],
] as const)('%j: the value to enter of %o is %s', (differences, record, valueToEnter) => {
  const panel = { ...GENERIC_PANEL, ...differences }
  expect(toPanelRecords([record], ZONE, panel)).toMatchObject([{ valueToEnter }])
})

test('the public form has a condition and whether the record is optional', () => {
  const [record] = panelRecords(
    plannedTxt('acme.test', 'v=spf1 -all', {
      service: 'google',
      onlyIf: 'You use it.',
      isOptional: true,
      isLater: true,
    }),
  ).map(toPlanRecord)
  expect(record).toEqual({
    order: 1,
    action: 'create',
    type: 'TXT',
    name: 'acme.test',
    host: '@',
    value: 'v=spf1 -all',
    valueToEnter: 'v=spf1 -all',
    chunks: ['v=spf1 -all'],
    ttl: 3600,
    replaces: [],
    purpose: 'spf',
    service: 'google',
    why: 'Because.',
    onlyIf: 'You use it.',
    optional: true,
    placeholders: [],
  })
})
