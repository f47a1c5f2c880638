/** The built program with a service: the state lives between processes, and Ctrl-C ends it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type SandboxService, startSandboxService } from '../support/sandbox-service.js'

const PROGRAM = resolve('packages/cli/dist/main.js')

let service: SandboxService

beforeAll(async () => {
  service = await startSandboxService()
})
afterAll(() => service.stop())

function createHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function start(line: readonly string[], home: string) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [PROGRAM, 'watch', '--server', service.url, ...line], {
    env: { PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function run(line: readonly string[], home: string) {
  const child = start(line, home)
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { exitCode, stdout, stderr }
}

test('compares with the previous process', async () => {
  const home = createHome()
  expect(await run(['good.test', 'parked.test'], home)).toEqual({
    exitCode: 0,
    stdout:
      'good.test: Protected. Saved. The next run will show what changed.\nparked.test: Exposed. Saved. The next run will show what changed.\n',
    stderr: '',
  })
  const path = join(home, '.local/state/mailgrade/watch.json')
  const state = JSON.parse(readFileSync(path, 'utf8'))
  state.domains['good.test'].facts.keys.push({
    selector: 'lost',
    record: 'v=DKIM1; p=AAAA',
    isValid: true,
  })
  writeFileSync(path, JSON.stringify(state))
  const { exitCode, stdout } = await run(['good.test', 'parked.test'], home)
  expect(exitCode).toBe(1)
  expect(stdout).toContain('\n  ✕ worse  DKIM key lost, gone: v=DKIM1; p=AAAA\n')
  expect(stdout).toMatch(/^parked\.test: no change since /m)
})

test('remembers the selector of a service that takes only one', async () => {
  const home = createHome()
  const first = await run(['selector.test', '--selector', 'acme2026'], home)
  expect(first.stdout).toBe(
    'selector.test: Protected. Saved. The next run will show what changed.\n',
  )
  const second = await run(['selector.test', '--format', 'json'], home)
  expect(JSON.parse(second.stdout)).toMatchObject({
    verdict: 'Protected',
    changes: [],
    // A service doesn’t say what the name servers are, which is no failed lookup.
    unknown: [],
  })
})

test('Ctrl-C ends --every', async () => {
  const child = start(['good.test', '--every', '1h'], createHome())
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})
