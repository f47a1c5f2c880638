import { getDomain } from 'tldts'
import { expect, test } from 'vitest'
import { readNames } from '../read-data.js'
import { hasRegistrableDomain, registrableDomain } from './registrable-domain.js'

test.each([
  ['mail.acme.co.uk', 'acme.co.uk'],
  ['acme.test', 'acme.test'],
  ['_spf.mail.acme.test', 'acme.test'],
  ['shop.acme.github.io', 'acme.github.io'],
  ['co.uk', 'co.uk'],
  // The rules *.ck and !www.ck.
  ['mail.acme.co.ck', 'acme.co.ck'],
  ['mail.www.ck', 'www.ck'],
])('%s belongs to %s', (name, owner) => {
  expect(registrableDomain(name)).toBe(owner)
})

test.each([
  ['acme.co.uk', true],
  ['co.uk', false],
  ['test', false],
  ['co.ck', false],
  ['www.ck', true],
])('whether someone can register %s or a name above it: %s', (name, expected) => {
  expect(hasRegistrableDomain(name)).toBe(expected)
})

test('every rule means the same as in the package it comes from', () => {
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }
  const rules = new Set(readNames('publicSuffixes'))
  const names = new Set(
    [...rules]
      .map((rule) => rule.replace(/^(\*\.|!)/, ''))
      .flatMap((suffix) => [suffix, `a.${suffix}`, `a.b.${suffix}`, `a.b.c.${suffix}`]),
  )
  const different = [...names].filter(
    (name) => registrableDomain(name) !== (getDomain(name, options) ?? name),
  )
  // The package overlooks *.customer-oci.com for ocs.customer-oci.com, because of *.ocs.customer-oci.com.
  const overlooked = [...rules]
    .filter((rule) => rule.startsWith('*.'))
    .map((rule) => rule.slice(2))
    .filter((name) => name.includes('.') && rules.has(`*.${name.slice(name.indexOf('.') + 1)}`))
  expect(rules.size).toBe(10_870)
  expect(different.sort()).toEqual(overlooked.sort())
})
