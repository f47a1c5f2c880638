import { expect, test } from 'vitest'
import { FINDINGS, rfcUrl } from './findings.js'

test.each([
  ['RFC 7208 §4.6.4', 'https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4'],
  ['RFC 9989 §A.6', 'https://www.rfc-editor.org/rfc/rfc9989#appendix-A.6'],
  ['RFC 6409', 'https://www.rfc-editor.org/rfc/rfc6409'],
  ['Lists of disposable domains', null],
])('URL of %s', (text, url) => {
  expect(rfcUrl(text)).toBe(url)
})

test('links every finding except those without an RFC', () => {
  const unlinked = Object.entries(FINDINGS).filter(
    ([, { reference }]) => rfcUrl(reference) === null,
  )
  expect(unlinked.map(([id]) => id)).toEqual([
    'transport.bimi-invalid',
    'transport.bimi-without-enforcement',
  ])
})
