/** How long people wait for a first answer: from the service, and from `npx mailgrade`. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages, packPackages } from '../packages/cli/test/support/packed-packages.js'
import { openBenchEnvironment, readListeningPort, SERVICE_MAIN } from './bench-environment.js'
import { BENCH_DOMAIN, RESOLVER_DELAY_MS, START_TARGETS, STARTS } from './bench-targets.js'

export async function benchStart(): Promise<void> {
  console.log(`\nFrom the command to the first answer, best of ${STARTS}`)
  // The first `npm start` builds.
  await startService('npm', ['start'])
  await printBest('npm start', START_TARGETS.serviceMs, () => startService('npm', ['start']))
  await printBest('node packages/server/dist/main.js', START_TARGETS.serviceMs, () =>
    startService('node', [SERVICE_MAIN]),
  )
  await benchCommandLine()
}

async function startService(command: string, args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const port = await readListeningPort(child)
  await (await fetch(`http://127.0.0.1:${port}/v1/mx?domain=good.test`)).json()
  const elapsedMs = performance.now() - startedAt
  // The whole group: npm has the service as its child.
  if (child.pid) process.kill(-child.pid, 'SIGINT')
  await once(child, 'exit')
  return elapsedMs
}

/** The packed packages in an empty folder, and in it what a person would type. */
async function benchCommandLine(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-start-'))
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS)
  try {
    const project = join(folder, 'project')
    installPackages(project, packPackages(folder))
    const { href } = environment.dohUrl
    const options = {
      cwd: project,
      env: { ...process.env, NODE_EXTRA_CA_CERTS: environment.caFile },
      encoding: 'utf8',
    } as const
    const args = ['mailgrade', BENCH_DOMAIN, '--resolver', href, '--fail-on', 'critical']
    await printBest(`npx mailgrade ${BENCH_DOMAIN}, installed`, START_TARGETS.commandLineMs, () => {
      const startedAt = performance.now()
      execFileSync('npx', args, options)
      return performance.now() - startedAt
    })
  } finally {
    await environment.stop()
    rmSync(folder, { recursive: true })
  }
}

async function printBest(
  name: string,
  limitMs: number,
  run: () => Promise<number> | number,
): Promise<void> {
  const times: number[] = []
  for (let start = 0; start < STARTS; start++) times.push(await run())
  const best = Math.round(Math.min(...times))
  const verdict = best <= limitMs ? 'met' : 'NOT met'
  console.log(`${name}: ${best} ms; target ≤ ${limitMs} ms: ${verdict}`)
}
