/** The 164 cases of Dominic Sayers' is_email, read for what may stand in an SMTP envelope. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { validate } from 'isemail'
import { describe, expect, test } from 'vitest'
import { parseMailAddress } from './mail-address.js'

/** Valid for RFC 5321; what the other categories hold is for message headers, obsolete or wrong. */
const ENVELOPE = ['ISEMAIL_VALID_CATEGORY', 'ISEMAIL_DNSWARN', 'ISEMAIL_RFC5321']

const NOT_QUALIFIED =
  'RFC 5321 §2.3.5: only fully qualified names are permitted; a single label is an alias on a private network'
const NO_TOP_LEVEL =
  'RFC 1123 §2.1 and RFC 3696 §2: a top-level domain is alphabetic, so that no name can be taken for an address'

/** Where is_email and we part. All of them are refused, although it accepts them. */
const EXCEPTIONS: Record<string, string> = {
  5: NOT_QUALIFIED,
  166: NOT_QUALIFIED,
  23: NO_TOP_LEVEL,
  24: NO_TOP_LEVEL,
  33: NO_TOP_LEVEL,
}

interface Case {
  readonly id: string
  readonly address: string
  readonly category: string
  readonly diagnosis: string
}

const require = createRequire(import.meta.url)
const file = require.resolve('email-addresses/test/tests.xml')
const cases = [...readFileSync(file, 'utf8').matchAll(/<test id="(\d+)">([\s\S]*?)<\/test>/g)].map(
  ([, id = '', body = '']): Case => ({
    id,
    address: withControls(withoutEntities(element(body, 'address'))),
    category: element(body, 'category'),
    diagnosis: element(body, 'diagnosis'),
  }),
)

function element(body: string, name: string): string {
  return new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(body)?.[1] ?? ''
}

function withoutEntities(text: string): string {
  return text
    .replace(/&#x([\dA-F]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** The file shows control characters by their pictures. */
function withControls(text: string): string {
  return text.replace(/[\u2400-\u2421]/g, (picture) =>
    picture === '\u2421' ? '\x7f' : String.fromCharCode(picture.charCodeAt(0) - 0x2400),
  )
}

const isAddress = (text: string) => parseMailAddress(text).kind === 'address'

test('has all cases, 39 of them valid in an envelope', () => {
  expect(cases).toHaveLength(164)
  expect(cases.filter(({ category }) => ENVELOPE.includes(category))).toHaveLength(39)
})

describe('same result as is_email', () => {
  test.each(cases.filter(({ id }) => !(id in EXCEPTIONS)))(
    '$id $address: $diagnosis',
    ({ address, category }) => {
      expect(isAddress(address)).toBe(ENVELOPE.includes(category))
    },
  )
})

describe('different from is_email', () => {
  test.each(Object.entries(EXCEPTIONS))('%s is invalid: %s', (id) => {
    const { address = '', category = '' } = cases.find((each) => each.id === id) ?? {}
    expect(ENVELOPE).toContain(category)
    expect(parseMailAddress(address)).toMatchObject({ code: 'bad_domain' })
  })
})

describe('same result as isemail (RFC 6530)', () => {
  /** Its last diagnosis of the category RFC 5321. */
  const ENVELOPE_LEVEL = 16
  const MORE = [
    'ann@example.com',
    'ann+news@example.com',
    "o'brien@example.com",
    'björn@example.com',
    '用户@例え.jp',
    '"ann.lee"@example.com',
    'ann@[192.0.2.1]',
    'ann@[IPv6:2001:db8::1]',
    'ann..lee@example.com',
    'ann@exam ple.com',
    'ann@exam_ple.com',
    'ann.example.com',
    'a"b@example.com',
  ]
  const BUT: Record<string, string> = {
    71: 'RFC 4291 §2.2: `::` replaces one group or more; RFC 5952 §4.2.2 only advises to write one out',
    160: 'RFC 6531 §3.3 extends qtextSMTP and leaves quoted-pairSMTP alone: no non-ASCII after a backslash',
  }

  test.each(cases.filter(({ id }) => !(id in EXCEPTIONS) && !(id in BUT)))(
    'on $id $address',
    ({ address }) => {
      const level = validate(address, { errorLevel: true })
      expect(isAddress(address)).toBe(level < ENVELOPE_LEVEL)
    },
  )

  test.each(Object.entries(BUT))('except for %s: %s', (id) => {
    const { address = '' } = cases.find((each) => each.id === id) ?? {}
    const level = validate(address, { errorLevel: true })
    expect(isAddress(address)).not.toBe(level < ENVELOPE_LEVEL)
  })

  test.each(MORE)('for %s', (address) => {
    expect(isAddress(address)).toBe(validate(address, { errorLevel: true }) < ENVELOPE_LEVEL)
  })

  test('for random texts', () => {
    const pieces = ['a', '.', '@', '"', '\\', '(', ' ', '<', '[', ']', '::1', '192.0.2.1', 'IPv6:']
    const words = ['ü', '+', '-', ',', '\t', '"a"', '\\"', '.com', '@x.de', '@x.de', '@[192.0.2.1]']
    const unit = fc.constantFrom(...pieces, ...words)
    const text = fc.tuple(fc.string({ unit, maxLength: 5 }), fc.constantFrom('', '@x.de'))
    const numRuns = propertyRuns(10_000)
    let agreed = 0
    fc.assert(
      fc.property(text, (parts) => {
        const address = parts.join('')
        const parsed = parseMailAddress(address)
        const level = validate(address, { errorLevel: true })
        // Names that are not public, as above; and in quotation marks spaces, which qtextSMTP has,
        // and backslashes before what quoted-pairSMTP has not (RFC 5321 §4.1.2).
        if (/\\[\tü]/.test(address)) return
        if (parsed.kind === 'refused' && parsed.code === 'bad_domain') return
        if (parsed.kind === 'address' && /^".* .*"@/.test(parsed.normalized)) return
        expect(parsed.kind === 'address').toBe(level < ENVELOPE_LEVEL)
        if (parsed.kind === 'address') agreed += 1
      }),
      { numRuns },
    )
    expect(agreed).toBeGreaterThan(numRuns / 100)
  })
})
