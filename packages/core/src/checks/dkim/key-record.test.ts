import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { parseKeyRecord } from './key-record.js'

const KEY = SPKI[2048]

const problems = (text: string) => parseKeyRecord(text)?.faults.map((fault) => fault.problem)

test('parses a plain record', () => {
  expect(parseKeyRecord(`v=DKIM1; k=rsa; p=${KEY}`)).toEqual({
    record: `v=DKIM1; k=rsa; p=${KEY}`,
    keyType: 'rsa',
    keySize: 2048,
    revoked: false,
    testing: false,
    strictDomain: false,
    hashAlgorithms: null,
    serviceTypes: null,
    hasVersion: true,
    hasGranularity: false,
    hasPrivateKey: false,
    faults: [],
    valid: true,
  })
})

describe('tags', () => {
  test('accepts a record with only a key', () => {
    expect(parseKeyRecord(`p=${KEY}`)).toMatchObject({
      keyType: 'rsa',
      keySize: 2048,
      hasVersion: false,
      valid: true,
    })
  })

  test('white space and empty tags do not matter', () => {
    const text = ` v = DKIM1 ;;\tk = rsa ; p = ${KEY.slice(0, 99)}\r\n ${KEY.slice(99)} ; `
    expect(parseKeyRecord(text)).toMatchObject({ keySize: 2048, valid: true })
  })

  test('lists ignore case and spaces', () => {
    const text = `v=DKIM1; k=ED25519; h=sha1 : SHA256; s=Email:tlsrpt; t= Y : s; p=${ED25519}`
    expect(parseKeyRecord(text)).toMatchObject({
      keyType: 'ed25519',
      keySize: 256,
      hashAlgorithms: ['sha1', 'sha256'],
      serviceTypes: ['email', 'tlsrpt'],
      testing: true,
      strictDomain: true,
      valid: true,
    })
  })

  test.each(['s=tlsrpt', 's='])('a key with %s is not for email', (tag) => {
    expect(parseKeyRecord(`v=DKIM1; ${tag}; p=${KEY}`)).toMatchObject({ valid: false, faults: [] })
  })

  test.each(['s=*', 's=tlsrpt:email'])('a key with %s is', (tag) => {
    expect(parseKeyRecord(`v=DKIM1; ${tag}; p=${KEY}`)?.valid).toBe(true)
  })

  test('an empty p= revokes the key without a fault', () => {
    expect(parseKeyRecord('v=DKIM1; k=rsa; p= ')).toMatchObject({
      revoked: true,
      valid: false,
      keySize: null,
      faults: [],
    })
  })

  test('unknown tags are ignored', () => {
    const text = `v=DKIM1; __proto__=x; constructor=y; toString="; n=say "\\hi"; p=${KEY}`
    expect(parseKeyRecord(text)).toMatchObject({ valid: true, keySize: 2048 })
    expect(parseKeyRecord('__proto__=p; constructor=p')).toBeNull()
  })
})

test.each([
  '',
  'v=spf1 -all',
  'v=DMARC1; p=reject',
  'V=DMARC1; p=none',
  '"v=DMARC1; p=reject"',
  'v=BIMI1; l=; a=',
  'google-site-verification=abc',
  'k=rsa',
  '=p',
])('%j is not a DKIM record', (text) => {
  expect(parseKeyRecord(text)).toBeNull()
})

describe('faults', () => {
  test.each([
    ['There’s no p= tag, so there’s no key.', `v=DKIM1`],
    ['The tag names are in capital letters.', `v=DKIM1; k=rsa; P=${KEY}`],
    ['The tag names are in capital letters.', `K=rsa; P=${KEY}`],
    ['The v= tag has to come first in the record.', `k=rsa; v=DKIM1; p=${KEY}`],
    ['The version is v="dkim1", so receivers discard the record.', `v=dkim1; p=${KEY}`],
    ['The version is v="DKIM2", so receivers discard the record.', `v=DKIM2; p=${KEY}`],
    ['There’s no semicolon after the version.', `v=DKIM1 k=rsa p=${KEY}`],
    ['There’s no semicolon after the version.', `v=DKIM1 p=${KEY}; k=rsa`],
    ['The tag "p" appears more than once', `v=DKIM1; p=${KEY}; p=${KEY}`],
    ['The record contains "rsa", which isn’t a tag=value pair.', `v=DKIM1; rsa; p=${KEY}`],
    ['Receivers don’t recognize the key type k="dsa".', `v=DKIM1; k=dsa; p=${KEY}`],
    ['Receivers don’t recognize the key type k="".', `v=DKIM1; k=; p=${KEY}`],
    ['only h="md5", which receivers don’t recognize.', `v=DKIM1; h=md5; p=${KEY}`],
    ['The record contains quotation marks.', `"v=DKIM1; k=rsa; p=${KEY}"`],
    ['quotation marks', `v=DKIM1; k=rsa; p=${KEY.slice(0, 200)}" "${KEY.slice(200)}`],
    ['The record contains backslashes.', `v=DKIM1\\; k=rsa\\; p=${KEY}`],
    ['The p= tag contains base64 text, but it isn’t a key.', `v=DKIM1; p=reject`],
    ['longer than 8192 characters', `v=DKIM1; p=${KEY}${' '.repeat(8000)}`],
  ])('%s', (words, text) => {
    expect(problems(text)).toEqual([expect.stringContaining(words)])
    expect(parseKeyRecord(text)).toMatchObject({ valid: false })
  })

  test('lists all independent faults', () => {
    expect(problems(`p=${KEY}; v=DKIM; junk; k=dsa; h=crc`)).toHaveLength(5)
  })

  test('do not prevent measuring the key', () => {
    expect(parseKeyRecord(`v=dkim1; p=${SPKI[512]}`)?.keySize).toBe(512)
  })

  test('explain a record that ends at 255 characters', () => {
    const whole = `v=DKIM1; k=rsa; p=${KEY}`
    expect(problems(whole.slice(0, 255))?.[0]).toContain('The record ends after 255 characters')
    expect(problems(whole.slice(0, 259))?.[0]).not.toContain('255')
    expect(problems('v=DKIM1; p=reject'.padEnd(255))?.[0]).not.toContain('255')
  })

  test('quote the record briefly and printably', () => {
    const [stray] = problems(`v=DKIM1; ${'\u0007x'.repeat(60)}; p=${KEY}`) ?? []
    expect(stray).toContain(`"${'\ufffdx'.repeat(50)}…"`)
  })
})

test('shows the record as text, cut at a limit', () => {
  expect(parseKeyRecord(`v=DKIM1; n=\u00c3\u00bc; p=${KEY}`)?.record).toContain('n=ü;')
  const { record = '' } = parseKeyRecord(`v=DKIM1; p=${'A'.repeat(60_000)}`) ?? {}
  expect(record).toHaveLength(8193)
  expect(record.endsWith('A…')).toBe(true)
})
