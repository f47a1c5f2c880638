/** The judges: SPF evaluators of others, from Debian, each a process that reads cases and writes verdicts. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ZoneData } from './zone-data.js'

interface Sender {
  readonly ip: string
  readonly helo: string
}

export interface EvaluatorCase {
  readonly zone: ZoneData
  readonly domain: string
  readonly senders: readonly Sender[]
}

/** How mail from one sender fares. */
export interface EvaluatorResult {
  /** A result of RFC 7208 §2.6, or `crash`. */
  readonly result: string
  readonly detail: string
}

export interface PyspfResult extends EvaluatorResult {
  /** A term matched the sender, so that the rest of a record was not read. */
  readonly matched: boolean
  readonly lookups: number
  readonly voidLookups: number
}

const DIRECTORY = import.meta.dirname
/** Debian's own, for which the modules are installed, whatever else is in the PATH. */
const PYTHON = '/usr/bin/python3'
const PERL = '/usr/bin/perl'
const PACKAGES = 'apt-get install python3-spf python3-yaml libmail-spf-perl'

export function runPyspf(cases: readonly EvaluatorCase[]): Promise<PyspfResult[][]> {
  return askLines<PyspfResult[]>(PYTHON, ['pyspf.py', 'judge'], cases)
}

export function runMailSpf(cases: readonly EvaluatorCase[]): Promise<EvaluatorResult[][]> {
  return askLines<EvaluatorResult[]>(PERL, ['mail-spf.pl'], cases)
}

/** What the suite for RFC 7208 says of one message. */
export interface OpenspfCase {
  readonly name: string
  readonly helo: string
  readonly ip: string
  readonly mailFrom: string
  /** More than one where the RFC leaves a choice; the preferred one first. */
  readonly results: readonly string[]
  readonly zone: ZoneData
  /** By owner, the types whose lookup times out. */
  readonly timeouts: Readonly<Record<string, readonly string[]>>
}

export function readOpenspfSuite(): Promise<OpenspfCase[]> {
  return runLines<OpenspfCase>(PYTHON, ['pyspf.py', 'suite'], '')
}

async function askLines<T>(
  program: string,
  args: readonly string[],
  cases: readonly EvaluatorCase[],
): Promise<T[]> {
  const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('')
  const answers = await runLines<T>(program, args, input)
  if (answers.length !== cases.length) {
    throw new Error(`${args[0]} answered ${answers.length} of ${cases.length} cases`)
  }
  return answers
}

async function runLines<T>(program: string, args: readonly string[], input: string): Promise<T[]> {
  const child = spawn(program, args, { cwd: DIRECTORY, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? null : `it ended with code ${code}`))
  })
  // One that is missing, or gives up, does not read to the end; `ended` says why.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [output, complaint, problem] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ])
  if (problem !== null) {
    throw new Error(`${join(DIRECTORY, args[0] ?? '')}: ${problem}\n${complaint}\n(${PACKAGES})`)
  }
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
