/** What all commands that report findings about domains have in common. */
import type { Option } from 'commander'
import { type Command, defineCommand, type Example } from '../command-line/command.js'
import {
  exactOption,
  failOnOption,
  formatOption,
  reportFileOption,
  SOURCE_OPTIONS,
  type SourceOptions,
} from '../command-line/shared-options.js'
import { REPORT_FORMATS } from '../output/document-formats.js'
import { type OutputOptions, type ReportKind, runReports } from './run-reports.js'

export const DOMAINS = 'domains; email addresses and URLs work too'

interface DomainOptions extends SourceOptions, OutputOptions {
  readonly exact?: boolean
}

interface DomainCommand<Options, Report> {
  readonly name: string
  readonly summary: string
  /** In addition to those that all these commands have. */
  readonly options: readonly Option[]
  readonly sourceOptions?: readonly Option[]
  readonly examples: readonly Example[]
  kind(options: Options & { readonly exact: boolean }): ReportKind<Report>
}

export function defineDomainCommand<Options extends object, Report>({
  name,
  summary,
  options,
  sourceOptions = SOURCE_OPTIONS,
  examples,
  kind,
}: DomainCommand<Options, Report>): Command {
  return defineCommand<Options & DomainOptions>({
    name,
    summary,
    argument: '<domain...>',
    argumentDescription: DOMAINS,
    options: [
      ...options,
      exactOption,
      ...sourceOptions,
      formatOption(REPORT_FORMATS),
      reportFileOption(REPORT_FORMATS),
      failOnOption,
    ],
    examples,
    run: (domains, given, context) =>
      runReports(domains, kind({ ...given, exact: given.exact ?? false }), given, context),
  })
}
