/** The code examples that pay are run as they are written, against a sandbox. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_PAYER_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

let service: ServiceProcess
beforeAll(async () => {
  service = await startServiceProcess()
})
afterAll(() => void service.process.kill('SIGKILL'))

async function runExample(file: string, env: Record<string, string>) {
  const { PATH = '' } = process.env
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(file, 'utf8')) ?? []
  const source = code.replaceAll('http://localhost:3000', service.url)
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env: { PATH, ...env },
  })
  const [out, err, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { out, err, exitCode }
}

test('the example in the README prints what the README shows', async () => {
  const [, shown = ''] =
    /```js\n[\s\S]*?```\n\n```\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? []
  expect(await runExample('README.md', {})).toEqual({ out: shown, err: '', exitCode: 0 })
})

const PAYER = { PAYER_PRIVATE_KEY: DEMO_PAYER_WALLET.privateKey }

test('the example in docs/payments.md prints the score and the transaction', async () => {
  const { out, err, exitCode } = await runExample('docs/payments.md', PAYER)
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 })
  expect(out).toMatch(/^66 D 0x[0-9a-f]{64}\n$/)
})

test('the example in docs/mcp.md prints the score', async () => {
  expect(await runExample('docs/mcp.md', PAYER)).toEqual({ out: '66\n', err: '', exitCode: 0 })
})
