import { describe, expect, test } from 'vitest'
import { parseDomain } from './domain-name.js'

const ENTER = 'enter a public domain name, such as example.com.'
const PRIVATE = `is a name for private networks, so public DNS has no records for it; ${ENTER}`
const UNUSED = `is a reserved name without DNS records; ${ENTER}`
const INFRASTRUCTURE = `is a name that DNS uses for itself, not for mail; ${ENTER}`

const PRIVATE_NAMES = [
  ...['nas.internal', 'internal', 'NAS.Internal.', 'a.b.internal', 'ｎａｓ.internal'],
  ...['router.home.arpa', 'home.arpa', 'printer.local', 'mx.corp', 'nas.home', 'mx.mail', 'pc.lan'],
  ...['wiki.intranet', 'db.private'],
]

const PRIVATE_REVERSE_NAMES = [
  ...['1.31.172', '168.192', '0.0.0.0', '1.0.0.127', '1.0.254.169', '255.255.255.255'].map(
    (name) => `${name}.in-addr.arpa`,
  ),
  ...['1.0.64.100.in-addr.arpa', '255.127.100.in-addr.arpa'],
  ...['1.c.f', '0.d.f', '8.e.f', '1.9.e.f', 'a.e.f', 'b.e.f'].map((name) => `${name}.ip6.arpa`),
]
const PUBLIC_REVERSE_NAMES = [
  ...['1.32.172', '1.15.172', '1.63.100', '1.128.100', '1.2.0.192', '1.1', '169', '254.255'].map(
    (name) => `${name}.in-addr.arpa`,
  ),
  ...['8.b.d.0.1.0.0.2.ip6.arpa', '7.e.f.ip6.arpa', 'c.e.f.ip6.arpa', 'f.ip6.arpa'],
]

describe('a reserved name is refused', () => {
  test.each([
    ...PRIVATE_NAMES.map((name) => [name, PRIVATE]),
    ...['localhost', 'LOCALHOST.', 'a.localhost', 'ｌｏｃａｌｈｏｓｔ'].map((name) => [
      name,
      UNUSED,
    ]),
    ...['abc.onion', 'shop.invalid', 'a.alt', '1.0.0.10.in-addr.arpa'].map((name) => [
      name,
      UNUSED,
    ]),
    ...PRIVATE_REVERSE_NAMES.map((name) => [name, UNUSED]),
    ...['arpa', 'in-addr.arpa', 'ip6.arpa', ...PUBLIC_REVERSE_NAMES].map((name) => [
      name,
      INFRASTRUCTURE,
    ]),
  ])('%s %s', (name, problem) => {
    expect(parseDomain(name ?? '')).toEqual({ kind: 'refused', reason: `${name} ${problem}` })
  })

  test('in an address and in a URL', () => {
    const reason = `nas.internal ${PRIVATE}`
    expect(parseDomain('ann@nas.internal')).toEqual({ kind: 'refused', reason })
    expect(parseDomain('https://nas.internal:8443/x')).toEqual({ kind: 'refused', reason })
  })

  test('without the credentials of a URL', () => {
    const refused = { kind: 'refused', reason: `The name ${PRIVATE}` }
    expect(parseDomain('https://ann:secret@nas.internal/')).toEqual(refused)
  })
})

describe('allowPrivateNames', () => {
  const options = { allowPrivateNames: true }

  test.each(PRIVATE_NAMES.filter((name) => name.includes('.')))('lets %s through', (name) => {
    const domain = name.normalize('NFKC').toLowerCase().replace(/\.$/, '')
    expect(parseDomain(name, options)).toEqual({ kind: 'domain', domain })
  })

  test.each(['a.localhost', 'abc.onion', 'shop.invalid', 'a.alt', '1.0.0.10.in-addr.arpa'])(
    'does not let %s through, which no DNS should answer',
    (name) => {
      expect(parseDomain(name, options)).toEqual({ kind: 'refused', reason: `${name} ${UNUSED}` })
    },
  )
})

test.each(['acme.test', 'acme.example', 'internal.example.com', 'corporation.com', 'homearpa.com'])(
  '%s is a name like any other',
  (domain) => {
    expect(parseDomain(domain)).toEqual({ kind: 'domain', domain })
  },
)
