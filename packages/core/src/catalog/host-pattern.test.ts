import { expect, test } from 'vitest'
import { createHostMatcher } from './host-pattern.js'

const match = (patterns: string[], host: string) =>
  createHostMatcher(patterns, (pattern) => [pattern])(host)

test('matches a host and everything below it, but no similar ending', () => {
  expect(match(['google.com'], 'google.com')).toBe('google.com')
  expect(match(['google.com'], 'a.b.google.com')).toBe('google.com')
  expect(match(['google.com'], 'notgoogle.com')).toBeNull()
  expect(match(['google.com'], 'google.com.evil.test')).toBeNull()
})

test('a star matches exactly one label', () => {
  expect(match(['mx.*.example.com'], 'mx.eu.example.com')).toBe('mx.*.example.com')
  expect(match(['mx.*.example.com'], 'mx.example.com')).toBeNull()
  expect(match(['*.example.com'], 'example.com')).toBeNull()
})

test('the longest pattern wins in any order', () => {
  const patterns = ['ovh.net', 'mail.ovh.net', 'net']
  expect(match(patterns, 'mx1.mail.ovh.net')).toBe('mail.ovh.net')
  expect(match(patterns.reverse(), 'mx1.mail.ovh.net')).toBe('mail.ovh.net')
})

test('a star pattern counts with its length', () => {
  const patterns = ['barracuda.test', 'ess.*.barracuda.test', 'eu.barracuda.test']
  expect(match(patterns, 'd1.ess.eu.barracuda.test')).toBe('ess.*.barracuda.test')
  expect(match(patterns, 'd1.eu.barracuda.test')).toBe('eu.barracuda.test')
})
