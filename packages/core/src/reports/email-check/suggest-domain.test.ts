import { describe, expect, test } from 'vitest'
import { isTypo } from './suggest-domain.js'

describe('a slip', () => {
  test.each([
    ['hotmial', 'hotmail', 'two letters swapped'],
    ['ohtmail', 'hotmail', 'the first two swapped'],
    ['hotmal', 'hotmail', 'one left out'],
    ['hotmai', 'hotmail', 'the last left out'],
    ['hottmail', 'hotmail', 'one struck twice'],
    ['hotmaill', 'hotmail', 'the last struck twice'],
    ['hotnmail', 'hotmail', 'one struck with its neighbour'],
    ['hotnail', 'hotmail', 'one struck beside its key'],
    ['yah0o', 'yahoo', 'a digit beside a letter'],
  ])('%s for %s: %s', (written, meant) => {
    expect(isTypo(written, meant)).toBe(true)
  })
})

describe('no slip', () => {
  test.each([
    ['hotmail', 'hotmail', 'the same'],
    ['rotmail', 'hotmail', 'another first letter'],
    ['otmail', 'hotmail', 'no first letter'],
    ['xhotmail', 'hotmail', 'one more before it'],
    ['hotrail', 'hotmail', 'a letter from elsewhere'],
    ['incloud', 'icloud', 'one more from elsewhere'],
    ['hotmla', 'hotmail', 'two slips'],
    ['hotmlia', 'hotmail', 'letters turned around a third'],
    ['hotmailer', 'hotmail', 'two more'],
    ['hotma', 'hotmail', 'two left out'],
    ['', 'hotmail', 'nothing'],
    ['gmäil', 'gmail', 'a letter that the keyboard does not have'],
  ])('%s for %s: %s', (written, meant) => {
    expect(isTypo(written, meant)).toBe(false)
  })
})
