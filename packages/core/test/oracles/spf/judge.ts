/** The judges: SPF evaluators of others, from Debian, each a process that reads cases and writes verdicts. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Zone } from './zone.js'

interface Sender {
  readonly ip: string
  readonly helo: string
}

export interface Case {
  readonly zone: Zone
  readonly domain: string
  readonly senders: readonly Sender[]
}

/** How mail from one sender fares. */
export interface Judgement {
  /** A result of RFC 7208 §2.6, or `crash`. */
  readonly result: string
  readonly detail: string
}

export interface PyspfJudgement extends Judgement {
  /** A term matched the sender, so that the rest of a record was not read. */
  readonly matched: boolean
  readonly lookups: number
  readonly voids: number
}

const DIRECTORY = import.meta.dirname
/** Debian's own, for which the modules are installed, whatever else is in the PATH. */
const PYTHON = '/usr/bin/python3'
const PERL = '/usr/bin/perl'
const PACKAGES = 'apt-get install python3-spf python3-yaml libmail-spf-perl'

export function askPyspf(cases: readonly Case[]): Promise<PyspfJudgement[][]> {
  return askLines<PyspfJudgement[]>(PYTHON, ['pyspf.py', 'judge'], cases)
}

export function askMailSpf(cases: readonly Case[]): Promise<Judgement[][]> {
  return askLines<Judgement[]>(PERL, ['mail-spf.pl'], cases)
}

/** What the suite for RFC 7208 says of one message. */
export interface SuiteCase {
  readonly name: string
  readonly helo: string
  readonly ip: string
  readonly mailFrom: string
  /** More than one where the RFC leaves a choice; the preferred one first. */
  readonly results: readonly string[]
  readonly zone: Zone
  /** By owner, the types whose lookup times out. */
  readonly timeouts: Readonly<Record<string, readonly string[]>>
}

export function readSuite(): Promise<SuiteCase[]> {
  return runLines<SuiteCase>(PYTHON, ['pyspf.py', 'suite'], '')
}

async function askLines<T>(
  program: string,
  args: readonly string[],
  cases: readonly Case[],
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
