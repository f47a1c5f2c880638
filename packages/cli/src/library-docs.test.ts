/**
 * Every TypeScript example of the documentation prints what the document says; that it compiles is
 * tested in test/library-docs.test.ts.
 *
 * Nothing is looked up: where an example would use the default resolvers, `mailgrade` answers from
 * scripts/example.zone here, and `node:dns` queries a server on loopback that has the same zone.
 */
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { format } from 'node:util'
import { encodeAnswer } from '@mailgrade/testing/dns-message'
import { transformSync } from '@swc/core'
import { decode } from 'dns-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDocumentedExamples } from '../test/support/documented-examples.js'
import * as library from './index.js'

const ZONE = readFileSync('packages/cli/scripts/example.zone', 'utf8')
const zone = library.createZoneDns('zone', ZONE)

/** Ends with its signal, as a client over HTTPS does; cannot look up broken.example. */
const dns: library.AbortableDns = {
  async query(name, type, signal) {
    if (name === 'broken.example') return library.failed('servfail', 'broken')
    return signal?.aborted ? library.failed('aborted', 'aborted') : zone.query(name, type)
  },
}

const EXAMPLES = readDocumentedExamples()

type ReportFunction = (subject: string, options?: object) => Promise<unknown>

function overZone(run: ReportFunction): ReportFunction {
  return (subject, options) => run(subject, { dns, ...options })
}

const MAILGRADE = {
  ...library,
  ...Object.fromEntries(
    Object.entries(library)
      .filter(([name]) => /^(?:check|score|plan|evaluate)[A-Z]/.test(name))
      .map(([name, run]) => [name, overZone(run as ReportFunction)]),
  ),
  createDoh: () => ({ ...dns, close() {} }),
}

const socket = createSocket('udp4')

beforeAll(async () => {
  socket.on('message', async (message, { port, address }) => {
    const [question] = decode(message).questions ?? []
    if (!question) return
    const type = question.type as library.RecordType
    const response = encodeAnswer(question.name, type, await dns.query(question.name, type))
    message.copy(response, 0, 0, 2) // the id of the query
    socket.send(response, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
})

afterAll(() => socket.close())

class LoopbackResolver extends Resolver {
  constructor(options: ConstructorParameters<typeof Resolver>[0]) {
    super(options)
    this.setServers([`127.0.0.1:${socket.address().port}`])
  }
}

const MODULES: Readonly<Record<string, object>> = {
  mailgrade: MAILGRADE,
  'node:dns/promises': { Resolver: LoopbackResolver },
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parametersAndBody: string[]
) => (...values: unknown[]) => Promise<void>

/** Returns what the example prints. */
async function runExample(code: string): Promise<string> {
  const lines: string[] = []
  const print = (...values: unknown[]) => lines.push(`${format(...values)}\n`)
  const script = transformSync(code, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  }).code.replace(/^import (\{[^}]*\}) from ['"](.+)['"];$/gm, "const $1 = modules['$2'];")
  const run = new AsyncFunction('modules', 'console', 'process', script)
  await run(MODULES, { log: print, warn: print, error: print }, {})
  return lines.join('')
}

describe.each(EXAMPLES.map((example) => [example.name, example] as const))('%s', (_, example) => {
  test('prints what the document says', async () => {
    expect(await runExample(example.code)).toBe(example.output ?? expect.any(String))
  })
})

test('the DNS over node:dns keeps absent, unknown and the null MX apart', async () => {
  const example = EXAMPLES.find(({ code }) => code.includes("'node:dns/promises'"))
  const queries = `
for (const [name, type] of [
  ['acme.example', 'MX'], ['parked.example', 'MX'], ['acme.example', 'AAAA'],
  ['nowhere.example', 'TXT'], ['broken.example', 'TXT'], ['acme.example', 'SPF'],
]) {
  const { kind, reason, records } = await dns.query(name, type)
  console.log(name, type, kind, reason ?? '', JSON.stringify(records) ?? '')
}`
  const output = await runExample(`${example?.code}${queries}`)
  expect(output.split('\n').slice(1, -1)).toEqual([
    'acme.example MX records  [{"preference":0,"exchange":"acme-example.mail.protection.outlook.com"}]',
    'parked.example MX records  [{"preference":0,"exchange":"."}]',
    'acme.example AAAA nodata  ',
    'nowhere.example TXT nxdomain  ',
    'broken.example TXT failed servfail ',
    'acme.example SPF failed refused ',
  ])
})

test('every function of the library has an example', () => {
  const code = EXAMPLES.map((example) => example.code).join('\n')
  const functions = Object.entries(library).filter(([, value]) => typeof value === 'function')
  expect(functions.map(([name]) => name).filter((name) => !code.includes(`${name}(`))).toEqual([])
})
