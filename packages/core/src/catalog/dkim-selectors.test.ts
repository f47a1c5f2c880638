import { expect, test } from 'vitest'
import { COMMON_SELECTORS, GENERIC_SELECTORS } from './dkim-selectors.js'

const BOTH = [...COMMON_SELECTORS, ...GENERIC_SELECTORS]

test('every domain is asked for the keys of the two largest mailbox hosts', () => {
  expect(COMMON_SELECTORS).toEqual(expect.arrayContaining(['google', 'selector1', 'selector2']))
})

test('what is asked of every domain stays short', () => {
  expect(COMMON_SELECTORS.length).toBeLessThanOrEqual(10)
})

test('the wider net has the keys of services that need no include', () => {
  expect(GENERIC_SELECTORS).toEqual(
    expect.arrayContaining(['fm1', 'mandrill', 'resend', 'intercom', '200608', 'aweber_key_a']),
  )
})

test('no selector is listed twice, in one list or over both', () => {
  expect(BOTH.filter((selector, index) => BOTH.indexOf(selector) !== index)).toEqual([])
})

test('every selector is one or more lower-case labels', () => {
  expect(BOTH.filter((s) => !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(s))).toEqual([])
})
