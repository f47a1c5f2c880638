#!/usr/bin/env node
/** The program `mailgrade`: what a command needs from the process. */
import { EXIT, type ExitCode } from './command-line/command.js'
import { VERSION } from './version.js'

const interrupted = new AbortController()

process.on('SIGINT', () => {
  // A second Ctrl-C does not wait for anything.
  if (interrupted.signal.aborted) process.exit(130)
  interrupted.abort()
})

// The reader of a pipe may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.fine)
  process.stderr.write(`We couldn’t write the output: ${error.message}.\n`)
  process.exit(EXIT.usage)
})

// Without a reader of the messages, the exit code still says what was found.
process.stderr.on('error', () => {})

// Node would exit with 1, which means findings here.
process.on('uncaughtException', ({ stack }) => {
  process.stderr.write(`Mailgrade crashed, so there’s no result. Please report this:\n${stack}\n`)
  process.exit(EXIT.failed)
})

process.exitCode = await run(process.argv.slice(2))

async function run(commandLine: readonly string[]): Promise<ExitCode> {
  // Scripts ask for it often, and it needs nothing of the program.
  if (['--version', '-V'].includes(commandLine.join(' '))) {
    process.stdout.write(`${VERSION}\n`)
    return EXIT.fine
  }
  const { createDoh, loadProgram } = await import('./mailgrade.js')
  const { runProgram } = await loadProgram()
  return runProgram(commandLine, {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    signal: interrupted.signal,
    stopOnSigterm: () => void process.once('SIGTERM', () => interrupted.abort()),
    now: () => new Date(),
    openDns: createDoh,
  })
}
