/** One domain in a document for other programs: its findings, or why there is no report. */
import {
  type Finding,
  isActionable,
  type MechanismSection,
  type ReportDocument,
  STATUS_WORDS,
  type StatusName,
} from '@mailgrade/core'
import type { ReportMeta } from '../library.js'
import { errorCode, type ReportOutcome } from './report-outcome.js'
import { toTerminalReport } from './terminal-words.js'

/** That of a mechanism has a heading. */
export type EntryDocument = ReportDocument & Partial<Pick<MechanismSection, 'heading'>>

interface Headline {
  readonly status: StatusName
  /** A word or two. */
  readonly label: string
  /** What it means, in one to three sentences. */
  readonly sentence: string
}

/** In the order that people read them. A finding's id begins with its mechanism. */
export const DOCUMENT_MECHANISMS = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  mx: 'MX',
  transport: 'Transport security',
} as const
export type DocumentMechanism = keyof typeof DOCUMENT_MECHANISMS

const MECHANISM_IDS = Object.keys(DOCUMENT_MECHANISMS) as readonly DocumentMechanism[]

export interface DocumentEntry {
  /** In ASCII; as the user gave it if there is no report. */
  readonly domain: string
  readonly headline: Headline
  /** The code of the HTTP API if there is no report; the headline then says why. */
  readonly errorCode: string | null
  /** What was looked up. */
  readonly mechanisms: readonly DocumentMechanism[]
  readonly findings: readonly Finding[]
  /** All of it in words. */
  readonly document: EntryDocument
  readonly meta: ReportMeta | null
}

/** What a kind of report says about itself. */
export interface DocumentContent<Report> {
  findings(report: Report): readonly Finding[]
  /** Its verdict is the headline; without one, the findings decide. */
  document?(report: Report): EntryDocument
  /** What was looked up; findings of other mechanisms count too. */
  readonly mechanisms?: readonly DocumentMechanism[]
}

/**
 * Invisible characters become visible here, so no format can forget it. No record can add a line: in
 * a log of GitHub Actions it could be a command.
 */
export function toDocumentEntry<Report>(
  { subject, result }: ReportOutcome<Report>,
  content: DocumentContent<Report>,
): DocumentEntry {
  if (result.kind !== 'report') {
    const isAbsent = result.kind === 'unknown-domain'
    const headline: Headline = {
      status: isAbsent ? 'fail' : 'unknown',
      label: isAbsent ? 'No such domain' : STATUS_WORDS.unknown,
      sentence: result.detail,
    }
    return toTerminalReport({
      domain: subject,
      headline,
      errorCode: errorCode(result),
      mechanisms: [],
      findings: [],
      document: headlineDocument(subject, headline),
      meta: null,
    })
  }
  const { report, meta } = result
  const findings = content.findings(report)
  const domain = domainOf(report) ?? subject
  const document = content.document?.(report) ?? headlineDocument(domain, headlineOf(findings))
  return toTerminalReport({
    domain,
    headline: verdictOf(document) ?? headlineOf(findings),
    errorCode: null,
    mechanisms: MECHANISM_IDS.filter(
      (mechanism) =>
        content.mechanisms?.includes(mechanism) ||
        findings.some((finding) => isAbout(finding, mechanism)),
    ),
    findings,
    document,
    meta,
  })
}

function headlineDocument(title: string, { status, label, sentence }: Headline): ReportDocument {
  const verdict = { kind: 'verdict', status, label, answer: sentence, meaning: '' } as const
  return { title, requested: null, status, result: label, blocks: [verdict], findings: [] }
}

function verdictOf({ blocks }: ReportDocument): Headline | null {
  const verdict = blocks.find((block) => block.kind === 'verdict')
  if (!verdict) return null
  const { status, label, answer, meaning } = verdict
  return { status, label, sentence: `${answer} ${meaning}`.trim() }
}

export function isAbout({ id }: Finding, mechanism: DocumentMechanism): boolean {
  return id.startsWith(`${mechanism}.`)
}

function domainOf(report: unknown): string | null {
  const hasDomain = typeof report === 'object' && report !== null && 'domain' in report
  return hasDomain && typeof report.domain === 'string' ? report.domain : null
}

/** For reports that have no verdict of their own. */
function headlineOf(findings: readonly Finding[]): Headline {
  const count = findings.filter(isActionable).length
  const isFail = findings.some(({ severity }) => severity === 'critical' || severity === 'high')
  const status = isFail ? 'fail' : count > 0 ? 'warn' : 'pass'
  return { status, label: STATUS_WORDS[status], sentence: describeCount(count) }
}

function describeCount(count: number): string {
  if (count === 0) return 'We found nothing to fix.'
  return count === 1 ? '1 finding needs a fix.' : `${count} findings need a fix.`
}
