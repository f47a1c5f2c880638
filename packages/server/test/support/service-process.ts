/** The built service as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ServiceProcess {
  readonly url: string
  readonly process: ChildProcess
  /** The output so far. */
  readonly output: { stdout: string; stderr: string }
  /** Resolves when a log line with this message is written. */
  logged(message: string): Promise<Record<string, unknown>>
  exitCode(): Promise<number | null>
}

/** A live service reads the chain, so without one it must fail here and not on the internet. */
const LOOPBACK = { PORT: '0', HOST: '127.0.0.1', RPC_URL: 'http://127.0.0.1:9' }
/** A busy machine may take longer than the default for the answers of a report. */
const PATIENT = { DNS_TIMEOUT_MS: '60000' }

/** Starts the built service; resolves when it listens or has exited. */
export async function startServiceProcess(
  env: Record<string, string> = {},
  [command, ...args]: [string, ...string[]] = [process.execPath, 'packages/server/dist/main.js'],
): Promise<ServiceProcess> {
  const { PATH = '', HOME = '' } = process.env
  const dataDir = mkdtempSync(join(tmpdir(), 'mailgrade-data-'))
  // The command may run as another user.
  chmodSync(dataDir, 0o777)
  const child = spawn(command, args, {
    env: { PATH, HOME, ...LOOPBACK, ...PATIENT, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const lines: Record<string, unknown>[] = []
  const exited = once(child, 'exit')
  void exited.then(() => rmSync(dataDir, { recursive: true, force: true }))
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk
  })
  const logLines = createInterface(child.stdout)
  logLines.on('line', (line) => {
    output.stdout += `${line}\n`
    lines.push(JSON.parse(line))
  })

  const logged = async (message: string) => {
    for (;;) {
      const line = lines.find((candidate) => candidate.msg === message)
      if (line) return line
      await once(logLines, 'line')
    }
  }
  const listening = await Promise.race([logged('listening'), exited.then(() => null)])
  return {
    url: `http://127.0.0.1:${listening?.port}`,
    process: child,
    output,
    logged,
    exitCode: async () => (await exited)[0],
  }
}
