/** The JavaScript examples of the endpoint pages are run as they are shown, against a sandbox. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { isPaid, type Operation } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_PAYER_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import {
  exampleUrl,
  javaScriptExample,
  PAYMENT_INSTALL_LINE,
} from '../../src/web/docs/request-examples.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

let service: ServiceProcess
beforeAll(async () => {
  service = await startServiceProcess()
})
afterAll(() => void service.process.kill('SIGKILL'))

function exampleOf(operation: Operation): string {
  const url = exampleUrl(operation, { baseUrl: service.url, isSandbox: true })
  return javaScriptExample(operation, url)
}

async function runNode(code: string) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH, PAYER_PRIVATE_KEY: DEMO_PAYER_WALLET.privateKey },
  })
  const [out, err, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { out, err, exitCode }
}

const PRINTED: Readonly<Record<string, RegExp>> = {
  check: /^good\.test: receivers refuse forged mail\. Nothing to fix\.\n$/,
  spf: /^fail\n$/,
  dmarc: /^pass\n$/,
  dkim: /^pass\n$/,
  mx: /^pass\n$/,
  score: /^66 0x[0-9a-f]{64}\n$/,
  emailCheck: /^risky 0x[0-9a-f]{64}\n$/,
  fixPlan: /^monitoring\.test scores 66 of 100 \(grade D\): .* 0x[0-9a-f]{64}\n$/,
}

test.each(OPERATIONS)('the example of $path prints its result', async (operation) => {
  const { out, err, exitCode } = await runNode(exampleOf(operation))
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 })
  expect(out).toMatch(PRINTED[operation.id] ?? /^$/)
})

test('the example of a free endpoint ends with the code and the detail of a problem', async () => {
  const [check] = OPERATIONS
  const code = check ? exampleOf(check).replace('good.test', 'good..test') : ''
  const { err, exitCode } = await runNode(code)
  expect(err).toContain('Error: 400 invalid_input: good..test has an extra dot; remove it.')
  expect(exitCode).toBe(1)
})

test('the examples of paid endpoints import only what the install line has', () => {
  const installed = PAYMENT_INSTALL_LINE.split(' ').slice(2)
  for (const operation of OPERATIONS.filter(isPaid)) {
    const imports = [...exampleOf(operation).matchAll(/ from '((?:@[^/]+\/)?[^/']+)/g)]
    expect(imports.map(([, name]) => name).sort()).toEqual([...installed].sort())
  }
})

test('docs/payments.md shows the key of the demo wallet', () => {
  expect(readFileSync('docs/payments.md', 'utf8')).toContain(`\`${DEMO_PAYER_WALLET.privateKey}\``)
})
