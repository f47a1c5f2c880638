/** Runs the program in this process, over DNS from zone text. */
import { createZoneDns } from '@mailgrade/doh/zone'
import type { CommandContext, ExitCode } from '../../src/command-line/command.js'
import { runProgram } from '../../src/command-line/program.js'
import { createOutput } from './test-context.js'

export interface RunOptions extends Partial<Omit<CommandContext, 'stdout' | 'stderr' | 'stdin'>> {
  readonly zone?: string
  readonly stdin?: string
  /** As on a terminal of this width; without it the output goes to a pipe. */
  readonly terminal?: number
}

export interface RunResult {
  readonly exitCode: ExitCode
  readonly stdout: string
  readonly stderr: string
}

export async function runMailgrade(
  commandLine: readonly string[],
  { zone = '', stdin = '', terminal, ...context }: RunOptions = {},
): Promise<RunResult> {
  const dns = createZoneDns('zone', zone)
  const stdout = createOutput(terminal)
  const stderr = createOutput(terminal)
  const exitCode = await runProgram(commandLine, {
    stdout,
    stderr,
    stdin: readText(stdin),
    env: {},
    signal: new AbortController().signal,
    stopOnSigterm() {},
    now: () => new Date('2026-11-17T12:00:00Z'),
    openDns: () => ({ ...dns, close() {} }),
    ...context,
  })
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
}

async function* readText(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
