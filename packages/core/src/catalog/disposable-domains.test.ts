import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { isDisposableDomain } from './disposable-domains.js'

const require = createRequire(import.meta.url)

test('every name of the collected list is disposable, except for the exceptions', () => {
  const names: readonly string[] = require('disposable-domains')
  expect(names.length).toBeGreaterThan(100_000)
  const others = names.filter((name) => !isDisposableDomain(name))
  expect(others.sort()).toEqual([
    '21cn.com',
    'facebookmail.com',
    'hongkong.com',
    'nameplanet.com',
    'safe-mail.net',
    'vfemail.net',
  ])
})
