import { expect, test } from 'vitest'
import { registrableDomain } from './domain-name.js'

test.each([
  ['mail.acme.co.uk', 'acme.co.uk'],
  ['acme.test', 'acme.test'],
  ['_spf.mail.acme.test', 'acme.test'],
  ['shop.acme.github.io', 'acme.github.io'],
  ['co.uk', 'co.uk'],
])('%s belongs to %s', (name, owner) => {
  expect(registrableDomain(name)).toBe(owner)
})
