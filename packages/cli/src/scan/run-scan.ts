/** `mailgrade scan`: checks each domain of a list once, and writes each result as soon as it is ready. */
import { setMaxListeners } from 'node:events'
import { createReadStream, writeFileSync } from 'node:fs'
import { addAbortSignal, Readable } from 'node:stream'
import { type NameOptions, parseDomainInput } from '@mailgrade/core'
import { type CommandContext, EXIT, type ExitCode, STDIN } from '../command-line/command.js'
import { readAllowPrivateNames } from '../command-line/report-source.js'
import type { FailOn } from '../command-line/shared-options.js'
import { checkDomain, type DomainCheckOptions } from '../library.js'
import { createLayout } from '../terminal/layout.js'
import { createScanDns, type ScanDns } from './scan-dns.js'
import { checkFilesDiffer, isPipe, lockOutput } from './scan-files.js'
import { scanHtml } from './scan-html.js'
import { createKeySet, readEntries, surveyInput } from './scan-input.js'
import { createThroughput, type ProgressState, showProgress } from './scan-progress.js'
import { openResolvers } from './scan-resolvers.js'
import { type ScanOutcome, toScanRow } from './scan-row.js'
import { createScanSummary, formatCount, type ScanSummary, summaryTable } from './scan-summary.js'
import { openTarget, type ScanTarget, type TargetOptions } from './scan-target.js'

export interface ScanOptions extends TargetOptions {
  readonly isCsv: boolean
  readonly column?: string | undefined
  readonly html?: string | undefined
  readonly concurrency: number
  /** DNS queries per second for each resolver. */
  readonly rate?: number | undefined
  /** Seconds. */
  readonly timeout: number
  readonly resolver?: readonly URL[] | undefined
  readonly failOn: FailOn
}

export async function runScan(
  path: string,
  given: ScanOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const options = { ...given, allowPrivateNames: readAllowPrivateNames(context.env) }
  checkFilesDiffer(path, options)
  const written = options.out ?? options.outDir
  const lock = written === undefined ? null : await lockOutput(written)
  try {
    return await scanList(path, options, context)
  } finally {
    lock?.release()
  }
}

async function scanList(
  path: string,
  options: ScanOptions & NameOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const survey = isPipe(path) ? null : await surveyInput(path, options)
  const summary = createScanSummary(options.failOn)
  const keys = createKeySet()
  const target = openTarget(options, survey, context.stdout, (row) => {
    if (keys.add(toEntry(row.domain, options).key)) summary.add(row)
  })
  const doneBefore = summary.domains

  const reading = new AbortController()
  const opened = openResolvers(options.resolver, options.rate, context.openDns)
  const dns = createScanDns({
    resolvers: opened.resolvers,
    timeoutMs: options.timeout * 1_000,
    onGiveUp: () => reading.abort(),
  })
  const onInterrupt = () => {
    reading.abort()
    dns.close()
  }
  // Every domain in flight listens to it, so Node must not warn about a leak.
  setMaxListeners(0, context.signal)
  context.signal.addEventListener('abort', onInterrupt)
  if (context.signal.aborted) onInterrupt()

  const scan = { dns, target, summary, keys, options, interrupted: context.signal, done: 0 }
  const bytes = openBytes(path, context, reading.signal)
  const progress = startProgress(scan, survey?.entries ?? null, context)
  try {
    await scanEntries(scan, readEntries(bytes, options), reading)
  } finally {
    progress.end()
    context.signal.removeEventListener('abort', onInterrupt)
    dns.close()
    opened.close()
    target.output.close()
  }
  if (options.html) writeFileSync(options.html, scanHtml(summary, context.now()))
  context.stderr.write(summaryTable(summary, createLayout(context.stderr, context.env)))
  if (reading.signal.aborted) {
    target.journal?.close()
    context.stderr.write(describeStop(scan, doneBefore))
    return EXIT.unavailable
  }
  target.journal?.remove()
  return summary.exitCode()
}

