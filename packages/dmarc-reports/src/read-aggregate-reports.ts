/** Reads any number of aggregate reports and judges each domain in them. */
import { type AggregateRecord, isBeforeDmarc } from './aggregate-report.js'
import type { ByteStream } from './byte-stream.js'
import {
  type CollectedAggregateReport,
  type CopyRegistry,
  createCopyRegistry,
  createRecordCollector,
  type Registration,
} from './collect-aggregate-report.js'
import { createDomainCollector } from './collect-domains.js'
import { type ParsedAggregateReport, parseAggregateReports } from './parse-aggregate-report.js'
import { type Problem, type ProblemKind, problem } from './problem.js'
import { type DomainSummary, summarizeDomain } from './summarize-domain.js'
import { unpack, type XmlDocument } from './unpack.js'

interface AggregateFile {
  readonly kind: 'file'
  readonly name: string
  /** Named by the user, so it has to be a report; other files in a folder are skipped silently. */
  readonly isGiven: boolean
  /** Standard input can be read only once. */
  readonly canReopen: boolean
  open(): ByteStream
}

export type FoundFile = AggregateFile | { readonly kind: 'problem'; readonly problem: Problem }

/** Called again if the files have to be read a second time. */
type FindFiles = () => Iterable<FoundFile> | AsyncIterable<FoundFile>

export interface AggregateSummary {
  /** Files that were opened. */
  readonly files: number
  readonly reports: {
    readonly counted: number
    /** Copies of reports that were counted already. */
    readonly copies: number
    /** Files, entries or attachments that are not a readable report. */
    readonly failed: number
    /** Files in a folder that are something else. */
    readonly skippedFiles: number
  }
  /** The first 1,000. */
  readonly problems: readonly Problem[]
  readonly problemCount: number
  /** Most messages first. */
  readonly domains: readonly DomainSummary[]
}

export interface ReadProgress {
  readonly files: number
  readonly reports: number
  /** The file that is being read; the name may come from others. */
  readonly file: string
}

export interface ReadOptions {
  readonly onProgress?: (progress: ReadProgress) => void
  /** Abort to stop; what was read until then is returned. */
  readonly signal?: AbortSignal
  /** The time that the age of the reports is counted from. Default: now. */
  readonly now?: Date
  /** Names of unknown sources that are the owner's. */
  readonly mine?: readonly string[]
  /** Names or ids of sources that are not the owner's; `unknown` for all unknown ones. */
  readonly notMine?: readonly string[]
}

type ReadAggregateReport = Extract<ParsedAggregateReport, { kind: 'report' }>

const MAX_PROBLEMS = 1_000

/** In one document; 100 MB have room for millions of reports with nothing in them. */
const MAX_FAILED = 100

export async function readAggregateReports(
  findFiles: FindFiles,
  options: ReadOptions = {},
): Promise<AggregateSummary> {
  const first = createCopyRegistry()
  const run = await readAll(findFiles, options, first)
  const canRepeat = first.larger.size > 0 && run.canReopen && !options.signal?.aborted
  // Totals do not keep single reports, so replacing one means reading all of them again.
  if (!canRepeat) return run.result()
  return (await readAll(findFiles, options, createCopyRegistry(first.larger))).result()
}

