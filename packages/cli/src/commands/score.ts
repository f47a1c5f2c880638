/** `mailgrade score`: 0 to 100 and A to F. */
import { describeScore, type ScoreReport } from '@mailgrade/core'
import { PAID_SOURCE_OPTIONS, selectorOption } from '../command-line/shared-options.js'
import { documentText } from '../output/document-text.js'
import { defineDomainCommand } from './domain-command.js'

interface ScoreOptions {
  readonly selector?: readonly string[]
}

export const scoreCommand = defineDomainCommand<ScoreOptions, ScoreReport>({
  name: 'score',
  summary: 'grade domains from 0 to 100, with a reason for every lost point',
  options: [selectorOption],
  sourceOptions: PAID_SOURCE_OPTIONS,
  examples: [
    {
      command: 'mailgrade score example.com',
      explanation: 'Show the score and what to fix first.',
    },
    {
      command: 'mailgrade score example.com --format json | jq .score',
      explanation: 'Print only the number.',
    },
  ],
  kind: ({ selector: selectors = [], exact }) => ({
    request: (source, domain) => source.score(domain, { selectors, exact }),
    text: (report, _, layout) => documentText(describeScore(report), layout),
    findings: ({ findings }) => findings,
    mechanisms: ['spf', 'dkim', 'dmarc', 'mx'],
  }),
})
