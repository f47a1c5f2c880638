/** A generated client: its types match our examples, and its calls return them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_PAYER_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { asDocumented } from '../support/as-documented.js'
import { callsSource, compileSdk, examplesSource, generateSdk } from './generated-sdk.js'
import { exampleReport, type SandboxService, startSandboxService } from './sandbox-service.js'

type Fetch = typeof fetch
type Call = (options: { baseUrl: string; fetch: Fetch }) => Promise<unknown>

let sandbox: SandboxService
beforeAll(async () => {
  sandbox = await startSandboxService()
})
afterAll(() => void sandbox?.process.kill('SIGKILL'))

test('every example matches its generated type', async () => {
  const folder = await generateSdk(sandbox.document)
  const program = examplesSource(sandbox.document)
  await writeFile(join(folder, 'examples.ts'), program)
  expect(await compileSdk(folder)).toEqual([])
  // Each operation has a report and at least ten problems.
  expect(program.match(/^export const/gm)?.length).toBeGreaterThan(OPERATIONS.length * 11)
})

test('undocumented values do not compile', async () => {
  const folder = await generateSdk(sandbox.document)
  const write = (file: string, program: string) => writeFile(join(folder, file), program)
  const scoreWith = (changes: object) => {
    const wrong = structuredClone(sandbox.document)
    Object.assign(exampleReport(wrong, '/v1/score'), changes)
    return examplesSource(wrong)
  }
  await write('letters.ts', scoreWith({ score: '94' }))
  await write('grade.ts', scoreWith({ grade: 'Z' }))
  await write('missing.ts', scoreWith({ spoofable: undefined }))
  await write('more.ts', scoreWith({ stars: 5 }))
  const misspelled = { id: 'check', path: '/v1/check', example: { dommain: 'good.test' } }
  await write('misspelled.ts', callsSource([misspelled]))

  expect((await compileSdk(folder)).sort()).toEqual([
    expect.stringMatching(/^grade\.ts: Type '"Z"' is not assignable to type/),
    "letters.ts: Type 'string' is not assignable to type 'number'.",
    expect.stringMatching(/^missing\.ts: Type '.*' is not assignable to type '.* spoofable: /),
    expect.stringMatching(/^misspelled\.ts: Property 'domain' is missing in type/),
    expect.stringMatching(/^more\.ts: Object literal may only specify known .* '"stars"'/),
  ])
})

test('the client calls every operation and gets the documented examples', async () => {
  const folder = await generateSdk(sandbox.document)
  await writeFile(join(folder, 'calls.ts'), callsSource(OPERATIONS))
  expect(await compileSdk(folder)).toEqual([])

  const program = pathToFileURL(join(folder, 'out', 'calls.js')).href
  const calls = (await import(program)) as Record<string, Call>
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)
  const wallet = new x402Client().register('eip155:84532', new ExactEvmScheme(account))
  const payingClient = { baseUrl: sandbox.url, fetch: wrapFetchWithPayment(fetch, wallet) as Fetch }

  for (const operation of OPERATIONS) {
    const call = calls[operation.id]
    const { meta: _, ...report } = exampleReport(sandbox.document, operation.path)
    const result = asDocumented(await call?.(payingClient), sandbox.url)
    const body = asDocumented(report, sandbox.url)
    expect(result).toMatchObject({ status: 200, body })
    const unpaid = await call?.({ baseUrl: sandbox.url, fetch })
    if (isPaid(operation)) expect(unpaid).toBe('payment_required')
  }
})
