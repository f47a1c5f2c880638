/** Independent SPF evaluators from Debian; each is a process that reads cases and writes results. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { FailureReason } from '@mailgrade/doh/dns'
import { z } from 'zod'
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

/** The result for one sender: one of RFC 7208 §2.6, or `crash`. */
const evaluatorResultSchema = z.object({ result: z.string(), detail: z.string() })

export type EvaluatorResult = z.infer<typeof evaluatorResultSchema>

/** `matched`: a term matched the sender, so the rest of the record was not read. */
const pyspfResultSchema = evaluatorResultSchema.extend({
  matched: z.boolean(),
  lookups: z.int(),
  voidLookups: z.int(),
})

export type PyspfResult = z.infer<typeof pyspfResultSchema>

/** One message for check_host(); its domain is the sender's. */
export interface TestMessage {
  readonly ip: string
  readonly sender: string
  readonly helo: string
}

interface MessageCase {
  readonly zone: ZoneData
  /** Queries that fail, such as `MX acme.test`. */
  readonly failing: readonly string[]
  readonly messages: readonly TestMessage[]
  /**
   * Names of corrections that make the evaluator follow the RFC. There is a result for every message
   * with the first set, then for every message with the second, and so on.
   */
  readonly correctionSets: readonly (readonly string[])[]
}

const pyspfMessageSchema = evaluatorResultSchema.extend({
  explanation: z.string().nullable(),
  lookups: z.int(),
  voidLookups: z.int(),
})

export type MessageResult = EvaluatorResult & Partial<z.infer<typeof pyspfMessageSchema>>

const DIRECTORY = import.meta.dirname
/** Debian's own interpreters, which have the modules, whatever is in the PATH. */
const PYTHON = '/usr/bin/python3'
const PERL = '/usr/bin/perl'
const PACKAGES = 'apt-get install python3-spf python3-yaml libmail-spf-perl'

export function runPyspf(cases: readonly EvaluatorCase[]): Promise<PyspfResult[][]> {
  return evaluate(PYTHON, ['pyspf.py', 'records'], cases, z.array(pyspfResultSchema))
}

export function runMailSpf(cases: readonly EvaluatorCase[]): Promise<EvaluatorResult[][]> {
  return evaluate(PERL, ['mail-spf.pl', 'records'], cases, z.array(evaluatorResultSchema))
}

export type RunMessages = (cases: readonly MessageCase[]) => Promise<MessageResult[][]>

export const runPyspfOnMessages: RunMessages = (cases) =>
  evaluate(PYTHON, ['pyspf.py', 'messages'], cases, z.array(pyspfMessageSchema))

export const runMailSpfOnMessages: RunMessages = (cases) => {
  // Without corrections, the installed module runs unchanged.
  const isCorrected = cases.some(({ correctionSets }) => correctionSets.flat().length > 0)
  const mode = isCorrected ? 'corrected-messages' : 'messages'
  return evaluate(PERL, ['mail-spf.pl', mode], cases, z.array(evaluatorResultSchema))
}

/** One message of the RFC 7208 test suite. */
const openspfCaseSchema = z.object({
  name: z.string(),
  helo: z.string(),
  ip: z.string(),
  mailFrom: z.string(),
  /** More than one where the RFC leaves a choice; the preferred one first. */
  results: z.array(z.string()),
  /** What the domain says to the sender of a failed message; null for nothing. */
  explanation: z.string().nullable(),
  checksExplanation: z.boolean(),
  zone: z.custom<ZoneData>((value) => typeof value === 'object'),
  /** By owner, the types whose lookup times out. */
  timeouts: z.record(z.string(), z.array(z.string())),
})

export type OpenspfCase = z.infer<typeof openspfCaseSchema>

/** The queries of a case that fail, for `zoneDns`. */
export function failingQueries({ timeouts }: OpenspfCase): Record<string, FailureReason> {
  return Object.fromEntries(
    Object.entries(timeouts).flatMap(([owner, types]) =>
      types.map((type) => [`${type} ${owner}`, 'timeout' as const]),
    ),
  )
}

export function readOpenspfSuite(): Promise<OpenspfCase[]> {
  return runLines(PYTHON, ['pyspf.py', 'suite'], '', openspfCaseSchema)
}

async function evaluate<T>(
  program: string,
  args: readonly string[],
  cases: readonly (EvaluatorCase | MessageCase)[],
  schema: z.ZodType<T>,
): Promise<T[]> {
  const input = cases.map((each) => `${JSON.stringify(each)}\n`).join('')
  const results = await runLines(program, args, input, schema)
  if (results.length !== cases.length) {
    throw new Error(`${args[0]} returned ${results.length} results for ${cases.length} cases`)
  }
  return results
}

async function runLines<T>(
  program: string,
  args: readonly string[],
  input: string,
  schema: z.ZodType<T>,
): Promise<T[]> {
  const child = spawn(program, args, { cwd: DIRECTORY, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? null : `exited with code ${code}`))
  })
  // A missing or crashed program does not read its input; `ended` has the reason.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [output, errors, problem] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ])
  if (problem !== null) {
    throw new Error(`${join(DIRECTORY, args[0] ?? '')}: ${problem}\n${errors}\n(${PACKAGES})`)
  }
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => schema.parse(JSON.parse(line)))
}
