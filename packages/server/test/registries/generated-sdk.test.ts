/** A generated client: its types match our examples, and its calls return them. */
import { rm } from 'node:fs/promises'
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
import { type CompiledSdk, callsSource, compileSdk, examplesSource } from './generated-sdk.js'
import { exampleReport, type SandboxService, startSandboxService } from './sandbox-service.js'

type Fetch = typeof fetch
type Call = (options: { baseUrl: string; fetch: Fetch }) => Promise<unknown>

let sandbox: SandboxService
let sdk: CompiledSdk
/** Programs with a value that the document does not allow. */
const WRONG = ['letters.ts', 'grade.ts', 'missing.ts', 'more.ts', 'misspelled.ts']
const isWrong = (error: string) => WRONG.some((file) => error.startsWith(`${file}:`))

beforeAll(async () => {
  sandbox = await startSandboxService()
  const { document } = sandbox
  const scoreWith = (changes: object) => {
    const wrong = structuredClone(document)
    Object.assign(exampleReport(wrong, '/v1/score'), changes)
    return examplesSource(wrong)
  }
  const misspelled = { id: 'check', path: '/v1/check', example: { dommain: 'good.test' } }
  // In one run, because the compiler takes longer to start than to compile.
  sdk = await compileSdk(document, {
    'examples.ts': examplesSource(document),
    'calls.ts': callsSource(OPERATIONS),
    'letters.ts': scoreWith({ score: '94' }),
    'grade.ts': scoreWith({ grade: 'Z' }),
    'missing.ts': scoreWith({ spoofable: undefined }),
    'more.ts': scoreWith({ stars: 5 }),
    'misspelled.ts': callsSource([misspelled]),
  })
})
afterAll(async () => {
  sandbox?.process.kill('SIGKILL')
  if (sdk) await rm(sdk.folder, { recursive: true })
})

test('every example matches its generated type', () => {
  expect(sdk.errors.filter((error) => !isWrong(error))).toEqual([])
  // Each operation has a report and at least ten problems.
  const constants = examplesSource(sandbox.document).match(/^export const/gm)
  expect(constants?.length).toBeGreaterThan(OPERATIONS.length * 11)
})

test('undocumented values do not compile', () => {
  expect(sdk.errors.filter(isWrong).sort()).toEqual([
    expect.stringMatching(/^grade\.ts: Type '"Z"' is not assignable to type/),
    "letters.ts: Type 'string' is not assignable to type 'number'.",
    expect.stringMatching(/^missing\.ts: Type '.*' is not assignable to type '.* spoofable: /),
    expect.stringMatching(/^misspelled\.ts: Property 'domain' is missing in type/),
    expect.stringMatching(/^more\.ts: Object literal may only specify known .* '"stars"'/),
  ])
})

test('the client calls every operation and gets the documented examples', async () => {
  const program = pathToFileURL(join(sdk.folder, 'out', 'calls.js')).href
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
