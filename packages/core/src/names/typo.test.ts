import { describe, expect, test } from 'vitest'
import { isTypo } from './typo.js'

describe('a typo', () => {
  test.each([
    ['hotmial', 'hotmail', 'two letters swapped'],
    ['ohtmail', 'hotmail', 'the first two swapped'],
    ['hotmal', 'hotmail', 'one letter missing'],
    ['hotmai', 'hotmail', 'the last letter missing'],
    ['hottmail', 'hotmail', 'one letter doubled'],
    ['hotmaill', 'hotmail', 'the last letter doubled'],
    ['hotnmail', 'hotmail', 'a neighboring key hit as well'],
    ['hotnail', 'hotmail', 'a neighboring key hit instead'],
    ['yah0o', 'yahoo', 'a digit beside a letter'],
  ])('%s for %s: %s', (typed, intended) => {
    expect(isTypo(typed, intended)).toBe(true)
  })
})

describe('not a typo', () => {
  test.each([
    ['hotmail', 'hotmail', 'the same'],
    ['rotmail', 'hotmail', 'another first letter'],
    ['otmail', 'hotmail', 'the first letter missing'],
    ['xhotmail', 'hotmail', 'an extra first letter'],
    ['hotrail', 'hotmail', 'a letter that is not a neighboring key'],
    ['incloud', 'icloud', 'an extra letter that is not a neighboring key'],
    ['hotmla', 'hotmail', 'two typos'],
    ['hotmlia', 'hotmail', 'letters swapped around a third'],
    ['hotmailer', 'hotmail', 'two extra letters'],
    ['hotma', 'hotmail', 'two letters missing'],
    ['', 'hotmail', 'an empty name'],
    ['gmäil', 'gmail', 'a letter that is not on the keyboard'],
  ])('%s for %s: %s', (typed, intended) => {
    expect(isTypo(typed, intended)).toBe(false)
  })
})
