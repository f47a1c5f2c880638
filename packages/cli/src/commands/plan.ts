/** `mailgrade plan`: the exact records to publish, in order. */
import { join } from 'node:path'
import {
  contradictionIn,
  type FixPlan,
  parseMailAddress,
  parseServiceIds,
  planFiles,
  toVisibleLine,
} from '@mailgrade/core'
import { InvalidArgumentError, Option } from 'commander'
import { type CommandContext, defineCommand, EXIT, UsageError } from '../command-line/command.js'
import { makeOutputFolder, toFileStem, writeOutputFile } from '../command-line/output-file.js'
import {
  exactOption,
  formatOption,
  PAID_SOURCE_OPTIONS,
  type SourceOptions,
  selectorOption,
} from '../command-line/shared-options.js'
import { planText } from '../output/plan-text.js'
import type { EvidenceInputs, PlanEvidence } from '../reports/plan-evidence.js'
import { SOURCE_ANSWER_OPTIONS } from '../reports/read-reports.js'
import { joinBlocks } from '../terminal/layout.js'
import { DOMAINS } from './domain-commands.js'
import { type OutputOptions, runReports } from './run-reports.js'

interface PlanCommandOptions extends SourceOptions, OutputOptions, EvidenceInputs {
  readonly selector?: readonly string[]
  readonly exact?: boolean
  readonly rua?: string
  readonly uses?: readonly string[]
  readonly unused?: readonly string[]
  readonly out?: string
}

export const planCommand = defineCommand<PlanCommandOptions>({
  name: 'plan',
  summary: 'show the exact records to publish, in order, with steps for the DNS host',
  argument: '<domain...>',
  argumentDescription: DOMAINS,
  options: [
    new Option(
      '-o, --out <folder>',
      'write the plan to this folder as a zone file, Terraform, a calendar, CSV, and JSON',
    ),
    new Option('--rua <address>', 'email address that DMARC reports should go to').argParser(
      parseRua,
    ),
    new Option(
      '--uses <ids>',
      'services that send for the domain but don’t show up in DNS, such as google,mailchimp',
    ).argParser(collectServices),
    new Option('--unused <ids>', 'services that no longer send for the domain').argParser(
      collectServices,
    ),
    new Option(
      '--reports <path>',
      'DMARC aggregate reports, or a folder of them; what they prove goes into the plan',
    ).argParser(collectPaths),
    ...SOURCE_ANSWER_OPTIONS,
    new Option(
      '--message <file>',
      'a message from the domain, or its headers, or - for standard input; repeat the option for more',
    ).argParser(collectPaths),
    selectorOption,
    exactOption,
    ...PAID_SOURCE_OPTIONS,
    formatOption(['text', 'json', 'ndjson']),
  ],
  examples: [
    { command: 'mailgrade plan example.com', explanation: 'Show what to do today and later.' },
    {
      command: 'mailgrade plan example.com --rua dmarc@example.com --out plans',
      explanation: 'Write the zone file, Terraform, and the other files to the folder plans.',
    },
    {
      command: 'mailgrade plan example.com --reports ~/dmarc-reports',
      explanation: 'Plan with what your DMARC reports prove about who sends as you.',
    },
  ],
  async run(domains, options, context) {
    const { selector: selectors = [], exact = false, rua, uses, unused, out, ...given } = options
    const { reports, message, mine, notMine, ...others } = given
    const answers = { selectors, uses, unused }
    const contradiction = contradictionIn(uses, unused)
    if (contradiction !== null) throw new UsageError(contradiction)
    const evidence = await readEvidence(domains, { reports, message, mine, notMine }, context)
    // First, because a plan of a service may cost money.
    if (out !== undefined) makeOutputFolder(out)
    const plans: FixPlan[] = []
    const exitCode = await runReports(
      domains,
      {
        async request(source, domain) {
          const known = evidence?.addTo(domain, answers) ?? answers
          const result = await source.plan(domain, { ...known, exact, rua })
          if (result.kind === 'report') plans.push(result.report)
          return result
        },
        findings: () => [],
        text: (report, _, layout) =>
          joinBlocks([
            planText(report, layout).trimEnd(),
            ...(evidence?.blocks(report, answers, layout) ?? []),
          ]),
        exitCode: ({ steps }) =>
          steps.every(({ optional }) => optional) ? EXIT.fine : EXIT.findings,
      },
      others,
      context,
    )
    if (out !== undefined) for (const plan of plans) await writePlan(plan, out, context)
    return exitCode
  },
})

async function readEvidence(
  domains: readonly string[],
  inputs: EvidenceInputs,
  context: CommandContext,
): Promise<PlanEvidence | null> {
  const { reports, message, mine, notMine } = inputs
  if (!reports && (mine || notMine)) throw new UsageError('--mine and --not-mine need --reports.')
  if (!reports && !message) return null
  const { readPlanEvidence } = await import('../reports/plan-evidence.js')
  return readPlanEvidence(domains, inputs, context)
}

/** A path may have commas. */
function collectPaths(path: string, previous: readonly string[] = []): string[] {
  return [...previous, path]
}

function parseRua(text: string): string {
  const parsed = parseMailAddress(text.trim())
  if (parsed.kind === 'refused') throw new InvalidArgumentError(parsed.reason)
  return text.trim()
}

/** `google,mailchimp`, also repeated. */
function collectServices(text: string, previous: readonly string[] = []): string[] {
  const parsed = parseServiceIds(text)
  if (parsed.kind === 'refused') throw new InvalidArgumentError(parsed.reason)
  return [...previous, ...parsed.ids]
}

/** The names begin with the domain as DNS writes it, so they stay in the folder. */
async function writePlan(plan: FixPlan, folder: string, { stderr }: CommandContext): Promise<void> {
  const { domain } = plan
  for (const { name, content } of planFiles(plan, { isOriginal: true })) {
    const path = join(folder, toFileStem(domain) + name.slice(domain.length))
    const shown = toVisibleLine(path)
    if (content === null) {
      stderr.write(
        `We didn’t write ${shown}, because one of its records has characters that can’t be shown.\n`,
      )
      continue
    }
    await writeOutputFile(path, content)
    stderr.write(`Wrote ${shown}\n`)
  }
}
