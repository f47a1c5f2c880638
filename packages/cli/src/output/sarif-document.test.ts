import { describe, expect, test } from 'vitest'
import {
  createEntry,
  createFinding,
  UNAVAILABLE_ENTRY,
} from '../../test/support/document-entries.js'
import type { DocumentEntry } from './document-entry.js'
import { sarifDocument } from './sarif-document.js'

const runOf = (...entries: DocumentEntry[]) => JSON.parse(sarifDocument(entries)).runs[0]

interface Location {
  readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } }
  readonly logicalLocations: readonly [{ readonly name: string }]
}

const weakKey = (selector: string) =>
  createFinding({
    id: 'dkim.weak-key',
    title: `Weak key at ${selector}`,
    evidence: [{ name: `${selector}._domainkey.acme.test`, type: 'TXT', value: 'v=DKIM1' }],
  })

describe('rules', () => {
  test('are the findings that occur, with the severity that GitHub reads', () => {
    const findings = [
      createFinding(),
      createFinding({ id: 'spf.allows-everyone' }),
      createFinding(),
    ]
    const { rules } = runOf(createEntry({ findings })).tool.driver
    expect(rules.map(({ id }: { id: string }) => id)).toEqual([
      'dmarc.missing',
      'spf.allows-everyone',
    ])
    expect(rules[1]).toMatchObject({
      name: 'SpfAllowsEveryone',
      helpUri: 'https://www.rfc-editor.org/rfc/rfc7208#section-5.1',
      defaultConfiguration: { level: 'error' },
      properties: { tags: ['security', 'email', 'spf'], 'security-severity': '9.5' },
    })
  })
})

describe('a result', () => {
  test('has a message, a level and a place', () => {
    const record = { type: 'TXT', name: '_dmarc.acme.test', value: 'v=DMARC1; p=none' } as const
    const finding = createFinding({ severity: 'medium', record })
    const [result] = runOf(createEntry({ findings: [finding] })).results
    expect(result).toMatchObject({
      ruleId: 'dmarc.missing',
      ruleIndex: 0,
      level: 'warning',
      message: {
        text: 'No DMARC record\nPublish a record.\nTXT at _dmarc.acme.test: v=DMARC1; p=none',
      },
      properties: { severity: 'medium' },
    })
    expect(result.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'dns/acme.test' },
      region: { startLine: 1 },
    })
  })

  test('has no link that comes from DNS', () => {
    const finding = createFinding({ title: '[click](https://evil.test)' })
    const [{ message }] = runOf(createEntry({ findings: [finding] })).results
    expect(message.text).toBe('\\[click\\](https://evil.test)\nPublish a record.')
  })

  test('has no link that comes from DNS and has backslashes', () => {
    const finding = createFinding({ title: '\\[click\\](https://evil.test)' })
    const [{ message }] = runOf(createEntry({ findings: [finding] })).results
    expect(message.text).toBe('\\\\\\[click\\\\\\](https://evil.test)\nPublish a record.')
  })

  test('is left out if it needs no action', () => {
    const finding = createFinding({ severity: 'info' })
    expect(runOf(createEntry({ findings: [finding] })).results).toEqual([])
  })
})

describe('fingerprints', () => {
  const fingerprints = (...findings: ReturnType<typeof createFinding>[]) =>
    runOf(createEntry({ findings })).results.map(
      ({ partialFingerprints }: { partialFingerprints: { primaryLocationLineHash: string } }) =>
        partialFingerprints.primaryLocationLineHash,
    )

  test('stay the same when the text or another finding changes', () => {
    const [first, second] = fingerprints(weakKey('s1'), weakKey('s2'))
    expect(first).toMatch(/^[0-9a-f]{16}:1$/)
    expect(fingerprints({ ...weakKey('s2'), title: 'Other words' })).toEqual([second])
  })

  test('differ for findings that are otherwise the same', () => {
    const [first = '', second] = fingerprints(createFinding(), createFinding())
    expect(second).toBe(first.replace(/1$/, '2'))
  })
})

test('results are sorted by domain, finding and name', () => {
  const findings = [weakKey('s2'), createFinding(), weakKey('s1')]
  const entries = ['b.test', 'a.test'].map((domain) => createEntry({ domain, findings }))
  const order = runOf(...entries).results.map(
    ({ locations: [{ physicalLocation, logicalLocations }] }: { locations: [Location] }) =>
      `${physicalLocation.artifactLocation.uri} ${logicalLocations[0].name}`,
  )
  const names = ['s1._domainkey.acme.test', 's2._domainkey.acme.test']
  expect(order).toEqual([
    ...[...names, 'a.test'].map((name) => `dns/a.test ${name}`),
    ...[...names, 'b.test'].map((name) => `dns/b.test ${name}`),
  ])
})

test('a failed lookup is a notification, so the run was not successful', () => {
  const { invocations, results } = runOf(createEntry(), UNAVAILABLE_ENTRY)
  expect(results).toEqual([])
  expect(invocations).toHaveLength(1)
  expect(invocations[0].executionSuccessful).toBe(false)
  expect(invocations[0].toolExecutionNotifications).toMatchObject([
    {
      descriptor: { id: 'dns_timeout' },
      level: 'error',
      message: { text: 'slow.test: MX slow.test could not be looked up: no answer in time.' },
    },
  ])
  expect(runOf(createEntry()).invocations[0]).toEqual({
    executionSuccessful: true,
    toolExecutionNotifications: [],
  })
})
