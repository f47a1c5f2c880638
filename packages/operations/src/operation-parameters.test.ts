import { describe, expect, test } from 'vitest'
import { check } from './check.js'
import { dkim } from './dkim.js'
import { emailCheck } from './email-check.js'
import { fixPlan } from './fix-plan.js'
import type { Operation } from './operation.js'
import { score } from './score.js'

type Parameters = Readonly<Record<string, unknown>>

/** What is asked, or the parameter that is not valid and why. */
function prepare(operation: Operation, parameters: Parameters, givenNames?: string[]) {
  const prepared = operation.prepare(parameters, { givenNames })
  if (prepared.kind === 'invalid') return [prepared.parameter, prepared.detail, prepared.isMissing]
  return JSON.parse(prepared.requestKey().replace(/^\w+ /, ''))
}

describe('domain', () => {
  test('a www. name is read as its domain, and both are named', () => {
    expect(prepare(check, { domain: 'https://user@www.Acme.test:8443/x?y' })).toEqual({
      domain: 'acme.test',
      requested: 'www.acme.test',
    })
  })

  test('the report is about the domain that is checked', () => {
    expect(check.prepare({ domain: 'www.acme.test' })).toMatchObject({ subject: 'acme.test' })
    expect(check.prepare({ domain: 'www.acme.test', exact: true })).toMatchObject({
      subject: 'www.acme.test',
    })
  })

  test('the same request has the same key, however it is written', () => {
    const same = [
      { domain: 'acme.test' },
      { domain: 'ACME.test.', exact: 'false' },
      { domain: 'ann@acme.test', exact: true },
      { domain: 'acme.test', selector: [] },
    ]
    for (const parameters of same) {
      // Payments of earlier versions are stored with this key.
      const prepared = fixPlan.prepare(parameters)
      expect(prepared.kind === 'prepared' && prepared.requestKey()).toBe(
        'fixPlan {"domain":"acme.test"}',
      )
    }
    expect(prepare(fixPlan, { domain: 'www.acme.test' })).not.toEqual(
      prepare(fixPlan, { domain: 'acme.test' }),
    )
  })
})

describe('a name for private use', () => {
  const reason =
    'is a name for private networks, so public DNS has no records for it; enter a public domain name, such as example.com.'

  test.each([check, score, dkim, fixPlan])('is refused by $id', (operation) => {
    expect(prepare(operation, { domain: 'ann@www.nas.internal' })).toEqual([
      'domain',
      `nas.internal ${reason}`,
      false,
    ])
  })

  test('is refused as the address for reports', () => {
    expect(prepare(fixPlan, { domain: 'acme.test', rua: 'dmarc@nas.internal' })).toEqual([
      'rua',
      `nas.internal ${reason}`,
      false,
    ])
  })

  test('is accepted if the operator allows it', () => {
    const parameters = { domain: 'nas.internal', rua: 'dmarc@nas.internal' }
    expect(fixPlan.prepare(parameters, { allowPrivateNames: true })).toMatchObject({
      kind: 'prepared',
      subject: 'nas.internal',
    })
  })

  test('is refused in an address, which would be bought for nothing', () => {
    expect(prepare(emailCheck, { email: 'ann@nas.internal' })).toEqual([
      'email',
      `nas.internal ${reason}`,
      false,
    ])
  })
})

describe('exact', () => {
  test.each([true, 'true'])('%j keeps the name as given', (exact) => {
    expect(prepare(score, { domain: 'www.acme.test', exact })).toEqual({ domain: 'www.acme.test' })
  })

  test.each([false, 'false'])('%j is the default', (exact) => {
    expect(prepare(score, { domain: 'www.acme.test', exact })).toEqual(
      prepare(score, { domain: 'www.acme.test' }),
    )
  })

  test.each(['', '1', 'yes', 'TRUE', 1, null, {}])('%j is rejected', (exact) => {
    expect(prepare(score, { domain: 'acme.test', exact })).toEqual([
      'exact',
      'The parameter exact must be true or false.',
      false,
    ])
  })
})

describe('selector', () => {
  test.each([check, score, dkim])('$id takes one, also as the name of a key', (operation) => {
    expect(
      prepare(operation, { domain: 'acme.test', selector: 'S1._domainkey.acme.test.' }),
    ).toEqual({ domain: 'acme.test', selectors: ['s1'] })
  })

  test('the fix plan takes up to five', () => {
    const selectors = ['a', 'b', 'c', 'd', 'e']
    expect(prepare(fixPlan, { domain: 'acme.test', selector: selectors })).toEqual({
      domain: 'acme.test',
      selectors,
    })
    expect(prepare(fixPlan, { domain: 'acme.test', selector: 'a' })).toEqual({
      domain: 'acme.test',
      selectors: ['a'],
    })
    expect(prepare(fixPlan, { domain: 'acme.test', selector: [...selectors, 'f'] })).toEqual([
      'selector',
      'There are too many selectors; send at most 5.',
      false,
    ])
  })

  test.each(['', 'google.', 'a..b', 'a'.repeat(64), 'google\n', '*', 'ann@acme.test'])(
    '%j is rejected',
    (selector) => {
      for (const operation of [check, dkim, fixPlan]) {
        expect(prepare(operation, { domain: 'acme.test', selector })).toEqual([
          'selector',
          expect.stringMatching(/^This isn’t a DKIM selector\. /),
          false,
        ])
      }
    },
  )

  test.each([1, null, {}])('%j is not text', (selector) => {
    expect(prepare(check, { domain: 'acme.test', selector })).toEqual([
      'selector',
      'The parameter selector isn’t text. Send a DKIM selector such as google.',
      false,
    ])
    expect(prepare(fixPlan, { domain: 'acme.test', selector })).toEqual([
      'selector',
      'The parameter selector isn’t a list of strings. Send DKIM selectors such as google.',
      false,
    ])
  })

  test('must fit into the name of the key', () => {
    const label = 'd'.repeat(63)
    const domain = `${label}.${label}.${label}.test` // 196 characters
    const fitting = `${'s'.repeat(40)}.ssss` // 45, and 12 for ._domainkey.
    expect(prepare(dkim, { domain, selector: fitting })).toMatchObject({ selectors: [fitting] })
    expect(prepare(dkim, { domain, selector: `${fitting}s` })).toEqual([
      'selector',
      expect.stringContaining('254 characters'),
      false,
    ])
  })

  test('comes after an invalid domain, but before a missing one', () => {
    expect(prepare(score, { domain: 'localhost', selector: '*' })[0]).toBe('domain')
    expect(prepare(score, { selector: '*' })).toMatchObject(['selector', {}, false])
  })
})

describe('a missing parameter', () => {
  test.each([
    [check, {}, 'The parameter domain is missing. Send a domain such as example.com.'],
    [
      check,
      { domian: 'acme.test' },
      'The parameter domain is missing. Did you mean domain instead of domian?',
    ],
    [
      emailCheck,
      { 'e-mail': 'ann@acme.test' },
      'The parameter email is missing. Did you mean email instead of e-mail?',
    ],
    [
      emailCheck,
      { domain: 'acme.test' },
      'The parameter email is missing. Send an email address such as ann@example.com, not a domain.',
    ],
  ])('$id with %j: %s', (operation, parameters, detail) => {
    expect(prepare(operation, parameters)).toEqual([
      operation.id === 'emailCheck' ? 'email' : 'domain',
      detail,
      true,
    ])
  })

  test('is looked for in the names that were sent', () => {
    expect(prepare(check, {}, ['x', 'Domain'])[1]).toBe(
      'The parameter domain is missing. Did you mean domain instead of Domain?',
    )
  })
})
