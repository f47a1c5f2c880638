/** The outcome for one domain or address, for every output format. */
import type { Finding } from '@mailgrade/core'
import { EXIT, type ExitCode } from '../command-line/command.js'
import type { SourceResult } from '../command-line/report-source.js'
import { FAIL_ON, type FailOn } from '../command-line/shared-options.js'

export interface ReportOutcome<Report> {
  /** As the user gave it. */
  readonly subject: string
  readonly result: SourceResult<Report>
}

/** As the HTTP API returns it; an error has the code of the API. */
export function toJsonValue<Report>({ subject, result }: ReportOutcome<Report>): object {
  if (result.kind === 'report') return { ...result.report, meta: result.meta }
  return { domain: subject, error: { code: errorCode(result), detail: result.detail } }
}

export function errorCode(result: Exclude<SourceResult<unknown>, { kind: 'report' }>): string {
  switch (result.kind) {
    case 'invalid-input':
      return 'invalid_input'
    case 'unknown-domain':
      return 'unknown_domain'
    case 'dns-unavailable':
      return result.reason === 'timeout' ? 'dns_timeout' : 'dns_unavailable'
    case 'service-problem':
      return result.code
  }
}

export function isAtLeast({ severity }: Pick<Finding, 'severity'>, failOn: FailOn): boolean {
  return severity !== 'info' && FAIL_ON.indexOf(severity) <= FAIL_ON.indexOf(failOn)
}

/** What is known to be wrong counts more than what is unknown. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  const order = [EXIT.usage, EXIT.control, EXIT.findings, EXIT.unavailable] as const
  return order.find((code) => codes.includes(code)) ?? EXIT.fine
}

export function exitCodeOf<Report>(
  { result }: ReportOutcome<Report>,
  exitCode: (report: Report) => ExitCode,
): ExitCode {
  switch (result.kind) {
    case 'report':
      return exitCode(result.report)
    case 'invalid-input':
      return EXIT.usage
    case 'unknown-domain':
      return EXIT.findings
    case 'dns-unavailable':
    case 'service-problem':
      return EXIT.unavailable
  }
}