interface Scan {
  readonly dns: ScanDns
  readonly target: ScanTarget
  readonly summary: ScanSummary
  readonly keys: ReturnType<typeof createKeySet>
  readonly options: ScanOptions & NameOptions
  /** Aborted when the user presses Ctrl-C. */
  readonly interrupted: AbortSignal
  /** Entries of the input, with duplicates. */
  done: number
}

/** Several domains at a time. The first error that is not about a domain ends the scan. */
async function scanEntries(
  scan: Scan,
  entries: AsyncIterable<string>,
  reading: AbortController,
): Promise<void> {
  const work = async () => {
    try {
      for await (const text of entries) {
        await scanEntry(scan, text, reading.signal)
        if (reading.signal.aborted) return
      }
    } catch (error) {
      // To stop reading, the input is ended with an error.
      if (reading.signal.aborted) return
      reading.abort()
      throw error
    }
  }
  await Promise.all(Array.from({ length: scan.options.concurrency }, work))
}

async function scanEntry(scan: Scan, text: string, reading: AbortSignal): Promise<void> {
  const { dns, target, summary, keys, options, interrupted } = scan
  const { key, domain } = toEntry(text, options)
  if (keys.add(key)) {
    if (domain !== null) await dns.ready()
    if (reading.aborted) return
    const outcome = await checkEntry(text, domain, scan)
    // Nothing is known about it: its queries were aborted.
    if (interrupted.aborted) return
    const row = toScanRow(outcome)
    const drained = target.output.write({ outcome, row, domain })
    // Before anything else is written, so the length belongs to this domain.
    target.journal?.append(target.output.length(), row)
    summary.add(row)
    await drained
  }
  scan.done++
}

/** A query waits for the rate as long as it takes, and each of them ends; see `createScanDns`. */
const NO_DEADLINE_MS = 2 ** 31 - 1

async function checkEntry(
  text: string,
  domain: string | null,
  { dns, options: { exact, selectors, allowPrivateNames }, interrupted }: Scan,
): Promise<ScanOutcome> {
  const known: DomainCheckOptions = { exact, selectors, allowPrivateNames }
  const over = { dns, signal: interrupted, timeoutMs: NO_DEADLINE_MS }
  return { subject: domain ?? text, result: await checkDomain(text, { ...known, ...over }) }
}

interface Entry {
  /** The same for entries that are checked alike. */
  readonly key: string
  /** Null if it is not a domain. */
  readonly domain: string | null
}

function toEntry(
  text: string,
  { exact, allowPrivateNames }: Pick<ScanOptions, 'exact'> & NameOptions,
): Entry {
  const parsed = parseDomainInput(text, { exact, allowPrivateNames })
  if (parsed.kind === 'refused') return { key: ` ${text}`, domain: null }
  return { key: parsed.domain, domain: parsed.domain }
}

function openBytes(
  path: string,
  { stdin }: CommandContext,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  if (path !== STDIN) return createReadStream(path, { signal })
  return stdin instanceof Readable ? addAbortSignal(signal, stdin) : stdin
}

/** Where the results themselves appear on the terminal, they show the progress. */
function startProgress(scan: Scan, total: number | null, context: CommandContext) {
  if (scan.target.isStdout && context.stdout.isTTY) return { end() {} }
  const throughput = createThroughput(() => performance.now())
  const read = (): ProgressState => ({
    done: scan.done,
    total,
    perSecond: throughput.measure(scan.done),
    verdicts: scan.summary.verdicts(),
    slowedTo: scan.dns.isSlowed() ? scan.dns.perSecond() : null,
  })
  return showProgress(context, read)
}

function describeStop({ interrupted, summary, target, options }: Scan, doneBefore: number): string {
  const domains = summary.domains - doneBefore
  const count = domains === 1 ? '1 domain' : `${formatCount(domains)} domains`
  const reason = interrupted.aborted
    ? `The scan was interrupted after ${count}.`
    : `The scan stopped after ${count}, because no resolver answered for ${options.timeout} seconds.`
  const next = target.journal
    ? 'To continue, run the same command with --resume.'
    : 'You can’t resume it, because --resume needs an input file and either --out or --out-dir.'
  return `${reason} ${next}\n`
}
