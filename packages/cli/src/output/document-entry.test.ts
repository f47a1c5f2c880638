import { describe, expect, test } from 'vitest'
import { createFinding } from '../../test/support/document-entries.js'
import { toDocumentEntry } from './document-entry.js'

const meta = { checkedAt: '', resolvers: [], dnsQueries: 0, durationMs: 0 }

const entryOf = (...findings: ReturnType<typeof createFinding>[]) =>
  toDocumentEntry(
    {
      subject: 'https://acme.test/',
      result: { kind: 'report', report: { domain: 'acme.test' }, meta },
    },
    { findings: () => findings },
  )

describe('a report without a verdict of its own', () => {
  test.each([
    ['pass', 'Good', 'We found nothing to fix.', [createFinding({ severity: 'info' })]],
    ['warn', 'Needs work', '1 finding needs a fix.', [createFinding({ severity: 'medium' })]],
    ['fail', 'Problem', '2 findings need a fix.', [createFinding(), createFinding()]],
  ] as const)('%s', (status, label, sentence, findings) => {
    expect(entryOf(...findings).headline).toEqual({ status, label, sentence })
  })
})

test('is named by the domain of the report, not by what the user gave', () => {
  expect(entryOf().domain).toBe('acme.test')
})

test('has no line from a record, which could be a command in the log of a workflow', () => {
  const [finding] = entryOf(createFinding({ title: 'Invalid: a\n::add-mask::b' })).findings
  expect(finding?.title).toBe('Invalid: a⟨U+000A⟩::add-mask::b')
})

test('has the mechanisms of its findings', () => {
  const findings = [createFinding({ id: 'mx.missing' }), createFinding({ id: 'spf.missing' })]
  expect(entryOf(...findings).mechanisms).toEqual(['spf', 'mx'])
})

test('a domain that DNS does not know is absent, one without an answer is unknown', () => {
  const content = { findings: () => [] }
  const absent = toDocumentEntry(
    { subject: 'a.test', result: { kind: 'unknown-domain', domain: 'a.test', detail: 'None.' } },
    content,
  )
  const unknown = toDocumentEntry(
    {
      subject: 'a.test',
      result: { kind: 'dns-unavailable', reason: 'timeout', detail: 'No answer.' },
    },
    content,
  )
  expect([absent, unknown].map(({ headline, errorCode }) => [headline.label, errorCode])).toEqual([
    ['No such domain', 'unknown_domain'],
    ['Unknown', 'dns_timeout'],
  ])
})
