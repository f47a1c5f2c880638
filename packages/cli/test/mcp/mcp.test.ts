/** `mailgrade mcp` as installed, over BIND, with the official clients. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { trustOnly } from '@mailgrade/testing/server-directory'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type DemoBind, startDemoBind } from '../support/demo-bind.js'
import { installPackage, packRelease } from '../support/packed-package.js'
import { CLIENTS, type ConnectedClient, connectClient, type ProgramToStart } from './mcp-clients.js'

const CHECK = 'check_domain_email_security'
const SCORE = 'email_security_score'
const ADDRESS = 'check_email_address'
const PLAN = 'email_fix_plan'

/** Each tool with the command that makes the same report. */
const SAME_REPORTS = [
  [CHECK, { domain: 'monitoring.test' }, ['check', 'monitoring.test']],
  [CHECK, { domain: 'lookups.test' }, ['check', 'lookups.test']],
  [SCORE, { domain: 'monitoring.test' }, ['score', 'monitoring.test']],
  [ADDRESS, { email: 'sales@good.test' }, ['address', 'sales@good.test']],
  [PLAN, { domain: 'lookups.test' }, ['plan', 'lookups.test']],
] as const

let folder: string
let bind: DemoBind
let main: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-mcp-'))
  const project = join(folder, 'project')
  installPackage(project, packRelease(folder).tarball)
  main = join(project, 'node_modules/mailgrade/dist/main.js')
  bind = await startDemoBind()
})

