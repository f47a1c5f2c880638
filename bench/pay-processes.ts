/** The processes beside the one that measures: chains, and those who are compared. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface PaymentServer {
  readonly port: number
  /** The CPU time it has taken so far, in milliseconds. */
  cpuMs(): Promise<number>
}

export interface ChainProcess {
  readonly url: string
  /** How often it was called, and what the payee has. */
  totals(): Promise<{ calls: number; paid: number }>
}

export interface PaymentProcesses {
  startServer(env: Record<string, string>): Promise<PaymentServer>
  startChain(): Promise<ChainProcess>
  stop(): void
}

export function openPaymentProcesses(): PaymentProcesses {
  const children: ChildProcess[] = []

  async function start<Hello>(file: string, env: Record<string, string>) {
    const child = spawnFile(file, env)
    children.push(child)
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${file} ended with ${code}`)
    })
    const [hello] = await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
    return { child, hello: hello as Hello }
  }

  return {
    async startServer(env) {
      const { child, hello: port } = await start<number>('./payment-server.js', env)
      return {
        port,
        async cpuMs() {
          const { user, system } = await ask<NodeJS.CpuUsage>(child)
          return (user + system) / 1_000
        },
      }
    },
    async startChain() {
      const { child, hello: url } = await start<string>('./chain-process.js', {})
      return { url, totals: () => ask(child) }
    },
    stop() {
      for (const child of children) if (child.connected) child.disconnect()
    },
  }
}

async function ask<Answer>(child: ChildProcess): Promise<Answer> {
  child.send('tell')
  const [answer] = await once(child, 'message')
  return answer
}

/** Whoever profiles the benchmark means these; any other option, such as `-e`, is not for them. */
const PROFILING = process.execArgv.filter((option) => option.startsWith('--cpu-prof'))

/** Their logs are written, and read by nobody. */
function spawnFile(file: string, env: Record<string, string>): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return spawn(process.execPath, [...PROFILING, path], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}
