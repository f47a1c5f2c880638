import { describe, expect, test } from 'vitest'
import { isDisposableDomain } from './catalog/disposable-domains.js'
import { readNames } from './read-data.js'

describe.each([
  // One name of both sources, and one of each.
  ['disposableDomains', 138_151, ['mailinator.com', '5yh55.com', '30mail.ir']],
  ['freeProviders', 5_084, ['gmail.com', 'posteo.de', 'yandex.kz']],
  ['roleAccounts', 1_018, ['abuse', 'info', 'zentrale']],
] as const)('%s', (list, count, members) => {
  const names = readNames(list)

  test(`has ${count} names, sorted, each once and without the header`, () => {
    expect(names).toEqual([...new Set(names)].sort())
    expect(names).toHaveLength(count)
    expect(names.filter((name) => !/^[\p{Ll}\d][\p{Ll}\d._-]*$/u.test(name))).toEqual([])
  })

  test.each(members)('contains %s', (member) => expect(names).toContain(member))
})

test('no free provider is on the list of disposable domains', () => {
  expect(readNames('freeProviders').filter(isDisposableDomain)).toEqual([])
})
