import { expect, test } from 'vitest'
import { createKeySet } from './key-set.js'

test('a key is new once, also after the table has grown', () => {
  const keys = createKeySet()
  const names = Array.from({ length: 20_000 }, (_, index) => `d${index}.test`)
  expect(names.filter((name) => keys.add(name))).toHaveLength(20_000)
  expect(names.filter((name) => keys.add(name))).toEqual([])
  expect(keys.add('other.test')).toBe(true)
})
