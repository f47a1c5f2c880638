import { expect, test } from 'vitest'
import { createHostMatcher } from './host-pattern.js'

const match = (patterns: string[], host: string) =>
  createHostMatcher(patterns, (pattern) => [pattern])(host)

test('a pattern covers itself and everything below, but nothing that merely ends like it', () => {
  expect(match(['google.com'], 'google.com')).toBe('google.com')
  expect(match(['google.com'], 'a.b.google.com')).toBe('google.com')
  expect(match(['google.com'], 'notgoogle.com')).toBeNull()
  expect(match(['google.com'], 'google.com.evil.test')).toBeNull()
})

test('a star stands for exactly one label', () => {
  expect(match(['mx.*.example.com'], 'mx.eu.example.com')).toBe('mx.*.example.com')
  expect(match(['mx.*.example.com'], 'mx.example.com')).toBeNull()
  expect(match(['*.example.com'], 'example.com')).toBeNull()
})

test('the longest pattern wins, wherever it stands', () => {
  const patterns = ['ovh.net', 'mail.ovh.net', 'net']
  expect(match(patterns, 'mx1.mail.ovh.net')).toBe('mail.ovh.net')
  expect(match(patterns.reverse(), 'mx1.mail.ovh.net')).toBe('mail.ovh.net')
})

test('a pattern with a star counts by its length like any other', () => {
  const patterns = ['barracuda.test', 'ess.*.barracuda.test', 'eu.barracuda.test']
  expect(match(patterns, 'd1.ess.eu.barracuda.test')).toBe('ess.*.barracuda.test')
  expect(match(patterns, 'd1.eu.barracuda.test')).toBe('eu.barracuda.test')
})
