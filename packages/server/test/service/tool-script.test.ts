/** `npm run tool` against a running sandbox. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

let service: ServiceProcess
beforeAll(async () => {
  service = await startServiceProcess()
})
afterAll(() => void service.process.kill('SIGKILL'))

async function tool(args: string[], url = service.url) {
  const { PATH = '' } = process.env
  const env = { PATH, MAILGRADE_URL: url }
  const child = spawn(process.execPath, ['packages/server/scripts/tool.mjs', ...args], { env })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { out, err, code }
}

test('prints the conversation that docs/mcp.md shows', async () => {
  const guide = readFileSync('docs/mcp.md', 'utf8')
  const [, command = '', shown = ''] =
    /npm run tool -- (.*)\n```\n\n```\n([\s\S]*?)```/.exec(guide) ?? []
  const { out, code } = await tool(command.split(' '))
  expect(code).toBe(0)
  const pieces = shown
    .replace(/0x[0-9a-f]{64}/, '…')
    .split(/\s*…\s*/)
    .map((piece) => piece.trim())
  expect(pieces).toHaveLength(4)
  let from = 0
  for (const piece of pieces) {
    const at = out.indexOf(piece, from)
    expect([piece, at >= from]).toEqual([piece, true])
    from = at + piece.length
  }
})

test('pays nothing for a free tool or an error', async () => {
  const free = await tool(['check_domain_email_security', 'domain=good.test'])
  expect(free).toMatchObject({ code: 0, err: '' })
  expect(free.out).toContain('< good.test: receivers refuse forged mail. Nothing to fix.')
  expect(free.out).not.toContain('payment')
  const unknown = await tool(['email_fix_plan', 'domain=nowhere.test'])
  expect(unknown).toMatchObject({ code: 1, err: 'No report. You weren’t charged.\n' })
  expect(unknown.out).toContain('< payment_required: 1 USDC')
  expect(unknown.out).toContain('< Domain does not exist.')
})

test('lists the tools without an argument, and rejects an unknown tool', async () => {
  const { out } = await tool([])
  expect(out.match(/^[a-z_]+$/gm)).toEqual([
    'check_domain_email_security',
    'pricing',
    'email_security_score',
    'check_email_address',
    'email_fix_plan',
  ])
  expect(await tool(['weather'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('There’s no tool with that name'),
  })
})

test('signs nothing for a wrong argument', async () => {
  const known = 'Known parameters: domain, selector, exact. Nothing was signed.\n'
  const errors = {
    domian: `Unknown parameter: domian. Missing parameter: domain. ${known}`,
    '': `Missing parameter: domain. ${known}`,
    'domain=good.test selectors': `Unknown parameter: selectors. ${known}`,
  }
  for (const [words, err] of Object.entries(errors)) {
    const args = words.split(' ').filter(Boolean)
    const { out, ...ended } = await tool(['email_security_score', ...args])
    expect([words, ended, out]).toEqual([words, { code: 1, err }, ''])
  }
  const invalid = await tool(['email_security_score', 'domain=localhost'])
  expect(invalid).toMatchObject({ code: 1, err: 'No report. You weren’t charged.\n' })
  expect(invalid.out).toContain('< Invalid input.')
  expect(invalid.out).not.toContain('signed by')
})

test('ends without an error when the reader closes the pipe before a payment is signed', async () => {
  const { PATH = '' } = process.env
  const script = `${process.execPath} packages/server/scripts/tool.mjs email_security_score domain=good.test`
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['--norc', '-o', 'pipefail', '-c', `${script} | head -1`],
    { env: { PATH, MAILGRADE_URL: service.url } },
  )
  expect([stdout, stderr]).toEqual(['\n', ''])
})

test('shows the error of a server that rejects the request', async () => {
  const elsewhere = await startServiceProcess({ BASE_URL: 'https://mail.example' })
  const { err, code } = await tool(['pricing'], elsewhere.url)
  elsewhere.process.kill('SIGKILL')
  expect([code, err]).toEqual([1, expect.stringContaining('returned 403: ')])
  expect(err).toContain('Use https://mail.example')
})

test('says what to do when the service does not run', async () => {
  expect(await tool([], 'http://127.0.0.1:9')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Start it with npm start'),
  })
})

test('ends without an error when the reader of its output closes the pipe', async () => {
  const { PATH = '' } = process.env
  const script = `${process.execPath} packages/server/scripts/tool.mjs check_domain_email_security domain=good.test`
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', `${script} | head -c 1`], {
    env: { PATH, MAILGRADE_URL: service.url },
  })
  expect([stdout, stderr]).toEqual(['\n', ''])
})