afterAll(async () => {
  await bind?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** More time than any machine needs, so that no report ends early. */
const source = () => ['--resolver', bind.url, '--timeout', '60']

const environment = () => ({ PATH: process.env.PATH ?? '', ...trustOnly(bind.caFile) })

function program(): ProgramToStart {
  const args = [main, 'mcp', ...source()]
  return { command: process.execPath, args, env: environment() }
}

/** What the command prints as JSON; its exit code says what it found. */
async function runJson(line: readonly string[]): Promise<object> {
  const args = [main, ...line, '--format', 'json', ...source()]
  const run = promisify(execFile)(process.execPath, args, { env: environment() })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  return JSON.parse(stdout)
}

/** Without what differs between two runs; the files of a plan contain the time. */
function withoutTimes(report: object): object {
  const { meta, exports, ...others }: Record<string, unknown> = { ...report }
  return others
}

describe.each(CLIENTS)('client: %s', (kind) => {
  let connected: ConnectedClient
  beforeAll(async () => {
    connected = await connectClient(kind, program())
  })
  afterAll(async () => {
    await connected?.client.close()
    expect(connected?.errors()).toBe('')
  })

  async function callTool(name: string, input: Record<string, unknown>) {
    const result = await connected.client.callTool({ name, arguments: input })
    const content = result.content as { text: string }[]
    return {
      isError: result.isError ?? false,
      texts: content.map((it) => it.text),
      report: Object(result.structuredContent),
    }
  }

  test('learns who the server is, and how to use it', () => {
    const { client, revision } = connected
    expect(revision).toBe(kind === 'current' ? '2026-07-28' : '2025-11-25')
    expect(client.getServerVersion()).toMatchObject({ name: 'mailgrade', title: 'Mailgrade' })
    expect(client.getInstructions()).toContain(`Start with ${CHECK}.`)
  })

  test('lists four tools, none with a price', async () => {
    const { tools } = await connected.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([CHECK, SCORE, ADDRESS, PLAN])
    expect(JSON.stringify(tools)).not.toMatch(/\b(price|pay|paid|payment|x402|USDC?)\b/i)
  })

  // After listing, clients reject results that do not match the schemas.
  test.each(SAME_REPORTS)('%s %j returns the report of the command', async (name, input, line) => {
    const { isError, texts, report } = await callTool(name, input)
    expect(isError).toBe(false)
    expect(withoutTimes(report)).toEqual(withoutTimes(await runJson(line)))
    const json = JSON.stringify(report)
    expect(texts).toEqual(
      Buffer.byteLength(json) > 8_192
        ? [expect.stringMatching(/ The full report is in structuredContent\.$/)]
        : [expect.any(String), json],
    )
  })

  test.each([
    [CHECK, { domian: 'good.test' }, 'There’s no argument domian. Did you mean domain?'],
    [PLAN, { domain: 'good.test', color: 1 }, expect.stringMatching(/^There’s no argument color/)],
    [SCORE, { domain: 'good' }, expect.stringMatching(/^good /)],
  ])('%s rejects %j', async (name, input, detail) => {
    expect(await callTool(name, input)).toMatchObject({
      isError: true,
      report: { type: 'about:blank', code: 'invalid_input', status: 400, detail },
    })
  })

  test.each([CHECK, SCORE, PLAN])('%s knows that a domain does not exist', async (name) => {
    expect(await callTool(name, { domain: 'nowhere.test' })).toMatchObject({
      isError: true,
      report: {
        code: 'unknown_domain',
        detail: 'nowhere.test doesn’t exist in DNS. Check the spelling.',
      },
    })
  })

  test('an unknown tool is an error', async () => {
    await expect(callTool('pricing', {})).rejects.toThrow(/There’s no tool with that name/)
  })

  test('sends many calls at once and gets every answer', async () => {
    const calls = Array.from({ length: 40 }, () => callTool(SCORE, { domain: 'good.test' }))
    const scores = (await Promise.all(calls)).map(({ report }) => report.score)
    expect(scores).toEqual(Array(40).fill(100))
  })
})

describe('the process ends with code 0', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test-client', version: '1.0.0' },
    },
  }

  function start(resolver: string) {
    const child = spawn(process.execPath, [main, 'mcp', '--resolver', resolver], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines: string[] = []
    const output = createInterface(child.stdout)
    output.on('line', (line) => lines.push(line))
    return {
      child,
      lines,
      errors: text(child.stderr),
      ended: once(child, 'close'),
      nextLine: () => once(output, 'line'),
      send: (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`),
    }
  }

  const ENDS: [string, (child: ChildProcess) => void][] = [
    ['standard input is closed', ({ stdin }) => stdin?.end()],
    ['it gets SIGTERM', (child) => child.kill('SIGTERM')],
    ['it gets SIGINT', (child) => child.kill('SIGINT')],
  ]

  test.each(ENDS)('when %s', async (_, end) => {
    const { child, errors, ended, lines, nextLine, send } = start(bind.url)
    const reply = nextLine()
    send(INITIALIZE)
    await reply
    end(child)
    expect(await ended).toEqual([0, null])
    expect(await errors).toBe('')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([0])
  })

  test.each(ENDS)(
    'while calls wait for a resolver that does not answer: when %s',
    async (_, end) => {
      const silent = createServer()
      onTestFinished(() => void silent.close())
      const { child, errors, ended, lines, nextLine, send } = start(await urlOf(silent))
      const reply = nextLine()
      send(INITIALIZE)
      await reply
      const asked = once(silent, 'connection')
      for (let id = 1; id <= 20; id++) {
        const params = { name: SCORE, arguments: { domain: `d${id}.test` } }
        send({ jsonrpc: '2.0', id, method: 'tools/call', params })
      }
      await asked
      end(child)
      expect(await ended).toEqual([0, null])
      expect(await errors).toBe('')
      expect(lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(lines.map(() => '2.0'))
    },
  )

  test('when standard input is closed before any message', async () => {
    const { child, errors, ended, lines } = start(bind.url)
    child.stdin.end()
    expect([await ended, await errors, lines]).toEqual([[0, null], '', []])
  })

  async function urlOf(server: Server): Promise<string> {
    return `http://127.0.0.1:${await listenOnLoopback(server)}/dns-query`
  }
})
