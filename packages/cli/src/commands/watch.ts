/** `mailgrade watch`: what changed since the previous run. */
import { InvalidArgumentError, Option } from 'commander'
import { defineCommand } from '../command-line/command.js'
import {
  exactOption,
  FAIL_ON,
  formatOption,
  SOURCE_OPTIONS,
  selectorOption,
} from '../command-line/shared-options.js'
import type { WatchOptions } from '../watch/run-watch.js'
import { DOMAINS } from './domain-commands.js'

const everyOption = new Option(
  '--every <interval>',
  'repeat at this interval, such as 30m, 6h, or 1d, until you press Ctrl-C (default: run once)',
).argParser(parseInterval)

const stateOption = new Option(
  '--state <file>',
  'where to save the results for the next run (default: ~/.local/state/mailgrade/watch.json, or under $XDG_STATE_HOME)',
)

const quietOption = new Option('-q, --quiet', 'print only changes and failed lookups')

const failOnNewOption = new Option(
  '--fail-on <severity>',
  'a new finding counts as worse if it’s at least this severe',
)
  .choices(FAIL_ON)
  .default('high')

export const watchCommand = defineCommand<WatchOptions>({
  name: 'watch',
  summary:
    'show what changed since the last run; exit with 4 if control changed, with 1 if anything got worse',
  argument: '<domain...>',
  argumentDescription: DOMAINS,
  options: [
    everyOption,
    stateOption,
    quietOption,
    selectorOption,
    exactOption,
    ...SOURCE_OPTIONS,
    formatOption(['text', 'json', 'ndjson']),
    failOnNewOption,
  ],
  examples: [
    {
      command: 'mailgrade watch example.com example.net',
      explanation: 'Compare with the last run.',
    },
    {
      command: 'mailgrade watch example.com --quiet',
      explanation: 'Run it from cron, which emails you anything that’s printed.',
    },
    {
      command: 'mailgrade watch example.com --every 6h --format ndjson',
      explanation: 'Keep running, and print each change as a line of JSON.',
    },
  ],
  async run(...call) {
    const { runWatch } = await import('../watch/run-watch.js')
    return runWatch(...call)
  },
})

const MINUTE = 60_000
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE }
/** A Node timer cannot wait longer than 24.8 days. */
const LONGEST_DAYS = 24

function parseInterval(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const milliseconds = Number(count) * (UNITS[unit] ?? 0)
  if (milliseconds < MINUTE || milliseconds > LONGEST_DAYS * 24 * 60 * MINUTE) {
    throw new InvalidArgumentError(
      `Use an interval such as 30m, 6h, or 1d, from 1m to ${LONGEST_DAYS}d.`,
    )
  }
  return milliseconds
}
