/** What a command needs from its process, for tests of parts of it. */
import { createZoneDns } from '@mailgrade/doh/zone'
import type { CommandContext } from '../../src/command-line/command.js'

export interface TestContextOptions {
  readonly env?: CommandContext['env']
  readonly signal?: AbortSignal
  readonly zone?: string
  /** The lines that a person types at a terminal; without it there is no terminal. */
  readonly typed?: readonly string[] | AsyncIterable<Uint8Array>
}

export interface TestContext extends CommandContext {
  output(): string
  errors(): string
}

export function createTestContext({
  env = {},
  signal = new AbortController().signal,
  zone = '',
  typed,
}: TestContextOptions = {}): TestContext {
  const dns = createZoneDns('zone', zone)
  const isTTY = typed !== undefined
  const columns = isTTY ? 80 : undefined
  const stdout = createOutput(columns)
  const stderr = createOutput(columns)
  const lines = Array.isArray(typed) ? typeLines(typed) : typed
  return {
    stdout,
    stderr,
    stdin: Object.assign((lines ?? typeLines([])) as AsyncIterable<Uint8Array>, { isTTY }),
    env,
    signal,
    stopOnSigterm() {},
    now: () => new Date('2026-11-17T12:00:00Z'),
    openDns: () => ({ ...dns, close() {} }),
    output: stdout.text,
    errors: stderr.text,
  }
}

async function* typeLines(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(`${line}\n`)
}

/** Keeps what is written, as on a terminal of this width; without it, as in a pipe. */
export function createOutput(columns?: number) {
  const parts: string[] = []
  return {
    write: (text: string) => parts.push(text) > 0,
    once() {},
    text: () => parts.join(''),
    ...(columns && { isTTY: true, columns }),
  }
}
