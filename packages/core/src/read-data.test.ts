import { describe, expect, test } from 'vitest'
import { isDisposableDomain } from './catalog/address-lists.js'
import { isListed, readNames } from './read-data.js'

/** Without capital letters; a rule for public suffixes may begin with a mark. */
const NAME = /^(\*\.|!)?[\p{Ll}\p{Lo}\p{Lm}\p{M}\d][\p{Ll}\p{Lo}\p{Lm}\p{M}\d._-]*$/u

describe.each([
  // One name of both sources, and one of each.
  ['disposableDomains', 138_151, ['mailinator.com', '5yh55.com', '30mail.ir']],
  ['freeProviders', 5_084, ['gmail.com', 'posteo.de', 'yandex.kz']],
  ['roleAccounts', 1_018, ['abuse', 'info', 'zentrale']],
  ['publicSuffixes', 10_870, ['co.uk', '*.ck', '!www.ck']],
] as const)('%s', (list, count, members) => {
  const names = readNames(list)

  test(`has ${count} names, sorted, each once and without the header`, () => {
    expect(names).toEqual([...new Set(names)].sort())
    expect(names).toHaveLength(count)
    expect(names.filter((name) => !NAME.test(name))).toEqual([])
  })

  test.each(members)('contains %s', (member) => expect(names).toContain(member))

  test('finds names, the first and the last, and no part of one', () => {
    const known = new Set(names)
    const some = names.filter((_, index) => index % 50 === 0 || index === count - 1)
    const parts = some.flatMap((name) => [`${name}.`, name.slice(0, -1), name.slice(1), ''])
    expect(some.filter((name) => !isListed(list, name))).toEqual([])
    expect(parts.filter((part) => isListed(list, part) !== known.has(part))).toEqual([])
  })
})

test('no free provider is on the list of disposable domains', () => {
  expect(readNames('freeProviders').filter(isDisposableDomain)).toEqual([])
})
