/** The processes beside the one that measures: a resolver, services as they are built, a bare Hono. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestCertificate } from '@mailgrade/testing/test-certificate'

export interface MeasuredServer {
  readonly port: number
  usage(): Promise<ProcessUsage>
  stop(): Promise<void>
}

/** So far: milliseconds of CPU time; bytes. */
export interface ProcessUsage {
  readonly cpuMs: number
  readonly rss: number
  readonly heap: number
}

export interface BenchEnvironment {
  readonly dohUrl: URL
  /** The authority that vouches for the resolver. */
  readonly ca: string
  startService(env?: Record<string, string>): Promise<MeasuredServer>
  startBareHono(constants: object): Promise<MeasuredServer>
  stop(): Promise<void>
}

/** Those who are measured have a core to themselves where the machine has two. */
const MEASURED_CORE = 0
const OTHER_CORE = 1

export async function openBenchEnvironment(delayMs: number): Promise<BenchEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), 'mailgrade-bench-'))
  const children: ChildProcess[] = []
  const { ca, cert, key } = await createTestCertificate()
  for (const [name, text] of Object.entries({ ca, cert, key })) {
    await writeFile(join(folder, `${name}.pem`), text)
  }

  function start(core: number, args: readonly string[], env: Record<string, string>): ChildProcess {
    const pinned = existsSync('/usr/bin/taskset') ? ['taskset', '-c', String(core)] : []
    const [command = '', ...rest] = [...pinned, process.execPath, ...process.execArgv, ...args]
    const stdio = ['ignore', 'pipe', 'ignore', 'ipc'] as const
    // Nothing of our own environment may change what is measured.
    const child = spawn(command, rest, { env, stdio: [...stdio] })
    children.push(child)
    child.once('exit', (code) => {
      if (code) throw new Error(`${args.at(-1)} ended with ${code}`)
    })
    return child
  }

  const resolver = start(OTHER_CORE, [file('./fast-resolver.js')], {
    BENCH_FOLDER: folder,
    BENCH_DELAY_MS: String(delayMs),
  })
  const [resolverPort] = await once(resolver, 'message')
  const dohUrl = new URL(`https://localhost:${resolverPort}/dns-query`)

  return {
    dohUrl,
    ca,
    async startService(env = {}) {
      const main = file('../../main.js')
      const service = start(MEASURED_CORE, ['--import', file('./report-usage.js'), main], {
        HOST: '127.0.0.1',
        PORT: '0',
        PAY_TO_ADDRESS: `0x${'1'.repeat(40)}`,
        FACILITATOR_URL: 'http://127.0.0.1:9',
        DOH_URLS: dohUrl.href,
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        RATE_LIMIT_PER_MINUTE: '1000000',
        ...env,
      })
      return serverOf(service, await portOf(service))
    },
    async startBareHono(constants) {
      const bare = start(MEASURED_CORE, [file('./bare-hono.js')], {
        BENCH_CONSTANTS: JSON.stringify(constants),
      })
      const [port] = await once(bare, 'message')
      return serverOf(bare, port)
    },
    async stop() {
      for (const child of children) child.kill('SIGKILL')
      await rm(folder, { recursive: true })
    },
  }
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

function serverOf(child: ChildProcess, port: number): MeasuredServer {
  let asked = 0
  child.setMaxListeners(0)
  return {
    port,
    async usage() {
      const question = ++asked
      child.send(question)
      const { cpu, memory } = await answerTo(child, question)
      return {
        cpuMs: (cpu.user + cpu.system) / 1_000,
        rss: memory.rss,
        heap: memory.heapUsed,
      }
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

interface Answer {
  readonly requestId: number
  readonly cpu: NodeJS.CpuUsage
  readonly memory: NodeJS.MemoryUsage
}

/** Several may ask at once. */
async function answerTo(child: ChildProcess, question: number): Promise<Answer> {
  for (;;) {
    const [answer] = (await once(child, 'message')) as [Answer]
    if (answer.requestId === question) return answer
  }
}

/** From its log, which it must be able to go on writing. */
async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('the service has no output')
  let log = ''
  while (!log.includes('"listening"')) log += (await once(stdout, 'data'))[0]
  stdout.resume()
  return Number(/"port":(\d+)/.exec(log)?.[1])
}
