/** SARIF 2.1.0, as GitHub code scanning reads it. */
import { createHash } from 'node:crypto'
import { type Finding, findEntry, isActionable, rfcUrl, stringifySafely } from '@mailgrade/core'
import { VERSION } from '../version.js'
import type { DocumentEntry } from './document-entry.js'

export function sarifDocument(entries: readonly DocumentEntry[]): string {
  const found = entries.flatMap(({ domain, findings }) => withOrdinals(domain, findings))
  found.sort((left, right) => compare(sortKey(left), sortKey(right)))
  const ruleIds = [...new Set(found.map(({ finding }) => finding.id))].sort(compare)
  const failed = entries.filter(({ errorCode }) => errorCode !== null)
  const run = {
    tool: {
      driver: {
        name: 'Mailgrade',
        version: VERSION,
        semanticVersion: VERSION,
        rules: ruleIds.map(toRule),
      },
    },
    automationDetails: { id: 'mailgrade/' },
    invocations: [
      {
        executionSuccessful: failed.length === 0,
        toolExecutionNotifications: failed.map(toNotification),
      },
    ],
    columnKind: 'utf16CodeUnits',
    results: found.map((it) => toResult(it, ruleIds.indexOf(it.finding.id))),
  }
  const log = { $schema: SCHEMA, version: '2.1.0', runs: [run] }
  return `${stringifySafely(log, 2)}\n`
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'

interface Found {
  readonly domain: string
  readonly finding: Finding
  /** What the finding is about, besides the domain and its id. */
  readonly name: string
  /** From 1, for findings that are otherwise the same. */
  readonly ordinal: number
}

/** An alert asks for action, so findings that need none are left out. */
function withOrdinals(domain: string, findings: readonly Finding[]): Found[] {
  const counts = new Map<string, number>()
  return findings.filter(isActionable).map((finding) => {
    const name = finding.evidence[0]?.name ?? domain
    const key = `${finding.id} ${name}`
    const ordinal = (counts.get(key) ?? 0) + 1
    counts.set(key, ordinal)
    return { domain, finding, name, ordinal }
  })
}

function sortKey({ domain, finding, name, ordinal }: Found): string {
  return [domain, finding.id, name, `${ordinal}`.padStart(6, '0')].join(' ')
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

const LEVELS = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
} as const satisfies Record<Finding['severity'], string>

/** GitHub's limits: critical from 9.0, high from 7.0, medium from 4.0. */
const SECURITY_SEVERITIES = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  info: '0.0',
} as const satisfies Record<Finding['severity'], string>

function toRule(id: string) {
  const entry = findEntry(id)
  if (!entry) return { id }
  const { severity, title, meaning, steps, reference } = entry
  const helpUri = rfcUrl(reference)
  const [area = ''] = id.split('.')
  return {
    id,
    name: toPascalCase(id),
    shortDescription: { text: title },
    fullDescription: { text: meaning },
    help: { text: [meaning, ...steps, `See ${reference}.`].join(' ') },
    ...(helpUri && { helpUri }),
    defaultConfiguration: { level: LEVELS[severity] },
    properties: {
      tags: ['security', 'email', area],
      precision: 'very-high',
      'security-severity': SECURITY_SEVERITIES[severity],
    },
  }
}

/** `spf.too-many-lookups` → `SpfTooManyLookups` */
function toPascalCase(id: string): string {
  return id.replace(/(?:^|[.-])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function toResult({ domain, finding, name, ordinal }: Found, ruleIndex: number) {
  const { id, severity, title, fix, record } = finding
  const text = [
    title,
    fix,
    ...(record ? [`${record.type} at ${record.name}: ${record.value}`] : []),
  ]
  return {
    ruleId: id,
    ruleIndex,
    level: LEVELS[severity],
    message: toMessage(text.join('\n')),
    locations: [toLocation(domain, name)],
    partialFingerprints: { primaryLocationLineHash: fingerprint(domain, id, name, ordinal) },
    properties: { severity },
  }
}

/** Brackets could be read as a link, and a backslash as an escape (SARIF 2.1.0 §3.11.6). */
function toMessage(text: string) {
  return { text: text.replace(/[\\[\]]/g, '\\$&') }
}

/** GitHub shows no result without a file, so every domain has a path, although no such file exists. */
function toLocation(domain: string, name: string) {
  return {
    physicalLocation: {
      artifactLocation: { uri: `dns/${encodeURIComponent(domain)}` },
      region: { startLine: 1 },
    },
    logicalLocations: [{ name, fullyQualifiedName: name, kind: 'resource' }],
  }
}

/** The only fingerprint that GitHub compares. Nothing in it changes with the text of a finding. */
function fingerprint(domain: string, id: string, name: string, ordinal: number): string {
  const hash = createHash('sha256').update(`${domain} ${id} ${name}`).digest('hex')
  return `${hash.slice(0, 16)}:${ordinal}`
}

function toNotification({ domain, headline, errorCode }: DocumentEntry) {
  return {
    descriptor: { id: errorCode },
    level: 'error',
    message: toMessage(`${domain}: ${headline.sentence}`),
  }
}
