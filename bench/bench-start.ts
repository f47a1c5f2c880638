/** What a start costs: CPU time beside that of Node itself, and the wait for a first answer. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { trustOnly } from '@mailgrade/testing/server-directory'
import { openBenchEnvironment, readListeningPort, SERVICE_MAIN } from './bench-environment.js'
import { BENCH_DOMAIN, RESOLVER_DELAY_MS, START_TARGETS, STARTS } from './bench-targets.js'
import { median, runInterleaved } from './measure.js'

export async function benchStart(): Promise<void> {
  await benchCommandLine()
  console.log(`\nThe service, median of ${STARTS} starts`)
  const starts: ServiceStart[] = []
  for (let start = 0; start < STARTS; start++) starts.push(await startService())
  const of = (pick: (start: ServiceStart) => number) => Math.round(median(starts.map(pick)))
  printTarget(
    'until it listens',
    of(({ listeningMs }) => listeningMs),
    START_TARGETS.listeningMs,
    'ms',
  )
  printTarget(
    'first request',
    of(({ firstMs }) => firstMs),
    START_TARGETS.firstRequestMs,
    'ms',
  )
  console.log(`second request: ${of(({ secondMs }) => secondMs)} ms`)
}

interface ServiceStart {
  readonly listeningMs: number
  readonly firstMs: number
  readonly secondMs: number
}

async function startService(): Promise<ServiceStart> {
  const startedAt = performance.now()
  const child = spawn('node', ['--max-semi-space-size=32', SERVICE_MAIN], {
    env: { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', PAYMENTS: 'off' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const url = `http://127.0.0.1:${await readListeningPort(child)}/healthz`
  const listeningMs = performance.now() - startedAt
  const timeRequest = async () => {
    const sentAt = performance.now()
    await (await fetch(url)).text()
    return performance.now() - sentAt
  }
  // Of this process: opening the first connection is no cost of the service.
  await fetch(url.replace('/healthz', '/'), { method: 'TRACE' }).catch(() => {})
  const result = { listeningMs, firstMs: await timeRequest(), secondMs: await timeRequest() }
  child.kill('SIGINT')
  await once(child, 'exit')
  return result
}

async function benchCommandLine(): Promise<void> {
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS)
  const main = new URL('../../../packages/cli/dist/main.js', import.meta.url).pathname
  const check = [BENCH_DOMAIN, '--resolver', environment.dohUrl.href, '--fail-on', 'critical']
  const run =
    (...args: string[]) =>
    async () =>
      cpuMs(args, environment.caFile)
  try {
    const times = await runInterleaved(
      { node: run('-e', '0'), version: run(main, '--version'), check: run(main, ...check) },
      STARTS,
    )
    const node = median(times.node)
    const ratio = (values: readonly number[]) => Number((median(values) / node).toFixed(1))
    console.log(`\nCPU time beside node -e 0 (${Math.round(node)} ms), median of ${STARTS} runs`)
    printTarget('mailgrade --version', ratio(times.version), START_TARGETS.versionRatio, 'times')
    printTarget(`mailgrade ${BENCH_DOMAIN}`, ratio(times.check), START_TARGETS.checkRatio, 'times')
  } finally {
    await environment.stop()
  }
}

/** User and system time of a Node process, as the shell's `times` prints it for its children. */
function cpuMs(args: readonly string[], caFile: string): number {
  const script = '"$@" >/dev/null && times'
  const output = execFileSync('bash', ['--norc', '-c', script, 'bash', 'node', ...args], {
    // Nothing else: with NODE_EXTRA_CA_CERTS, Node itself takes three times as long.
    env: { PATH: process.env.PATH, ...trustOnly(caFile) },
    encoding: 'utf8',
  })
  const [, children = ''] = output.trim().split('\n')
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, m, s]) => +`${m}` * 60 + +`${s}`,
  )
  return seconds.reduce((sum, value) => sum + value, 0) * 1_000
}

function printTarget(name: string, value: number, limit: number, unit: string): void {
  const verdict = value <= limit ? 'met' : 'NOT met'
  console.log(`${name}: ${value} ${unit}; target ≤ ${limit}: ${verdict}`)
}
