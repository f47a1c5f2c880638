/** From the command to the first answer, once built. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const LIMIT_MS = 2_000
const RUNS = 5

async function startOnce(command: string, args: string[]): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  let log = ''
  while (!log.includes('"listening"')) log += (await once(child.stdout, 'data'))[0]
  const port = /"port":(\d+)/.exec(log)?.[1]
  await fetch(`http://127.0.0.1:${port}/v1/mx?domain=good.test`).then((answer) => answer.json())
  const elapsed = performance.now() - startedAt
  // npm's own process stands between us and the service.
  if (child.pid) process.kill(-child.pid, 'SIGINT')
  await once(child, 'exit')
  return elapsed
}

export async function benchStartup(): Promise<void> {
  const COMMANDS = {
    'npm start': ['npm', 'start'],
    'node dist/main.js': ['node', 'packages/server/dist/main.js'],
  }
  console.log(`\nStart to first answer, best of ${RUNS}; the limit is ${LIMIT_MS} ms`)
  for (const [name, [command = '', ...args]] of Object.entries(COMMANDS)) {
    await startOnce('npm', ['start'])
    const times: number[] = []
    for (let run = 0; run < RUNS; run++) times.push(await startOnce(command, args))
    console.log(`${name}: ${Math.round(Math.min(...times))} ms`)
  }
}
