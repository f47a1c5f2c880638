/** Runs of `mailgrade watch`: look up, compare with the state, print, store. */
import { setTimeout } from 'node:timers/promises'
import { type NameOptions, parseDomainInput, stringifySafely } from '@mailgrade/core'
import { type CommandContext, EXIT, type ExitCode, UsageError } from '../command-line/command.js'
import { openReportSource } from '../command-line/open-report-source.js'
import { type ReportSource, readAllowPrivateNames } from '../command-line/report-source.js'
import type { FailOn, SourceOptions } from '../command-line/shared-options.js'
import { mapInOrder } from '../commands/run-reports.js'
import { errorCode, worstExitCode } from '../output/report-outcome.js'
import { createLayout } from '../terminal/layout.js'
import { compareFacts } from './compare-facts.js'
import { keepUnknown, type LookedUp, lookUpFacts } from './domain-facts.js'
import {
  type DomainState,
  defaultStatePath,
  readStates,
  type States,
  writeStates,
} from './state-file.js'
import {
  hasControlChange,
  hasNews,
  isWorse,
  outcomeJson,
  outcomeText,
  type WatchOutcome,
} from './watch-outcome.js'

export interface WatchOptions extends SourceOptions {
  readonly selector?: readonly string[]
  readonly exact?: boolean
  readonly format: 'text' | 'json' | 'ndjson'
  readonly failOn: FailOn
  readonly state?: string
  /** Print only what changed or could not be looked up. */
  readonly quiet?: boolean
  /** Milliseconds; without it there is one run. */
  readonly every?: number
}

const DOMAINS_AT_ONCE = 8

export async function runWatch(
  texts: readonly string[],
  options: WatchOptions,
  context: CommandContext,
  wait = waitUnlessAborted,
): Promise<ExitCode> {
  const { every, format, quiet = false } = options
  if (every !== undefined && format === 'json') {
    throw new UsageError(
      '--format json doesn’t work with --every, because each run prints its own result. Use --format ndjson.',
    )
  }
  // A service decides for itself which names it looks up.
  const allowPrivateNames = Boolean(options.server) || readAllowPrivateNames(context.env)
  const domains = parseDomains(texts, { ...options, allowPrivateNames })
  const first = await runOnce(domains, options, context)
  print(quiet ? first.filter(hasNews) : first, options, context)
  if (every === undefined) return exitCode(first)
  const codes = [exitCodeOfChanges(first)]
  while (!context.signal.aborted) {
    await wait(every, context.signal)
    if (context.signal.aborted) break
    const outcomes = await runOnce(domains, options, context)
    // After Ctrl-C, a domain that was not looked up is not printed.
    const isNews = (outcome: WatchOutcome) =>
      hasNews(outcome) && !(context.signal.aborted && outcome.kind === 'not-looked-up')
    print(outcomes.filter(isNews), options, context)
    codes.push(exitCodeOfChanges(outcomes))
  }
  return worstExitCode(codes)
}

/** Checked before anything is looked up, because a typo should not be watched for days. */
function parseDomains(
  texts: readonly string[],
  { exact = false, allowPrivateNames }: WatchOptions & NameOptions,
): string[] {
  const domains = texts.map((text) => {
    const parsed = parseDomainInput(text, { exact, allowPrivateNames })
    if (parsed.kind === 'refused') throw new UsageError(parsed.reason)
    return parsed.domain
  })
  return [...new Set(domains)]
}

async function runOnce(
  domains: readonly string[],
  options: WatchOptions,
  context: CommandContext,
): Promise<WatchOutcome[]> {
  const path = options.state ?? defaultStatePath(context.env)
  const previous = await readStates(path)
  const source = await openReportSource(options, context)
  const found: Record<string, DomainState> = {}
  const outcomes: WatchOutcome[] = []
  try {
    const lookups = mapInOrder(domains, DOMAINS_AT_ONCE, async (domain) => ({
      domain,
      lookedUp: await lookUp(source, domain, previous, options),
    }))
    for await (const { domain, lookedUp } of lookups) {
      const { outcome, state } = judge(domain, lookedUp, previous[domain], options, context)
      if (state) found[domain] = state
      outcomes.push(outcome)
    }
  } finally {
    source.close()
  }
  // Another run with other domains may have written meanwhile.
  if (Object.keys(found).length > 0)
    await writeStates(path, { ...(await readStates(path)), ...found })
  return outcomes
}

