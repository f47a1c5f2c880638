import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import {
  createEntry,
  createFinding,
  HOSTILE_ENTRIES,
  HOSTILE_SUBJECTS,
  HOSTILE_TEXTS,
  UNAVAILABLE_ENTRY,
} from '../../test/support/document-entries.js'
import { junitDocument, xmlElement, xmlText } from './junit-document.js'

const ENTRY = createEntry({
  findings: [
    createFinding({ title: 'First' }),
    createFinding({ title: 'Second' }),
    createFinding({ id: 'dmarc.no-reports', severity: 'low', title: 'Third' }),
    createFinding({ id: 'spf.neutral-all', severity: 'medium', title: 'Fourth' }),
  ],
})

const read = (xml: string) =>
  new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => ['testsuite', 'testcase'].includes(name),
  }).parse(xml).testsuites

describe('a domain', () => {
  test('is a suite with a case for each mechanism', () => {
    const { testsuite, ...totals } = read(junitDocument([ENTRY], 'high'))
    const [suite] = testsuite
    const names = suite.testcase.map(({ name }: { name: string }) => name)
    expect(totals).toEqual({ name: 'Mailgrade', tests: '5', failures: '1', errors: '0' })
    expect(suite).toMatchObject({
      name: 'acme.test',
      tests: '5',
      failures: '1',
      errors: '0',
      time: '1.250',
      timestamp: '2026-11-17T12:00:00',
    })
    expect(names).toEqual(['SPF', 'DKIM', 'DMARC', 'MX', 'Transport security'])
  })

  test('fails by the findings at or above --fail-on, and lists the others', () => {
    const [{ testcase }] = read(junitDocument([ENTRY], 'high')).testsuite
    const [spf, dkim, dmarc] = testcase
    expect(dkim).toEqual({ classname: 'acme.test', name: 'DKIM' })
    expect(spf.failure).toBeUndefined()
    expect(spf['system-out']).toContain('Fourth (medium)')
    expect(dmarc.failure).toMatchObject({ message: 'First (and 1 more)', type: 'dmarc.missing' })
    expect(dmarc.failure['#text']).toContain('Second (high)')
    expect(dmarc['system-out']).toContain('Third (low)')
  })

  test('fails by all of them with --fail-on low', () => {
    expect(read(junitDocument([ENTRY], 'low'))).toMatchObject({ failures: '2' })
  })

  test('without a report is an error, not a failure', () => {
    const { errors, failures, testsuite } = read(junitDocument([UNAVAILABLE_ENTRY], 'high'))
    expect({ errors, failures }).toEqual({ errors: '1', failures: '0' })
    expect(testsuite[0].testcase[0].error).toEqual({
      message: 'MX slow.test could not be looked up: no answer in time.',
      type: 'dns_timeout',
    })
  })
})

test('is well formed with any text', () => {
  const xml = junitDocument([...HOSTILE_ENTRIES, ...HOSTILE_SUBJECTS], 'high')
  expect(XMLValidator.validate(xml)).toBe(true)
  const { testsuite } = read(xml)
  expect(testsuite).toHaveLength(HOSTILE_ENTRIES.length + HOSTILE_SUBJECTS.length)
})

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  htmlEntities: true,
})

/** Those in the texts that XML 1.0 cannot hold. */
const FORBIDDEN = [...'\0\u0001\b\v\f\u001b\ufffe\uffff', '\ud800', '\udfff']

const toAllowed = (text: string) =>
  FORBIDDEN.reduce((result, character) => result.replaceAll(character, '\ufffd'), text)

test.each(HOSTILE_TEXTS)('%j in XML can be read back', (text) => {
  const xml = xmlElement('a', { value: text }, [xmlText(text)])
  const expected = toAllowed(text)
  expect(XMLValidator.validate(xml)).toBe(true)
  expect(parser.parse(xml)).toEqual({ a: { '@_value': expected, '#text': expected } })
})

test('an element without content is closed at once', () => {
  expect(xmlElement('a', { count: 3 })).toBe('<a count="3"/>')
})
