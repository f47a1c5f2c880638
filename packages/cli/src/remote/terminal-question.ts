/** Asks the person at the terminal. */
import type { CommandContext } from '../command-line/command.js'

export interface TerminalQuestions {
  /** False if no person can see the question or answer it. */
  readonly isPossible: boolean
  /** Null if there is no answer, because the input ended or the user pressed Ctrl-C. */
  ask(question: string): Promise<string | null>
  /** Stops reading the input, so the process can exit. */
  close(): void
}

export function createTerminalQuestions(context: CommandContext): TerminalQuestions {
  const { stdin, stderr, signal } = context
  let chunks: AsyncIterator<Uint8Array> | null = null
  let typed = ''

  async function readLine(): Promise<string | null> {
    chunks ??= stdin[Symbol.asyncIterator]()
    for (;;) {
      const end = typed.indexOf('\n')
      if (end >= 0) {
        const line = typed.slice(0, end)
        typed = typed.slice(end + 1)
        return line
      }
      const chunk = await chunks.next()
      if (chunk.done) return null
      typed += Buffer.from(chunk.value).toString()
    }
  }

  return {
    isPossible: stdin.isTTY === true && stderr.isTTY === true,
    async ask(question) {
      if (signal.aborted) return null
      stderr.write(question)
      const aborted = waitForAbort(signal)
      const line = await Promise.race([readLine().catch(() => null), aborted.promise])
      aborted.stopWaiting()
      if (line === null) stderr.write('\n')
      return line
    },
    close() {
      if (chunks) stdin.destroy?.()
    },
  }
}

function waitForAbort(signal: AbortSignal) {
  let onAbort = () => {}
  const promise = new Promise<null>((resolve) => {
    onAbort = () => resolve(null)
    signal.addEventListener('abort', onAbort)
  })
  return { promise, stopWaiting: () => signal.removeEventListener('abort', onAbort) }
}
