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
  unreadable:
    'The file could not be opened, so it was skipped. Check the path and the permissions.',
  empty: 'The file is empty, so there is nothing to count. Get a new copy of it.',
  'not-a-report':
    'This is not a DMARC aggregate report, so it was skipped. Pass the XML file, or the .gz, .zip, .eml or mbox file that contains it.',
  'broken-xml':
    'The XML is broken, so none of its messages were counted. Download the report again. If that does not help, the sender’s report is faulty.',
  entities:
    'The XML declares a document type or entities. Reports do not need them, and attacks use them, so the file was not read. Delete it unless you know the sender.',
  'too-large': `The report is larger than ${MAX_XML_BYTES / 1e6} MB, so none of its messages were counted. Split the file, or delete it if you do not know the sender.`,
  'too-large-compressed': `The compressed file is larger than ${MAX_COMPRESSED_BYTES / 1e6} MB, so it was not read. Unpack it and pass the XML files.`,
  'compression-bomb': `The file unpacks to more than ${MAX_RATIO} times its size. Files like this are made to exhaust memory, so it was not read. Delete it.`,
  'oversized-element':
    'An element of the XML is larger than 1 MB or nested too deeply. Reports do not have such elements, so the file was not read. Delete it unless you know the sender.',
  damaged:
    'The archive is damaged and contains no complete report, so nothing in it was counted. Download it again.',
  encrypted: 'The archive has a password, so it was not read. Unpack it and pass the XML file.',
  'nested-archive':
    'The archive contains another archive, which was not opened. Unpack it and pass the files inside.',
  'too-many-entries': `The archive contains more than ${MAX_ENTRIES} files, so it was not read. Unpack it and pass the folder.`,
  'no-report-inside': 'No report was found in this file, so nothing was counted from it.',
  'forged-mail':
    'Your mail server marked this message as failing DMARC, so the report in it may be forged. It was not counted.',
  'unreadable-rest':
    'This file holds several reports, and one after the first could not be read. It and those after it were not counted. Pass each report in a file of its own.',
  incomplete:
    'The report does not say which domain or which period it is for, so none of its messages were counted.',
  'bad-period':
    'The report covers an impossible period, so none of its messages were counted. The sender’s report is faulty.',
  'too-many-domains':
    'This run has reports for too many domains, so this report was not counted. Pass fewer files.',
  aborted: 'Reading stopped before this file was finished, so it was not counted.',
  repaired:
    'The compressed file is damaged, but the report inside is complete and was counted. There is nothing to do.',
  'skipped-records':
    'Some records have no valid source address or message count. They were skipped; the others were counted.',
  'conflicting-copy':
    'Two reports have the same sender, ID, domain and period, but different records. The one with more messages was counted.',
  'conflicting-copy-later':
    'Two reports have the same sender, ID, domain and period, but different records. The first was counted, because standard input can be read only once. Pass files to count the larger one.',
} as const

export type ProblemKind = keyof typeof MESSAGES

const NOTES: ReadonlySet<ProblemKind> = new Set([
  'repaired',
  'skipped-records',
  'conflicting-copy',
  'conflicting-copy-later',
])

export function problem(kind: ProblemKind, file: string, detail?: string): Problem {
  const severity = NOTES.has(kind) ? 'note' : 'error'
  const message = detail === undefined ? MESSAGES[kind] : `${MESSAGES[kind]} (${detail})`
  return { severity, kind, file, message }
}
