import { expect, test } from 'vitest'
import { fillTemplate, hasPlaceholder } from '../../catalog/record-template.js'
import { expectedTextLength, findPlaceholders } from './planned-record.js'

test.each([
  ['v=spf1 -all', 11],
  ['ü', 2],
  ['v=DKIM1; k=rsa; p={public-key}', 410],
  ['p={s1-public-key}', 394],
])('%s has %d octets once it is filled in', (value, length) => {
  expect(expectedTextLength({ value })).toBe(length)
})

test.each([
  ['fm1.{d}.dkim.fmhosted.com', 'fm1.shop.acme.test.dkim.fmhosted.com'],
  ['b1.{dd}.dkim.brevo.com', 'b1.shop-acme-test.dkim.brevo.com'],
  ['s1.dkim.{d_}.{code}.host.test', 's1.dkim.shop_acme_test.{acme-mail-code}.host.test'],
  ['include:%{i}._ip.%{d}._spf.vali.email', 'include:%{i}._ip.%{d}._spf.vali.email'],
  ['{d}.{dd}.{dx}', 'shop.acme.test.shop-acme-test.{acme-mail-dx}'],
])('%s becomes %s', (template, text) => {
  expect(fillTemplate(template, 'shop.acme.test', 'acme-mail')).toBe(text)
})

test('fills in a token that another record shows', () => {
  const known = { account: '12345' }
  expect(fillTemplate('{account}.{zone}.mail.test', 'acme.test', 'hub', known)).toBe(
    '12345.{hub-zone}.mail.test',
  )
})

test.each([
  ['{hub-zone}.mail.test', true],
  ['%{d}.mail.test', false],
  ['v=spf1 -all', false],
])('%s has a placeholder: %s', (text, expected) => {
  expect(hasPlaceholder(text)).toBe(expected)
})

test('finds each placeholder once, and no SPF macro', () => {
  const texts = ['{selector}._domainkey.acme.test', '{selector}.{code-1}.test', '%{i}.%{d}.test']
  expect(findPlaceholders(texts, 'Look.')).toEqual([
    { token: '{selector}', whereToFind: 'Look.' },
    { token: '{code-1}', whereToFind: 'Look.' },
  ])
})
