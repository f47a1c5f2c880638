import { expect, test } from 'vitest'
import { suggestDomain } from './problem-page.js'

test.each([
  ['good..test', 'good.test'],
  ['.good.test', 'good.test'],
  ['GOOD...Test', 'good.test'],
  ['good,test', 'good.test'],
  ['shop.good,test', 'shop.good.test'],
  ['good test', 'good.test'],
  ['good .test', 'good.test'],
  ['good. test', 'good.test'],
  ['good.test/x', 'good.test'],
  ['//good.test/x?y#z', 'good.test'],
  ['good.test:8443', 'good.test'],
  ['https:good.test', 'good.test'],
  ['https:/good.test/', 'good.test'],
  ['http://good..test/x', 'good.test'],
  ['@good.test', 'good.test'],
  ['ann@good..test', 'good.test'],
  ['ann@good,test', 'good.test'],
  ['ann lee@good.test', 'good.test'],
  ['Ann <ann@good.test>', 'good.test'],
  ['mailto:good.test', 'good.test'],
  ['bücher..test', 'bücher.test'],
])('%j may mean %s', (text, domain) => {
  expect(suggestDomain(text)).toBe(domain)
})

test.each([
  ['nothing', ''],
  ['one word', 'good'],
  ['several words', 'what is this'],
  ['several domains', 'example.com example.org'],
  ['several domains with a comma', 'example.com,example.org'],
  ['a domain and a remark', 'example.com, please'],
  ['several addresses', 'ann@example.com,ben@example.org'],
  ['a password with a slash', 'https://ann:secret/word@example.com'],
  ['an IP address', '192.0.2.1'],
  ['markup', '<script>'],
  ['the name of a record', '_dmarc.good.test'],
  ['a hyphen at the end', 'good-.test'],
  ['a domain that is fine', 'good.test'],
  ['an invisible character', 'good\u200b..test'],
  ['a long text', `${'a.'.repeat(170)}.test`],
])('%s: no guess', (_, text) => {
  expect(suggestDomain(text)).toBeNull()
})
