/** What can go wrong with a report file, in sentences for people. */

/** `error`: not counted. `note`: counted, but worth knowing. */
export interface Problem {
  readonly severity: 'error' | 'note'
  readonly kind: ProblemKind
  /** The file, and the entry or attachment inside it; written by others, so not safe to print as is. */
  readonly file: string
  readonly message: string
}

export const MAX_COMPRESSED_BYTES = 10_000_000
export const MAX_XML_BYTES = 100_000_000
export const MAX_RATIO = 200
export const MAX_ENTRIES = 20

const MESSAGES = {
  unreadable: 'We couldn’t open the file, so we skipped it. Check the path and the permissions.',
  empty: 'The file is empty, so there’s nothing to count. Get a new copy.',
  'not-a-report':
    'This isn’t a DMARC aggregate report, so we skipped it. Pass the XML file, or the .gz, .zip, .eml, or mbox file that contains it.',
  'broken-xml':
    'The XML is broken, so we didn’t count any of its messages. Download the report again. If that doesn’t help, the sender’s report is faulty.',
  entities:
    'The XML declares a document type or entities. Reports don’t need them, and attackers use them, so we didn’t read the file. Delete it unless you know the sender.',
  'too-large': `The report is larger than ${MAX_XML_BYTES / 1e6} MB, so we didn’t count any of its messages. Split the file, or delete it if you don’t know the sender.`,
  'too-large-compressed': `The compressed file is larger than ${MAX_COMPRESSED_BYTES / 1e6} MB, so we didn’t read it. Unpack it and pass the XML files.`,
  'compression-bomb': `The file unpacks to more than ${MAX_RATIO} times its size. Files like this are made to use up memory, so we didn’t read it. Delete it.`,
  'oversized-element':
    'An XML element is larger than 1 MB or nested too deeply. Real reports don’t look like that, so we didn’t read the file. Delete it unless you know the sender.',
  damaged:
    'The archive is damaged and doesn’t contain a complete report, so we didn’t count anything in it. Download it again.',
  encrypted: 'The archive has a password, so we didn’t read it. Unpack it and pass the XML file.',
  'nested-archive':
    'The archive contains another archive, which we didn’t open. Unpack it and pass the files inside.',
  'too-many-entries': `The archive contains more than ${MAX_ENTRIES} files, so we didn’t read it. Unpack it and pass the folder.`,
  'no-report-inside': 'We didn’t find a report in this file, so we didn’t count anything from it.',
  'forged-mail':
    'Your mail server marked this message as failing DMARC, so the report in it may be forged. We didn’t count it.',
  'unreadable-rest':
    'This file has several reports, and we couldn’t read one after the first. We didn’t count that one or any after it. Pass each report in its own file.',
  incomplete:
    'The report is missing its domain or its period, so we didn’t count any of its messages.',
  'bad-period':
    'The report covers an impossible period, so we didn’t count any of its messages. The sender’s report is faulty.',
  'too-many-domains':
    'This run has reports for too many domains, so we didn’t count this one. Pass fewer files.',
  aborted: 'We stopped reading before the end of this file, so we didn’t count it.',
  repaired:
    'The compressed file is damaged, but the report inside is complete, so we counted it. You don’t need to do anything.',
  'skipped-records':
    'Some records have no valid source address or message count. We skipped those and counted the rest.',
  'early-period':
    'The report’s period is before DMARC existed, so its dates are wrong. We counted it under those dates. It can’t show whether a stricter policy is safe.',
  'conflicting-copy':
    'Two reports have the same sender, ID, domain, and period, but different records. We counted the one with more messages.',
  'conflicting-copy-later':
    'Two reports have the same sender, ID, domain, and period, but different records. We counted the first, because standard input can only be read once. To count the larger one, pass files.',
} as const

export type ProblemKind = keyof typeof MESSAGES

const NOTES: ReadonlySet<ProblemKind> = new Set([
  'repaired',
  'skipped-records',
  'early-period',
  'conflicting-copy',
  'conflicting-copy-later',
])

export function problem(kind: ProblemKind, file: string, detail?: string): Problem {
  const severity = NOTES.has(kind) ? 'note' : 'error'
  const message = detail === undefined ? MESSAGES[kind] : `${MESSAGES[kind]} (${detail})`
  return { severity, kind, file, message }
}
