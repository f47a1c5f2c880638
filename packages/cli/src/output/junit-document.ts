/** JUnit XML: a test suite for each domain, a test case for each mechanism. */
import type { Finding } from '@mailgrade/core'
import type { FailOn } from '../command-line/shared-options.js'
import {
  DOCUMENT_MECHANISMS,
  type DocumentEntry,
  type DocumentMechanism,
  isAbout,
} from './document-entry.js'
import { isAtLeast } from './report-outcome.js'

export function junitDocument(entries: readonly DocumentEntry[], failOn: FailOn): string {
  const suites = entries.map((entry) => toSuite(entry, failOn))
  const total = (name: keyof Counts) => suites.reduce((sum, { counts }) => sum + counts[name], 0)
  const counts = { tests: total('tests'), failures: total('failures'), errors: total('errors') }
  const lines = suites.flatMap(({ xml }) => ['\n', xml])
  const document = xmlElement('testsuites', { name: 'Mailgrade', ...counts }, [...lines, '\n'])
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document}\n`
}

interface Counts {
  readonly tests: number
  readonly failures: number
  readonly errors: number
}

interface Suite {
  readonly counts: Counts
  readonly xml: string
}

function toSuite(entry: DocumentEntry, failOn: FailOn): Suite {
  const { domain, errorCode, mechanisms, meta } = entry
  const cases =
    errorCode === null
      ? mechanisms.map((mechanism) => toCase(entry, mechanism, failOn))
      : [toErrorCase(entry, errorCode)]
  const counts = {
    tests: cases.length,
    failures: cases.filter(({ outcome }) => outcome === 'failure').length,
    errors: cases.filter(({ outcome }) => outcome === 'error').length,
  }
  const when = meta && {
    time: (meta.durationMs / 1_000).toFixed(3),
    // As the JUnit schema requires: UTC, without fractions and without a zone.
    timestamp: meta.checkedAt.slice(0, 'YYYY-MM-DDThh:mm:ss'.length),
  }
  const lines = cases.flatMap(({ xml }) => ['\n', xml])
  return { counts, xml: xmlElement('testsuite', { name: domain, ...counts, ...when }, lines) }
}

interface Case {
  readonly outcome: 'pass' | 'failure' | 'error'
  readonly xml: string
}

function toErrorCase({ domain, headline }: DocumentEntry, code: string): Case {
  const error = xmlElement('error', { message: headline.sentence, type: code })
  const xml = xmlElement('testcase', { classname: domain, name: 'DNS lookup' }, [error])
  return { outcome: 'error', xml }
}

/** Most readers show only the first `failure`, so it holds all findings that fail. */
function toCase(
  { domain, findings }: DocumentEntry,
  mechanism: DocumentMechanism,
  failOn: FailOn,
): Case {
  const own = findings.filter((finding) => isAbout(finding, mechanism))
  const failing = own.filter((finding) => isAtLeast(finding, failOn))
  const others = own.filter((finding) => !isAtLeast(finding, failOn))
  const [first] = failing
  const content: string[] = []
  if (first) {
    const more = failing.length > 1 ? ` (and ${failing.length - 1} more)` : ''
    const attributes = { message: `${first.title}${more}`, type: first.id }
    content.push(xmlElement('failure', attributes, [xmlText(describeFindings(failing))]))
  }
  if (others.length > 0) {
    content.push(xmlElement('system-out', {}, [xmlText(describeFindings(others))]))
  }
  const attributes = { classname: domain, name: DOCUMENT_MECHANISMS[mechanism] }
  return {
    outcome: first ? 'failure' : 'pass',
    xml: xmlElement('testcase', attributes, content),
  }
}

function describeFindings(findings: readonly Finding[]): string {
  return findings.map(describeFinding).join('\n\n')
}

function describeFinding(finding: Finding): string {
  const { id, severity, title, detail, fix, record, reference } = finding
  const lines = [`${title} (${severity})`, detail, fix]
  if (record) lines.push(`Record (${record.type} at ${record.name}): ${record.value}`)
  return [...lines, `${id}, ${reference}`].join('\n')
}

/** XML allows no other characters, not even as references (XML 1.0 §2.2). */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** A parser would turn a carriage return into a line feed. */
export function xmlText(text: string): string {
  return escapeText(text, /[&<>\r]/g)
}

/** A parser would turn white space in an attribute into spaces. */
function xmlAttribute(text: string): string {
  return escapeText(text, /[&<>"\t\n\r]/g)
}

function escapeText(text: string, special: RegExp): string {
  return text
    .replace(FORBIDDEN, '\ufffd')
    .replace(special, (character) => REFERENCES[character] ?? character)
}

/** Well-formed XML 1.0 from any text; `content` is already XML. */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] = [],
): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${xmlAttribute(`${value}`)}"`,
  )
  const start = `<${name}${pairs.join('')}`
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`
}
