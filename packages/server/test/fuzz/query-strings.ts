/** Random query strings for the parameters in the OpenAPI document. */
import fc from 'fast-check'
import { hostileText } from './hostile-texts.js'

const DEMO_DOMAINS = ['good', 'locked', 'lookups', 'monitoring', 'nothing', 'parked'].map(
  (name) => `${name}.test`,
)

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/)
/** Not requested before. */
const fresh = fc.tuple(label, fc.nat(1_000_000)).map(([name, n]) => `${name}${n}.test`)
const host = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...DEMO_DOMAINS) },
  { weight: 3, arbitrary: fresh },
  { weight: 1, arbitrary: fc.tuple(label, fresh).map(([sub, name]) => `${sub}.${name}`) },
)

const domain = fc.oneof(
  { weight: 8, arbitrary: host },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('https://user@www.', 'ann@', ' ', 'HTTP://', '//', 'ann@x@', '"a b"@'),
        host,
        fc.constantFrom('', '.', ':8443/x?y', ' ', '..', '/../', ':99999', '#<fz>'),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.tuple(hostileText, host).map(([text, name]) => `${text}.${name}`) },
)

const local = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'ann',
      'ann+news',
      'sales',
      '"a b"',
      '"<fz>"',
      'ü',
      'a..b',
      '.a',
      '"\\""',
      'a(b)',
    ),
  },
  { weight: 1, arbitrary: hostileText },
)
const email = fc.tuple(local, domain).map(([name, at]) => `${name}@${at}`)
const selector = fc.oneof(fc.constantFrom('google', 'default', 'a.b', 's1._x', '*', '-'), label)

const exact = fc.constantFrom('true', 'false', 'true', 'yes')
const ip = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('::ffff:192.0.2.100', '192.0.2.1'))
const sender = fc.oneof(email, fc.constantFrom('ann@good.test', 'good.test', 'ann+news@good.test'))
const helo = fc.oneof(host, fc.constantFrom('[192.0.2.1]', 'mail.good.test'))

/** By parameter name. */
const VALID: Readonly<Record<string, fc.Arbitrary<string>>> = {
  domain,
  email,
  selector,
  exact,
  ip,
  sender,
  helo,
}

export function parameterValue(name: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: VALID[name] ?? hostileText },
    { weight: 1, arbitrary: hostileText },
  )
}

type Encode = (text: string) => string

/** Half a surrogate pair becomes U+FFFD. */
export const percentEncode: Encode = (text) => encodeURIComponent(Buffer.from(text).toString())
const ENCODINGS: readonly Encode[] = [
  ...Array.from({ length: 24 }, () => percentEncode),
  // Unencoded, without line breaks.
  (text) => text.replace(/[\r\n]/g, ''),
  (text) => percentEncode(percentEncode(text)),
  (text) => `${percentEncode(text)}%`,
  (text) => `${percentEncode(text)}%zz`,
  (text) => `%c0%ae${percentEncode(text)}`,
  (text) => `%ed%a0%80${percentEncode(text)}`,
  (text) => `%00${percentEncode(text)}%0d%0aX-Fz:%201`,
  (text) => percentEncode(text).replaceAll('.', '%2e').replaceAll('%', '%25'),
  (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
]
const encoding = fc.constantFrom(...ENCODINGS)

function fuzzedPair(name: string): fc.Arbitrary<string> {
  return fc
    .tuple(parameterValue(name), encoding)
    .map(([value, encode]) => `${name}=${encode(value)}`)
}

const stray = fc.oneof(
  fc.constantFrom(
    '',
    '&&',
    '=',
    'domain',
    '__proto__=1',
    'domain[]=a',
    '%=%',
    'x=%00',
    '?',
    '#<fz>',
  ),
  fc
    .tuple(hostileText, hostileText)
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`),
)

/** Each parameter once, repeated or missing, sometimes with unknown parameters. */
export function fuzzedQuery(names: readonly string[]): fc.Arbitrary<string> {
  const perName = names.map((name) =>
    fc.oneof(
      { weight: 12, arbitrary: fuzzedPair(name).map((pair) => [pair]) },
      { weight: 1, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.array(fuzzedPair(name), { minLength: 2, maxLength: 3 }) },
    ),
  )
  const strayPairs = fc.oneof(
    { weight: 5, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.array(stray, { minLength: 1, maxLength: 3 }) },
  )
  return fc.tuple(...perName, strayPairs).map((parts) => {
    const query = parts.flat().join('&')
    return query === '' ? '' : `?${query}`
  })
}

/** A valid domain or email address, correctly encoded. */
export function validQuery(name: string): fc.Arbitrary<string> {
  const value = name === 'email' ? host.map((at) => `ann@${at}`) : host
  return value.map((text) => `?${name}=${percentEncode(text)}`)
}
