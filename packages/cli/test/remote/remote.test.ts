/** The built program against the built service in sandbox mode: a real chain with play money. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  DEMO_WALLET,
  type SandboxService,
  startSandboxService,
} from '../support/sandbox-service.js'

const PROGRAM = resolve('packages/cli/dist/main.js')
const PAYEE = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const PRICE = `0.01 USDC on Base Sepolia (test network) to ${PAYEE}`
const KEY = { MAILGRADE_PRIVATE_KEY: DEMO_WALLET.privateKey }

let service: SandboxService

beforeAll(async () => {
  service = await startSandboxService()
})
afterAll(() => service.stop())

async function finish(child: ChildProcess) {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ])
  return { exitCode, stdout, stderr }
}

function environment(env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, ...env }
}

function mailgrade(line: readonly string[], env: Record<string, string> = {}, program = PROGRAM) {
  const child = spawn(process.execPath, [program, '--server', service.url, ...line], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return finish(child)
}

/** Part of Debian's bsdutils. */
const TERMINAL_RECORDER = 'script'

/** On a terminal the two outputs are one. */
async function mailgradeOnTerminal(line: readonly string[], typed: string) {
  const words = ['exec', process.execPath, PROGRAM, '--server', service.url, ...line]
  const child = spawn(TERMINAL_RECORDER, ['-qefc', words.join(' '), '/dev/null'], {
    env: environment({ ...KEY, NO_COLOR: '1' }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk
    if (shown.endsWith('[y/N] ')) child.stdin.write(typed)
  })
  const [exitCode] = await once(child, 'exit')
  child.stdin.destroy()
  return { exitCode, shown: shown.replaceAll('\r\n', '\n') }
}

/** What the wallet paid and the payee received meanwhile. */
async function paidDuring(run: () => Promise<unknown>): Promise<bigint> {
  const wallet = await service.balanceOf(DEMO_WALLET.address)
  const payee = await service.balanceOf(PAYEE)
  await run()
  const paid = wallet - (await service.balanceOf(DEMO_WALLET.address))
  const received = (await service.balanceOf(PAYEE)) - payee
  expect(paid).toBe(received)
  return paid
}

describe('a free report', () => {
  test('needs no key and is the one of the service', async () => {
    const { exitCode, stdout, stderr } = await mailgrade(['check', 'good.test', '--format', 'json'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const { meta, ...report } = JSON.parse(stdout)
    const response = await fetch(`${service.url}/v1/check?domain=good.test`)
    const { meta: _, ...expected } = (await response.json()) as Record<string, unknown>
    expect(report).toEqual(expected)
    expect(meta.resolvers).toEqual(['demo zones'])
  })

  test('of an unknown domain, and one that DNS cannot answer for', async () => {
    const { exitCode, stderr } = await mailgrade(['mx', 'nowhere.test', 'acme.example'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /^nowhere\.test doesn’t exist .*\nacme\.example: We couldn’t look up MX acme\.example because .*\n$/,
    )
    expect((await mailgrade(['mx', 'acme.example'])).exitCode).toBe(3)
  })
})

describe('a paid report', () => {
  const SCORE = ['score', 'good.test', '--format', 'json']

  test('is paid once with --yes --max-usd, and the transaction is shown', async () => {
    const paid = await paidDuring(async () => {
      const { exitCode, stdout, stderr } = await mailgrade(
        [...SCORE, '--yes', '--max-usd', '0.01'],
        KEY,
      )
      expect(exitCode).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ domain: 'good.test', grade: 'A' })
      const lines = stderr.split('\n')
      expect(lines[0]).toBe(`Paying ${PRICE} for the score of good.test.`)
      expect(lines[1]?.replace(/0x[0-9a-f]{64}/, '…')).toBe(`Paid ${PRICE}. Transaction: …`)
      expect(lines).toHaveLength(3)
    })
    expect(paid).toBe(10_000n)
  })

  test('of several domains is paid up to the limit, and not above it', async () => {
    const domains = ['good.test', 'monitoring.test', 'parked.test']
    const paid = await paidDuring(async () => {
      const line = ['score', ...domains, '--format', 'ndjson', '--yes', '--max-usd', '0.02']
      const { stdout } = await mailgrade(line, KEY)
      const results = stdout
        .trim()
        .split('\n')
        .map((it) => JSON.parse(it))
      expect(results.map(({ domain }) => domain)).toEqual(domains)
      expect(results.filter(({ error }) => error?.code === 'payment_required')).toHaveLength(1)
    })
    expect(paid).toBe(20_000n)
  })

  test.each([
    ['above the limit', ['--yes', '--max-usd', '0.009'], KEY, 'That’s more than --max-usd 0.009'],
    ['without a key', ['--yes', '--max-usd', '1'], {}, 'MAILGRADE_PRIVATE_KEY'],
    ['without a terminal or --yes', [], KEY, 'add --yes --max-usd 0.01.'],
  ])('is not paid %s', async (_, options, env, reason) => {
    const paid = await paidDuring(async () => {
      const { exitCode, stdout, stderr } = await mailgrade(['score', 'good.test', ...options], env)
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
      expect(stderr).toContain(`good.test: The score of good.test costs ${PRICE}. `)
      expect(stderr).toContain(reason)
      expect(stderr).toContain('You weren’t charged.\n')
    })
    expect(paid).toBe(0n)
  })

  test('of an unknown domain is not charged', async () => {
    const paid = await paidDuring(async () => {
      const line = ['score', 'nowhere.test', '--yes', '--max-usd', '1']
      const { exitCode, stderr } = await mailgrade(line, KEY)
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(/^nowhere\.test .* exist .*(?:not|weren’t) charged\.\n$/m)
    })
    expect(paid).toBe(0n)
  })

  test('costs nothing if the wallet is empty', async () => {
    const env = { MAILGRADE_PRIVATE_KEY: `0x${'17'.repeat(32)}` }
    const { exitCode, stderr } = await mailgrade([...SCORE, '--yes', '--max-usd', '1'], env)
    expect(exitCode).toBe(3)
    expect(stderr).not.toContain('17171717')
    expect(stderr).not.toContain('Paid')
  })
})

describe('on a terminal', () => {
  const question = `Pay ${PRICE} for the score of good.test? [y/N] `

  test('the price is shown, and y pays', async () => {
    const paid = await paidDuring(async () => {
      const { exitCode, shown } = await mailgradeOnTerminal(['score', 'good.test'], 'y\n')
      expect(shown.startsWith(question)).toBe(true)
      expect(shown).toContain(`Paid ${PRICE}. Transaction: 0x`)
      expect(exitCode).toBe(0)
    })
    expect(paid).toBe(10_000n)
  })

  test.each([
    ['n', 'n\n'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s pays nothing and ends', async (_, typed) => {
    const paid = await paidDuring(async () => {
      const { exitCode, shown } = await mailgradeOnTerminal(['score', 'good.test'], typed)
      expect(shown.startsWith(question)).toBe(true)
      expect(shown).toContain('good.test: You declined to pay. You weren’t charged.\n')
      expect(exitCode).toBe(3)
    })
    expect(paid).toBe(0n)
  })
})

test('without the packages for payments, the error says how to install them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['dist', 'data', 'package.json']) {
    cpSync(join('packages/cli', name), join(folder, name), { recursive: true })
  }
  const program = join(folder, 'dist/main.js')
  const line = ['score', 'good.test', '--yes', '--max-usd', '1']
  const { exitCode, stderr } = await mailgrade(line, KEY, program)
  expect(exitCode).toBe(3)
  expect(stderr).toBe(
    `good.test: The score of good.test costs ${PRICE}. To pay, you need three packages that don’t come with mailgrade. Install them in the same place as mailgrade: npm install @x402/fetch @x402/evm viem (add --global if you installed mailgrade globally). You weren’t charged.\n`,
  )
  expect((await mailgrade(['mx', 'good.test'], {}, program)).exitCode).toBe(0)
})