function lookUp(
  source: ReportSource,
  domain: string,
  previous: States,
  { selector: selectors = [] }: WatchOptions,
): Promise<LookedUp> {
  // The name is parsed already, so a leading www. must not be removed now.
  const options = { selectors, exact: true }
  return lookUpFacts(source, domain, previous[domain]?.facts ?? null, options)
}

interface Judged {
  readonly outcome: WatchOutcome
  /** What to store; null if nothing is known. */
  readonly state: DomainState | null
}

function judge(
  domain: string,
  lookedUp: LookedUp,
  previous: DomainState | undefined,
  { failOn }: WatchOptions,
  { now }: CommandContext,
): Judged {
  switch (lookedUp.kind) {
    case 'facts':
      return judgeFacts(domain, lookedUp, previous, failOn)
    case 'unknown-domain':
      return judgeMissing(domain, previous, now().toISOString())
    default: {
      const { detail } = lookedUp
      const code = errorCode(lookedUp)
      return { outcome: { kind: 'not-looked-up', domain, code, detail }, state: null }
    }
  }
}

function judgeFacts(
  domain: string,
  { facts, checkedAt, unknownParts }: Extract<LookedUp, { kind: 'facts' }>,
  previous: DomainState | undefined,
  failOn: FailOn,
): Judged {
  if (!previous) {
    const outcome = { kind: 'first', domain, checkedAt, verdict: facts.verdict.label } as const
    return { outcome, state: { checkedAt, exists: true, facts } }
  }
  const old = previous.facts
  const unknown = [...new Set([...(old?.unknown ?? []), ...facts.unknown])]
  const kept = old ? keepUnknown(old, facts) : facts
  const changes = old ? compareFacts(old, kept, { failOn, skipped: unknown }) : []
  return {
    outcome: {
      kind: 'compared',
      domain,
      checkedAt,
      previouslyCheckedAt: previous.checkedAt,
      verdict: kept.verdict.label,
      changes: previous.exists ? changes : [EXISTS_AGAIN, ...changes],
      unknown: [...unknown, ...unknownParts],
    },
    state: { checkedAt, exists: true, facts: kept },
  }
}

function judgeMissing(
  domain: string,
  previous: DomainState | undefined,
  checkedAt: string,
): Judged {
  const state = { checkedAt, exists: false, facts: previous?.facts ?? null }
  if (!previous) return { outcome: { kind: 'first', domain, checkedAt, verdict: null }, state }
  return {
    outcome: {
      kind: 'compared',
      domain,
      checkedAt,
      previouslyCheckedAt: previous.checkedAt,
      verdict: null,
      changes: previous.exists ? [VANISHED] : [],
      unknown: [],
    },
    state,
  }
}

const EXISTS = 'exists'
const DOES_NOT_EXIST = 'does not exist'
const EXISTS_AGAIN = {
  direction: 'better',
  class: 'other',
  subject: 'Domain',
  before: DOES_NOT_EXIST,
  after: EXISTS,
  streams: [],
} as const
const VANISHED = {
  direction: 'worse',
  class: 'weaker',
  subject: 'Domain',
  before: EXISTS,
  after: DOES_NOT_EXIST,
  streams: [],
} as const

function print(
  outcomes: readonly WatchOutcome[],
  { format }: WatchOptions,
  { stdout, stderr, env }: CommandContext,
): void {
  if (format === 'json') {
    const values = outcomes.map(outcomeJson)
    const document = values.length === 1 ? values[0] : values
    stdout.write(`${stringifySafely(document, 2)}\n`)
    return
  }
  for (const outcome of outcomes) {
    if (format === 'ndjson') stdout.write(`${stringifySafely(outcomeJson(outcome))}\n`)
    else {
      const stream = outcome.kind === 'not-looked-up' ? stderr : stdout
      stream.write(outcomeText(outcome, createLayout(stream, env)))
    }
  }
}

function exitCode(outcomes: readonly WatchOutcome[]): ExitCode {
  const failures = outcomes.flatMap((it) => (it.kind === 'not-looked-up' ? it.code : []))
  return worstExitCode([
    exitCodeOfChanges(outcomes),
    ...failures.map((code) => (code === 'invalid_input' ? EXIT.usage : EXIT.unavailable)),
  ])
}

function exitCodeOfChanges(outcomes: readonly WatchOutcome[]): ExitCode {
  if (outcomes.some(hasControlChange)) return EXIT.control
  return outcomes.some(isWorse) ? EXIT.findings : EXIT.fine
}

async function waitUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {})
}
