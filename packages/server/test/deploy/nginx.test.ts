/** Two instances behind nginx, as deploy/nginx has it. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AI_CATALOG_PATH, SERVER_CARD_PATHS } from '../../src/mcp/server-card.js'
import { PATHS } from '../../src/operations/service-paths.js'
import { type NginxServer, startNginxServer } from '../support/nginx-server.js'
import { readPaidResponse } from '../support/paid-responses.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { type DeployEnvironment, openDeployEnvironment } from './deploy-environment.js'
import { startStubServer } from './stub-server.js'

const SCORE = '/v1/score?domain=acme.example'
const BASE_URL = 'https://mailgrade.example'

let stand: DeployEnvironment
let instances: ServiceProcess[]
let nginx: NginxServer

const startInstance = (env: Record<string, string> = {}) =>
  startServiceProcess({ ...stand.env, BASE_URL, TRUST_PROXY_HOPS: '1', ...env })

beforeAll(async () => {
  stand = await openDeployEnvironment()
  instances = await Promise.all([startInstance(), startInstance()])
  nginx = await startNginxServer({ instances: instances.map(hostOf) })
}, 60_000)

afterAll(async () => {
  await nginx?.stop()
  for (const { process } of instances ?? []) process.kill('SIGKILL')
  await stand?.close()
})

const hostOf = ({ url }: ServiceProcess) => new URL(url).host
const ask = (path: string, headers: Record<string, string> = {}, at = nginx) =>
  fetch(at.url + path, { headers })

describe('what passes', () => {
  test('a challenge arrives whole, also when nginx as it comes has no room for it', async () => {
    const wordy = await startInstance({
      SERVICE_NAME: 'Mailgrade of the long name'.repeat(3),
      BASE_URL: `${BASE_URL}/${'a-long-path/'.repeat(25)}`,
    })
    onTestFinished(() => void wordy.process.kill('SIGKILL'))
    const proxy = await startNginxServer({ instances: [hostOf(wordy)] })
    onTestFinished(proxy.stop)
    const [direct, proxied] = await Promise.all([
      fetch(wordy.url + SCORE).then(readPaidResponse),
      ask(SCORE, {}, proxy).then(readPaidResponse),
    ])
    expect([proxied.status, proxied.paymentRequired]).toEqual([402, direct.paymentRequired])
    expect([...direct.headers].flat().join('').length).toBeGreaterThan(4_096)
  })

  test('a payment buys a report, with its receipt', async () => {
    const payment = stand.paymentHeader(BASE_URL + SCORE, 1)
    const answer = await ask(SCORE, { 'PAYMENT-SIGNATURE': payment }).then(readPaidResponse)
    expect([answer.status, answer.body.domain, answer.settlement?.success]).toEqual([
      200,
      'acme.example',
      true,
    ])
  })

  test.each([
    [12_000, 400, 'malformed_payment'],
    [20_000, 431, 'headers_too_large'],
  ])('of a header of %i characters it is the service that judges', async (length, status, code) => {
    const answer = await ask(SCORE, { 'PAYMENT-SIGNATURE': 'A'.repeat(length) })
    expect([answer.status, await answer.json()]).toMatchObject([status, { code }])
  })

  test('of a body of 70 KB it is the service that judges', async () => {
    const init = {
      method: 'POST',
      body: ' '.repeat(70_000),
      headers: { host: 'mailgrade.example' },
    }
    const answer = await fetch(nginx.url + PATHS.mcp, init)
    expect(answer.status).toBe(413)
    expect(answer.headers.get('content-type')).toMatch('json')
  })

  test('metrics do not', async () => {
    expect((await ask('/metrics')).status).toBe(404)
  })
})

test('who names other callers has one budget all the same', async () => {
  const strict = await startInstance({ RATE_LIMIT_PER_MINUTE: '2' })
  onTestFinished(() => void strict.process.kill('SIGKILL'))
  const proxy = await startNginxServer({ instances: [hostOf(strict)] })
  onTestFinished(proxy.stop)
  const statuses: number[] = []
  for (const claimed of ['203.0.113.1', '203.0.113.2', '203.0.113.3, 127.0.0.1']) {
    const headers = { 'x-forwarded-for': claimed }
    statuses.push((await ask('/v1/mx?domain=acme.example', headers, proxy)).status)
  }
  expect(statuses).toEqual([200, 200, 429])
})

test('both logs know a request by the same id, and neither knows who asked about whom', async () => {
  const proxy = await startNginxServer({ instances: instances.map(hostOf) })
  onTestFinished(proxy.stop)
  const path = '/v1/mx?domain=acme.example'
  const named = await ask(path, { 'x-request-id': 'from-the-caller' }, proxy)
  const insane = await ask(path, { 'x-request-id': '{"a":"b"}' }, proxy)
  const unnamed = await ask(path, {}, proxy)
  const ids = [named, insane, unnamed].map(({ headers }) => headers.get('x-request-id'))
  expect(ids).toEqual(['from-the-caller', expect.any(String), expect.any(String)])
  const lines = await proxy.accessLog(3)
  expect(lines.map(({ requestId }) => requestId)).toEqual(ids)
  expect(lines[0]).toMatchObject({ method: 'GET', path: '/v1/mx', status: 200 })
  expect(JSON.stringify(lines)).not.toMatch(/acme|"127\.0\.0\.1"/)
  const told = () => instances.map(({ output }) => output.stdout).join('')
  for (const id of ids) await expect.poll(told).toContain(`"requestId":"${id}"`)
})

test('a trace that a caller began does not reach the service', async () => {
  const instance = await startStubServer((_, response) => void response.end())
  const proxy = await startNginxServer({ instances: [instance.host] })
  onTestFinished(proxy.stop)
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  await ask('/', { traceparent, tracestate: 'them=1', 'x-request-id': 'mine' }, proxy)
  const [headers] = instance.asked.map((request) => request.headers)
  expect(headers).toMatchObject({ 'x-request-id': 'mine' })
  expect(Object.keys(headers ?? {}).filter((name) => name.startsWith('trace'))).toEqual([])
})

test('below a path of the host, what belongs to its root is found there', async () => {
  const edit = (config: string) =>
    config.replace(/ {2}location \/ \{.*? {2}\}\n/s, 'include /etc/nginx/under-a-path.conf;\n')
  const proxy = await startNginxServer({ instances: instances.map(hostOf), edit })
  onTestFinished(proxy.stop)
  const there = [
    PATHS.manifest,
    PATHS.apiCatalog,
    PATHS.robots,
    AI_CATALOG_PATH,
    SERVER_CARD_PATHS[1],
    '/mailgrade/',
    '/mailgrade/v1/mx?domain=acme.example',
    '/mailgrade?domain=acme.example',
  ]
  const statuses = there.map(async (path) => [path, (await ask(path, {}, proxy)).status])
  expect(await Promise.all(statuses)).toEqual(there.map((path) => [path, 200]))
  expect((await ask('/v1/mx?domain=acme.example', {}, proxy)).status).toBe(404)
})
