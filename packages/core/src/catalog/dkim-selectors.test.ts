import { expect, test } from 'vitest'
import { LISTS } from './generated/lists.js'
import { SENDERS } from './mail-services.js'

const { common: COMMON_SELECTORS, generic: GENERIC_SELECTORS, ofAnyone } = LISTS.dkimSelectors
const BOTH = [...COMMON_SELECTORS, ...GENERIC_SELECTORS]

test('includes the selectors of the two largest mailbox hosts', () => {
  expect(COMMON_SELECTORS).toEqual(expect.arrayContaining(['google', 'selector1', 'selector2']))
})

test('keeps the common list short', () => {
  expect(COMMON_SELECTORS.length).toBeLessThanOrEqual(10)
})

test('generic selectors include services that need no include', () => {
  expect(GENERIC_SELECTORS).toEqual(
    expect.arrayContaining(['fm1', 'mandrill', 'resend', 'intercom', '200608', 'aweber_key_a']),
  )
})

test('generic selectors include one of every such service', () => {
  const withoutInclude = SENDERS.filter(
    ({ setup, selectors }) => setup.spf.length === 0 && selectors.length > 0,
  )
  const missing = withoutInclude.filter(({ selectors }) => !selectors.some((s) => BOTH.includes(s)))
  expect(missing.map(({ id }) => id)).toEqual([])
})

test('lists no selector twice', () => {
  expect(BOTH.filter((selector, index) => BOTH.indexOf(selector) !== index)).toEqual([])
})

test('every selector is one or more lower-case labels', () => {
  expect(BOTH.filter((s) => !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(s))).toEqual([])
})

test('the selectors of control panels are tried, and prove nothing about the signer', () => {
  const selectors = LISTS.controlPanels.map(({ selector }) => selector)
  expect(selectors).toEqual(['default', 'default', 'x', 'mail'])
  expect(selectors.filter((each) => !BOTH.includes(each) || !ofAnyone.includes(each))).toEqual([])
})
