import { expect, test } from 'vitest'
import type { DomainName } from '../names/domain-name.js'
import { withRequestedName } from './check-result.js'

const REQUESTED = 'www.acme.test' as DomainName

test('the name that was asked for follows the domain', () => {
  const report = { domain: 'acme.test', status: 'pass' }
  expect(JSON.stringify(withRequestedName(report, REQUESTED))).toBe(
    '{"domain":"acme.test","requested":"www.acme.test","status":"pass"}',
  )
  const unicode = { domain: 'xn--bcher-kva.test', unicodeDomain: 'bücher.test', status: 'pass' }
  expect(Object.keys(withRequestedName(unicode, 'www.xn--bcher-kva.test' as DomainName))).toEqual([
    'domain',
    'unicodeDomain',
    'requested',
    'status',
  ])
})

test('a report on the name that was asked for stays as it is', () => {
  const report = { domain: 'www.acme.test' }
  expect(withRequestedName(report, null)).toBe(report)
})