async function readAll(findFiles: FindFiles, options: ReadOptions, registry: CopyRegistry) {
  const collector = createDomainCollector()
  const problems: Problem[] = []
  const reports = { counted: 0, copies: 0, failed: 0, skippedFiles: 0 }
  let files = 0
  let problemCount = 0
  let canReopen = true

  function note(found: Problem): void {
    problemCount += 1
    if (found.severity === 'error') reports.failed += 1
    if (problems.length < MAX_PROBLEMS) problems.push(found)
  }

  async function readDocument(document: XmlDocument): Promise<void> {
    const { name } = document
    let isFirst = true
    let failed = 0
    for await (const { parsed, collected } of parseDocument(document)) {
      if (options.signal?.aborted) return note(problem('aborted', name))
      if (failed === MAX_FAILED) return note(problem('unreadable-rest', name))
      if (parsed.kind === 'report') countReport(name, parsed, collected)
      else {
        note(problem(problemKind(parsed, document, isFirst), name))
        failed += 1
      }
      isFirst = false
    }
  }

  function countReport(
    name: string,
    parsed: ReadAggregateReport,
    collected: CollectedAggregateReport,
  ): void {
    const registration = registry.register(parsed.metadata, collected)
    if (registration === 'copy') reports.copies += 1
    else if (registration !== 'new') note(problem(conflictKind(registration, canReopen), name))
    else if (collector.add(parsed.metadata, collected)) {
      reports.counted += 1
      for (const found of defectsOf(name, parsed)) note(found)
    } else note(problem('too-many-domains', name))
  }

  async function readFile(file: AggregateFile): Promise<void> {
    canReopen &&= file.canReopen
    for await (const item of unpack(file.name, untilAborted(file.open(), options.signal))) {
      if (options.signal?.aborted) return note(problem('aborted', file.name))
      if (item.kind === 'problem') note(item.problem)
      else if (item.kind === 'xml') await readDocument(item)
      else if (file.isGiven) note(problem('not-a-report', item.name))
      else reports.skippedFiles += 1
    }
  }

  for await (const file of findFiles()) {
    if (options.signal?.aborted) break
    if (file.kind === 'problem') {
      note(file.problem)
      continue
    }
    files += 1
    options.onProgress?.({ files, reports: reports.counted, file: file.name })
    await readFile(file).catch(() => note(problem('unreadable', file.name)))
  }

  const summaryOptions = {
    now: options.now ?? new Date(),
    mine: options.mine ?? [],
    notMine: options.notMine ?? [],
    domains: [...collector.domains.keys()],
  }
  const result = (): AggregateSummary => ({
    files,
    reports,
    problems,
    problemCount,
    domains: [...collector.domains.values()]
      .map((totals) => summarizeDomain(totals, summaryOptions))
      .sort((one, other) => other.messages - one.messages),
  })
  return { result, canReopen }
}

function conflictKind(registration: Registration, canReopen: boolean): ProblemKind {
  const isUncounted = registration === 'larger' && !canReopen
  return isUncounted ? 'conflicting-copy-later' : 'conflicting-copy'
}

function defectsOf(
  name: string,
  { isDamaged, skippedRecords, metadata }: ReadAggregateReport,
): Problem[] {
  const repaired = isDamaged ? [problem('repaired', name)] : []
  const skipped =
    skippedRecords > 0 ? [problem('skipped-records', name, `${skippedRecords} skipped`)] : []
  const early = isBeforeDmarc(metadata) ? [problem('early-period', name)] : []
  return [...repaired, ...skipped, ...early]
}

async function* untilAborted(
  source: ByteStream,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    if (signal?.aborted) return
    yield chunk
  }
}

interface CollectedDocument {
  readonly parsed: ParsedAggregateReport
  readonly collected: CollectedAggregateReport
}

/** A damaged archive is read again, in the way that returns what it still holds. */
async function* parseDocument(document: XmlDocument): AsyncGenerator<CollectedDocument> {
  const { recover, maxBytes } = document
  let isFirst = true
  for await (const strict of parseInto(document.stream, maxBytes)) {
    if (isFirst && recover && isDamaged(strict.parsed)) {
      yield* recoverInto(recover(), maxBytes)
      return
    }
    yield strict
    isFirst = false
  }
}

async function* recoverInto(
  stream: ByteStream,
  maxBytes: number,
): AsyncGenerator<CollectedDocument> {
  for await (const recovered of parseInto(stream, maxBytes)) {
    const { parsed } = recovered
    if (parsed.kind === 'report') {
      yield { ...recovered, parsed: { ...parsed, isDamaged: true } }
    } else {
      const isCut = parsed.reason === 'broken-xml' || parsed.reason === 'empty'
      yield { ...recovered, parsed: { ...parsed, reason: isCut ? 'damaged' : parsed.reason } }
    }
  }
}

async function* parseInto(stream: ByteStream, maxBytes: number): AsyncGenerator<CollectedDocument> {
  let collector = createRecordCollector()
  const addRecord = (record: AggregateRecord) => collector.add(record)
  for await (const parsed of parseAggregateReports(stream, addRecord, maxBytes)) {
    yield { parsed, collected: collector.finish() }
    collector = createRecordCollector()
  }
}

function isDamaged(parsed: ParsedAggregateReport): boolean {
  return parsed.kind === 'report' ? parsed.isDamaged : parsed.reason === 'damaged'
}

type ParseError = Extract<ParsedAggregateReport, { kind: 'error' }>

/** After these, the reports that follow in the same file are still read. */
const WELL_FORMED: readonly ProblemKind[] = ['incomplete', 'bad-period']

function problemKind(
  { reason }: ParseError,
  { overLimit }: XmlDocument,
  isFirst: boolean,
): ProblemKind {
  if (!isFirst && !WELL_FORMED.includes(reason)) return 'unreadable-rest'
  return reason === 'too-large' ? overLimit : reason
}
