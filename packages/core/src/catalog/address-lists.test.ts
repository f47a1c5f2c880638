import { expect, test } from 'vitest'
import { readNames } from '../read-data.js'
import { findConsumerMailboxByMx, isDisposableDomain, isFreeProvider } from './address-lists.js'
import { LISTS } from './generated/lists.js'
import { findProviderByMx } from './mail-services.js'

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

const { consumerMailboxes: CONSUMER_MAILBOXES } = LISTS

test('each id, domain and mail server belongs to one service', () => {
  const ids = CONSUMER_MAILBOXES.map(({ id }) => id)
  const domains = CONSUMER_MAILBOXES.flatMap((row) => row.domains)
  const servers = CONSUMER_MAILBOXES.flatMap(({ mx }) => mx)
  for (const names of [ids, domains, servers]) expect(new Set(names).size).toBe(names.length)
})

test('each domain is at a free provider', () => {
  const domains = CONSUMER_MAILBOXES.flatMap((row) => row.domains)
  expect(domains.filter((domain) => !isFreeProvider(domain))).toEqual([])
})

test('a server of a product for customers with a domain is not claimed for their domain', () => {
  const claimed = CONSUMER_MAILBOXES.flatMap(({ mx }) => mx).filter(
    (host) =>
      findProviderByMx(host) !== null && findConsumerMailboxByMx('acme.test', host) !== null,
  )
  // AOL has no such product.
  expect(claimed).toEqual(['mx-aol.mail.gm0.yahoodns.net'])
})
