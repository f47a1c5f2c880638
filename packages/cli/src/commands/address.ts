/** `mailgrade address`: whether mail to an address can arrive. */
import { describeAddress } from '@mailgrade/core'
import { defineCommand, EXIT } from '../command-line/command.js'
import {
  formatOption,
  PAID_SOURCE_OPTIONS,
  type SourceOptions,
} from '../command-line/shared-options.js'
import { documentText } from '../output/document-text.js'
import { type OutputOptions, runReports } from './run-reports.js'

export const addressCommand = defineCommand<SourceOptions & OutputOptions>({
  name: 'address',
  summary: 'check whether an address can receive mail, without contacting its mail server',
  argument: '<email...>',
  argumentDescription: 'email addresses, such as ann@example.com',
  options: [...PAID_SOURCE_OPTIONS, formatOption(['text', 'json', 'ndjson'])],
  examples: [
    {
      command: 'mailgrade address ann@example.com',
      explanation: 'Check an address. The exit code is 1 if it’s risky or undeliverable.',
    },
  ],
  run: (addresses, options, context) =>
    runReports(
      addresses,
      {
        request: (source, address) => source.address(address),
        findings: () => [],
        text: (report, _, layout) => documentText(describeAddress(report), layout),
        exitCode: ({ verdict }) => (verdict === 'ok' ? EXIT.fine : EXIT.findings),
      },
      options,
      context,
    ),
})
