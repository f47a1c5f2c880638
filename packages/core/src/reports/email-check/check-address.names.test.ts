/** How real domains and mailbox names are classified. */

import { describe, expect, test } from 'vitest'
import * as cases from '../../../test/support/address-cases.js'
import {
  addressReportFromZone,
  parseAddressOrThrow,
} from '../../../test/support/address-fixture.js'
import { isDisposableDomain, isFreeProvider } from '../../catalog/address-lists.js'
import { LISTS } from '../../catalog/generated/lists.js'
import { MAILBOX_PROVIDERS } from '../../catalog/mail-services.js'
import { readNames } from '../../read-data.js'
import { namesUpToRegistrable, suggestDomain } from './check-address.js'

/** Classifies by name only: the zone is empty. */
async function classify(email: string) {
  const { checks, freeProvider, privacyRelay, suggestion } = await addressReportFromZone(email, '')
  const { disposable, role } = checks
  return {
    disposable: disposable.disposable,
    role: role.name,
    freeProvider,
    privacyRelay,
    suggestion,
  }
}

const PLAIN = {
  disposable: false,
  role: null,
  freeProvider: false,
  privacyRelay: false,
  suggestion: null,
}

test('covers more than 450 names', () => {
  const {
    MAILBOX_DOMAINS: REAL_PROVIDERS,
    OTHER_DOMAINS,
    DISPOSABLE_DOMAINS: DISPOSABLE,
    PRIVACY_RELAY_DOMAINS: RELAYS,
    DOMAIN_TYPOS: TYPOS,
    ROLE_NAMES: ROLES,
    PERSON_NAMES: PEOPLE,
  } = cases
  const all = [REAL_PROVIDERS, OTHER_DOMAINS, DISPOSABLE, RELAYS, TYPOS, ROLES, PEOPLE]
  expect(REAL_PROVIDERS.length).toBeGreaterThan(150)
  expect(all.flat(1).length).toBeGreaterThan(450)
})

describe('mailbox provider', () => {
  test.each(cases.MAILBOX_DOMAINS)('%s', async (domain) => {
    const { freeProvider, ...rest } = await classify(`ann@${domain}`)
    expect({ ...rest, freeProvider: false }).toEqual(PLAIN)
  })
})

describe('ordinary domain', () => {
  test.each(cases.OTHER_DOMAINS)('%s', async (domain) => {
    const { freeProvider, ...rest } = await classify(`ann@${domain}`)
    expect({ ...rest, freeProvider: false }).toEqual(PLAIN)
  })
})

describe('disposable domain', () => {
  test.each(cases.DISPOSABLE_DOMAINS)('%s', async (domain) => {
    expect(await classify(`ann@${domain}`)).toEqual({ ...PLAIN, disposable: true })
  })
})

describe('privacy relay, not disposable', () => {
  test.each(cases.PRIVACY_RELAY_DOMAINS)('%s', async (domain) => {
    expect(await classify(`ann@${domain}`)).toEqual({ ...PLAIN, privacyRelay: true })
  })
})

describe('free provider', () => {
  test.each([
    ...['gmail.com', 'hotmail.co.uk', 'icloud.com', 'proton.me', 'gmx.de', 'yandex.ru', 'qq.com'],
    ...['tutanota.com', 'tuta.com', 'mailbox.org', 'hey.com', 'startmail.com', 'keemail.me'],
  ])('%s', async (domain) => {
    expect(await classify(`ann@${domain}`)).toEqual({ ...PLAIN, freeProvider: true })
  })

  test.each(['ibm.com', 'mit.edu', 'mailinator.com', 'duck.com', 'x.gmail.com'])(
    '%s is not a free provider',
    async (domain) => {
      expect((await classify(`ann@${domain}`)).freeProvider).toBe(false)
    },
  )
})

describe('typo', () => {
  test.each(cases.DOMAIN_TYPOS)('suggests for %s the domain %s', async (typed, intended) => {
    const { suggestion } = await classify(`Ann+x@${typed}`)
    expect(suggestion).toBe(`Ann+x@${intended}`)
  })

  test('never corrects a known domain', () => {
    const listed = readNames('freeProviders').filter(isFreeProvider)
    const known = [...listed, ...LISTS.typos.largeProviders]
    expect(known.length).toBeGreaterThan(5_000)
    expect(known.filter((domain) => suggestDomain(domain) !== null)).toEqual([])
  })
})

describe('role account', () => {
  test.each(cases.ROLE_NAMES)('%s', async (name) => {
    for (const email of [`${name}@x.invalid`, `${name.toUpperCase()}+tag@x.invalid`]) {
      expect(await classify(email)).toEqual({ ...PLAIN, role: name })
    }
  })

  test.each(cases.PERSON_NAMES)('%s is not a role', async (name) => {
    expect(await classify(`${name}@x.invalid`)).toEqual(PLAIN)
    expect(await classify(`${name}+sales@x.invalid`)).toEqual(PLAIN)
  })
})

describe('lists', () => {
  test.each([
    ['a.b.mailinator.com', ['a.b.mailinator.com', 'b.mailinator.com', 'mailinator.com']],
    ['acme.co.uk', ['acme.co.uk']],
    ['shop.acme.github.io', ['shop.acme.github.io', 'acme.github.io']],
    ['co.uk', []],
    ['ddns.net', []],
    ['eu.org', []],
  ])('looks up %s as %j', (name, expected) => {
    expect(namesUpToRegistrable(name)).toEqual(expected)
  })

  test('ignores listed public suffixes', async () => {
    expect(['ddns.net', 'eu.org', 'duckdns.org'].map(isDisposableDomain)).toEqual([
      true,
      true,
      true,
    ])
    for (const domain of ['ddns.net', 'acme.ddns.net', 'acme.eu.org', 'duckdns.org']) {
      expect(await classify(`ann@${domain}`)).toEqual(PLAIN)
    }
  })

  test('finds internationalized names as A-labels', () => {
    const { domain } = parseAddressOrThrow('ann@thepiratébay.org')
    expect(domain).toMatch(/^xn--/)
    expect(isDisposableDomain(domain ?? '')).toBe(true)
  })

  test('lists no mail server of a cataloged provider as disposable', () => {
    const servers = MAILBOX_PROVIDERS.flatMap(({ mx }) => mx).map((mx) => mx.replace('*', 'any'))
    expect(servers.flatMap(namesUpToRegistrable).filter(isDisposableDomain)).toEqual([])
  })
})
