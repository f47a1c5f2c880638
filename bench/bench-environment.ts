/** Child processes of the benchmarks: resolver, built services, bare Hono, payment servers, chains. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestCertificate } from '@mailgrade/testing/server-directory'
import type { ReportCost, ReportKind } from './report-worker.js'
import type { ScanContestant, ScanResult } from './scan-worker.js'

export interface MeasuredServer {
  readonly port: number
  usage(): Promise<ProcessUsage>
  stop(): Promise<void>
}

/** CPU time in milliseconds since the start; memory in bytes. */
export interface ProcessUsage {
  readonly cpuMs: number
  readonly rss: number
  readonly heapUsed: number
}

export interface ChainProcess {
  readonly url: string
  /** JSON-RPC calls so far, and the balance of the payee. */
  totals(): Promise<{ readonly calls: number; readonly paid: number }>
}

export interface BenchEnvironment {
  readonly dohUrl: URL
  /** The certificate authority of the resolver. */
  readonly ca: string
  readonly caFile: string
  /** Starts the built service; `main` is another build's entry file. */
  startService(env?: Record<string, string>, main?: string): Promise<MeasuredServer>
  startBareHono(responses: object): Promise<MeasuredServer>
  startReportWorker(nodeOptions?: readonly string[]): Promise<ReportWorker>
  /** Checks every domain with one contestant, in a new process. */
  runScanContestant(name: ScanContestant, copies: number, inFlight: number): Promise<ScanResult>
  stop(): Promise<void>
}

/** Makes reports without a server around them. */
export interface ReportWorker {
  measure(kind: ReportKind, domain: string): Promise<ReportCost>
}

export interface PaymentProcesses {
  startServer(env: Record<string, string>): Promise<MeasuredServer>
  startChain(): Promise<ChainProcess>
  stop(): void
}

/** From dist/bench/bench, where this file runs. */
export const SERVICE_MAIN = benchFile('../../../packages/server/dist/main.js')
/** As in `npm start`, the image and the systemd unit. */
const SERVICE_NODE_OPTIONS = ['--max-semi-space-size=32']
const CLI = benchFile('../../../packages/cli/dist')

/** With two cores, measured processes have one to themselves. */
const MEASURED_CORE = 0
const OTHER_CORE = 1

export async function openBenchEnvironment(
  delayMs: number,
  zones: 'ordinary' | 'hostile' = 'ordinary',
): Promise<BenchEnvironment> {
  const folder = await createCertificateFolder()
  const children: BenchChild[] = []
  const start = (args: readonly string[], options: SpawnOptions) => {
    const child = spawnChild(args, options)
    children.push(child)
    return child
  }
  const resolver = start([benchFile('./fast-resolver.js')], {
    core: OTHER_CORE,
    env: {
      BENCH_FOLDER: folder.path,
      BENCH_DELAY_MS: String(delayMs),
      BENCH_ZONES: zones,
    },
  })
  const dohUrl = new URL(`https://localhost:${await resolver.firstMessage<number>()}/dns-query`)

  return {
    dohUrl,
    ca: folder.ca,
    caFile: join(folder.path, 'ca.pem'),
    async startService(env = {}, main = SERVICE_MAIN) {
      const preload = ['--import', benchFile('./report-usage.js')]
      const service = start([...SERVICE_NODE_OPTIONS, ...preload, main], {
        core: MEASURED_CORE,
        hasLog: true,
        env: {
          HOST: '127.0.0.1',
          PORT: '0',
          PAY_TO_ADDRESS: `0x${'1'.repeat(40)}`,
          FACILITATOR_URL: 'http://127.0.0.1:9',
          RPC_URL: 'http://127.0.0.1:9',
          DATA_DIR: await mkdtemp(join(folder.path, 'data-')),
          DOH_URLS: dohUrl.href,
          NODE_EXTRA_CA_CERTS: join(folder.path, 'ca.pem'),
          RATE_LIMIT_PER_MINUTE: '1000000',
          ...env,
        },
      })
      return toMeasuredServer(service, await service.waitFor(readListeningPort(service.process)))
    },
    async startBareHono(responses) {
      const env = { BENCH_RESPONSES: JSON.stringify(responses) }
      const bare = start([benchFile('./bare-hono.js')], { core: MEASURED_CORE, env })
      return toMeasuredServer(bare, await bare.firstMessage<number>())
    },
    async startReportWorker(nodeOptions = []) {
      const worker = start([...nodeOptions, benchFile('./report-worker.js')], {
        core: MEASURED_CORE,
        env: { BENCH_FOLDER: folder.path, BENCH_DOH_URL: dohUrl.href },
      })
      await worker.firstMessage()
      return { measure: (kind, domain) => worker.request({ kind, domain }) }
    },
    runScanContestant(name, copies, inFlight) {
      const worker = start([benchFile('./scan-worker.js')], {
        core: MEASURED_CORE,
        env: {
          BENCH_FOLDER: folder.path,
          BENCH_DOH_URL: dohUrl.href,
          BENCH_CONTESTANT: name,
          BENCH_CLI: CLI,
          NODE_EXTRA_CA_CERTS: join(folder.path, 'ca.pem'),
          BENCH_COPIES: String(copies),
          BENCH_IN_FLIGHT: String(inFlight),
        },
      })
      return worker.firstMessage<ScanResult>()
    },
    async stop() {
      for (const child of children) child.process.kill('SIGKILL')
      await rm(folder.path, { recursive: true })
    },
  }
}

