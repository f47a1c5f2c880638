import { expect, test } from 'vitest'
import { readNames } from '../read-data.js'
import { isDisposableDomain } from './address-services.js'

test('every name on the list is disposable, except for the exceptions', () => {
  const others = readNames('disposableDomains').filter((name) => !isDisposableDomain(name))
  expect(others).toEqual([
    '21cn.com',
    'facebookmail.com',
    'hongkong.com',
    'nameplanet.com',
    'safe-mail.net',
    'sify.com',
    'vfemail.net',
  ])
})
