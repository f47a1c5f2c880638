/** Entries of documents, with text that tries to be more than text. */
import { type Block, type Finding, isActionable } from '@mailgrade/core'
import type { DocumentEntry } from '../../src/output/document-entry.js'
import { BLOCKS } from './document-blocks.js'

export function createFinding(fields: Partial<Finding> = {}): Finding {
  return {
    id: 'dmarc.missing',
    severity: 'high',
    title: 'No DMARC record',
    detail: 'Receivers deliver forged mail.',
    fix: 'Publish a record.',
    evidence: [],
    reference: 'RFC 9989 §4.10.1',
    ...fields,
  }
}

export function createEntry(fields: Partial<DocumentEntry> = {}): DocumentEntry {
  const entry: Omit<DocumentEntry, 'document'> = {
    domain: 'acme.test',
    headline: { status: 'fail', label: 'Exposed', sentence: 'No, you’re not protected yet.' },
    errorCode: null,
    mechanisms: ['spf', 'dkim', 'dmarc', 'mx', 'transport'],
    findings: [],
    meta: {
      checkedAt: '2026-11-17T12:00:00.123Z',
      resolvers: ['zone'],
      dnsQueries: 9,
      durationMs: 1_250,
    },
    ...fields,
  }
  return { ...entry, document: fields.document ?? documentOf(entry) }
}

function documentOf({
  domain,
  headline: { status, label, sentence },
  findings,
}: Pick<DocumentEntry, 'domain' | 'headline' | 'findings'>): DocumentEntry['document'] {
  const notes = findings.filter((finding) => !isActionable(finding))
  return {
    title: domain,
    requested: null,
    status,
    result: label,
    blocks: [{ kind: 'verdict', status, label, answer: sentence, meaning: '' }],
    findings: [
      { kind: 'findings', findings: findings.filter(isActionable), first: 1 },
      ...(notes.length > 0
        ? [{ kind: 'notes' as const, title: 'Good to know', findings: notes }]
        : []),
    ],
  }
}

export const UNAVAILABLE_ENTRY = createEntry({
  domain: 'slow.test',
  headline: {
    status: 'unknown',
    label: 'Unknown',
    sentence: 'MX slow.test could not be looked up: no answer in time.',
  },
  errorCode: 'dns_timeout',
  mechanisms: [],
  meta: null,
})

export const HOSTILE_TEXTS = [
  "=cmd|' /C calc'!A0",
  '-2+3',
  '@SUM(A1)',
  'two\nlines\r\nand "quotes", \'commas\', \ttabs',
  ']]> <![CDATA[ <!-- --> <?php ?> &amp; &#x0; &unknown;',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '![image](https://evil.test/pixel.png) [link](https://evil.test) <https://evil.test>',
  'https://evil.test www.evil.test evil@evil.test mailto:evil@evil.test',
  '@octocat #1 GH-1 octocat/repository#1 :tada: $x$ ~~gone~~ **bold** _it_ \\* [^1]',
  '`code` ``` ```` \n```\n# heading\n- item\n> quote\n| a | b |\n|---|---|',
  '| cell | \\| \\\\| cell',
  '# heading',
  '- item',
  '1. item',
  '{0} {{1}} %{i} %s %0A ::error::annotation ##[error]annotation',
  'bidi \u202e gnirts \u2066 and zero\u200bwidth',
  'control \u0000\u0001\u0008\u000b\u000c\u001b[31m\u007f\u0085',
  'surrogates \ud800 \udfff, noncharacters \ufffe \uffff, 😀',
]

/** Every block, with this text for each of its own; spaces between runs stay. */
export function createDocument(text: string): DocumentEntry['document'] {
  const blocks: Block[] = JSON.parse(
    JSON.stringify(Object.values(BLOCKS), (key, value) =>
      typeof value === 'string' && !NAMES.has(key) ? value.replace(/\S(.*\S)?/, () => text) : value,
    ),
  )
  return {
    title: text,
    requested: text,
    status: 'fail',
    result: text,
    heading: text,
    blocks,
    findings: [],
  }
}

const NAMES: ReadonlySet<string> = new Set('kind status tone severity type reference'.split(' '))

/** Every text of the document and of the finding is hostile. */
export const HOSTILE_ENTRIES = HOSTILE_TEXTS.map((text, index) =>
  createEntry({
    document: createDocument(text),
    domain: `hostile${index}.test`,
    headline: { status: 'fail', label: 'Exposed', sentence: text },
    findings: [
      createFinding({
        title: text,
        detail: text,
        fix: text,
        record: { type: 'TXT', name: text, value: text },
        evidence: [{ name: text, type: 'TXT', value: text }],
      }),
      createFinding({ id: 'spf.missing', severity: 'low', title: text, detail: text, fix: text }),
      createFinding({ id: 'mx.missing', severity: 'info', title: text, detail: text, fix: text }),
    ],
  }),
)

/** What a person typed that is not a domain. */
export const HOSTILE_SUBJECTS = HOSTILE_TEXTS.map((text) =>
  createEntry({
    domain: text,
    headline: { status: 'unknown', label: 'Unknown', sentence: text },
    errorCode: 'invalid_input',
    mechanisms: [],
    meta: null,
  }),
)