/** Servers and chains of the payment and MCP benchmarks, on whichever core is free. */
export function openPaymentProcesses(): PaymentProcesses {
  const children: BenchChild[] = []
  const start = (file: string, env: Record<string, string>) => {
    const child = spawnChild([benchFile(file)], { env })
    children.push(child)
    return child
  }
  return {
    async startServer(env) {
      const server = start('./payment-server.js', env)
      return toMeasuredServer(server, await server.firstMessage<number>())
    },
    async startChain() {
      const chain = start('./chain-process.js', {})
      return { url: await chain.firstMessage<string>(), totals: () => chain.request() }
    },
    stop() {
      for (const { process } of children) if (process.connected) process.disconnect()
    },
  }
}

/** A folder with ca.pem, cert.pem and key.pem for the resolver of a benchmark. */
async function createCertificateFolder(): Promise<{ path: string; ca: string }> {
  const path = await mkdtemp(join(tmpdir(), 'mailgrade-bench-'))
  const { ca, cert, key } = await createTestCertificate()
  for (const [name, text] of Object.entries({ ca, cert, key })) {
    await writeFile(join(path, `${name}.pem`), text)
  }
  return { path, ca }
}

/** Runs another file of this folder in its own process. */
export function spawnScript(file: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [benchFile(file)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

export async function runScript(file: string, env: Record<string, string>): Promise<void> {
  const [code] = await once(spawnScript(file, env), 'exit')
  if (code !== 0) throw new Error(`${file} exited with ${code}`)
}

/** Reads the port from the log of a service, and keeps reading so its output never blocks. */
export async function readListeningPort({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('the output of the service is not a pipe')
  let log = ''
  while (!log.includes('"listening"')) log += (await once(stdout, 'data'))[0]
  stdout.resume()
  return Number(/"port":(\d+)/.exec(log)?.[1])
}

interface SpawnOptions {
  readonly env: Record<string, string>
  readonly core?: number
  /** Whether its standard output is read. */
  readonly hasLog?: boolean
}

interface BenchChild {
  readonly process: ChildProcess
  firstMessage<Message>(): Promise<Message>
  /** Sends a request id, and resolves with the message that has the same one. */
  request<Reply>(parameters?: object): Promise<Reply>
  /** Rejects when the process exits first. */
  waitFor<Result>(result: Promise<Result>): Promise<Result>
}

/** `--cpu-prof` is meant for the measured processes; other options such as `-e` are not. */
const PROFILING = process.execArgv.filter((option) => option.startsWith('--cpu-prof'))

function spawnChild(args: readonly string[], { env, core, hasLog }: SpawnOptions): BenchChild {
  const isPinned = core !== undefined && existsSync('/usr/bin/taskset')
  const pinned = isPinned ? ['taskset', '-c', String(core)] : []
  const [command = '', ...rest] = [...pinned, process.execPath, ...PROFILING, ...args]
  // Only the given environment: settings of this shell must not change what is measured.
  const child = spawn(command, rest, {
    env,
    stdio: ['ignore', hasLog ? 'pipe' : 'ignore', hasLog ? 'ignore' : 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${args.at(-1)} exited with ${code}`)
  })
  exited.catch(() => {})
  const waitFor = <Result>(result: Promise<Result>) => Promise.race([result, exited])

  let requests = 0
  const pending = new Map<unknown, (message: never) => void>()
  child.on('message', (message: { readonly requestId?: number }) => {
    const resolve = pending.get(message.requestId)
    pending.delete(message.requestId)
    resolve?.(message as never)
  })
  return {
    process: child,
    waitFor,
    firstMessage: async () => (await waitFor(once(child, 'message')))[0],
    request(parameters) {
      const requestId = ++requests
      child.send(parameters ? { ...parameters, requestId } : requestId)
      return waitFor(new Promise((resolve) => pending.set(requestId, resolve)))
    },
  }
}

interface UsageMessage {
  readonly cpu: NodeJS.CpuUsage
  readonly memory: NodeJS.MemoryUsage
}

function toMeasuredServer(child: BenchChild, port: number): MeasuredServer {
  return {
    port,
    async usage() {
      const { cpu, memory } = await child.request<UsageMessage>()
      const { rss, heapUsed } = memory
      return { cpuMs: (cpu.user + cpu.system) / 1_000, rss, heapUsed }
    },
    async stop() {
      const exited = once(child.process, 'exit')
      child.process.kill('SIGKILL')
      await exited
    },
  }
}

function benchFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
