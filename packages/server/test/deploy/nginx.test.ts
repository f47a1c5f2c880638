/** Two instances behind nginx with the configuration of deploy/nginx. */

import { PATHS } from '@mailgrade/operations/service-paths'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AI_CATALOG_PATH, SERVER_CARD_PATHS } from '../../src/mcp/server-card.js'
import { type NginxServer, startNginxServer } from '../support/nginx-server.js'
import { readPaidResponse } from '../support/paid-responses.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { type DeployEnvironment, openDeployEnvironment } from './deploy-environment.js'
import { startStubServer } from './stub-server.js'

const SCORE = '/v1/score?domain=acme.example'
const BASE_URL = 'https://mailgrade.example'

let environment: DeployEnvironment
let instances: ServiceProcess[]
let nginx: NginxServer

const startInstance = (env: Record<string, string> = {}) =>
  startServiceProcess({ ...environment.env, BASE_URL, TRUST_PROXY_HOPS: '1', ...env })

beforeAll(async () => {
  environment = await openDeployEnvironment()
  instances = await Promise.all([startInstance(), startInstance()])
  nginx = await startNginxServer({ instances: instances.map(toHost) })
})

afterAll(async () => {
  await nginx?.stop()
  for (const instance of instances ?? []) instance.process.kill('SIGKILL')
  await environment?.close()
})

const toHost = ({ url }: ServiceProcess) => new URL(url).host
const get = (path: string, headers: Record<string, string> = {}, server = nginx) =>
  fetch(server.url + path, { headers })

describe('nginx passes on', () => {
  test('a 402 with larger headers than nginx allows by default', async () => {
    const verbose = await startInstance({
      SERVICE_NAME: 'Mailgrade with a long name'.repeat(3),
      BASE_URL: `${BASE_URL}/${'a-long-path/'.repeat(25)}`,
    })
    onTestFinished(() => void verbose.process.kill('SIGKILL'))
    const proxy = await startNginxServer({ instances: [toHost(verbose)] })
    onTestFinished(proxy.stop)
    const [direct, proxied] = await Promise.all([
      fetch(verbose.url + SCORE).then(readPaidResponse),
      get(SCORE, {}, proxy).then(readPaidResponse),
    ])
    expect([proxied.status, proxied.paymentRequired]).toEqual([402, direct.paymentRequired])
    expect([...direct.headers].flat().join('').length).toBeGreaterThan(4_096)
  })

  test('a payment, and the report with its settlement response', async () => {
    const payment = await environment.signPayment(BASE_URL + SCORE)
    const response = await get(SCORE, { 'PAYMENT-SIGNATURE': payment }).then(readPaidResponse)
    expect([response.status, response.body.domain, response.settlement?.success]).toEqual([
      200,
      'acme.example',
      true,
    ])
  })

  test.each([
    [12_000, 400, 'malformed_payment'],
    [20_000, 431, 'headers_too_large'],
  ])(
    'a header of %i characters, which the service rejects itself',
    async (length, status, code) => {
      const response = await get(SCORE, { 'PAYMENT-SIGNATURE': 'A'.repeat(length) })
      expect([response.status, await response.json()]).toMatchObject([status, { code }])
    },
  )

  test('a body of 70 KB, which the service rejects itself', async () => {
    const init = {
      method: 'POST',
      body: ' '.repeat(70_000),
      headers: { host: 'mailgrade.example' },
    }
    const response = await fetch(nginx.url + PATHS.mcp, init)
    expect(response.status).toBe(413)
    expect(response.headers.get('content-type')).toMatch('json')
  })

  test('no metrics', async () => {
    expect((await get('/metrics')).status).toBe(404)
  })
})

test('a forged X-Forwarded-For does not raise the rate limit', async () => {
  const strict = await startInstance({ RATE_LIMIT_PER_MINUTE: '2' })
  onTestFinished(() => void strict.process.kill('SIGKILL'))
  const proxy = await startNginxServer({ instances: [toHost(strict)] })
  onTestFinished(proxy.stop)
  const statuses: number[] = []
  for (const forged of ['203.0.113.1', '203.0.113.2', '203.0.113.3, 127.0.0.1']) {
    const headers = { 'x-forwarded-for': forged }
    statuses.push((await get('/v1/mx?domain=acme.example', headers, proxy)).status)
  }
  expect(statuses).toEqual([200, 200, 429])
})

test('both logs have the same request id and neither has addresses or domains', async () => {
  const proxy = await startNginxServer({ instances: instances.map(toHost) })
  onTestFinished(proxy.stop)
  const path = '/v1/mx?domain=acme.example'
  const valid = await get(path, { 'x-request-id': 'from-the-caller' }, proxy)
  const invalid = await get(path, { 'x-request-id': '{"a":"b"}' }, proxy)
  const none = await get(path, {}, proxy)
  const badge = await get('/badge/acme.example.svg', {}, proxy)
  const share = await get('/share/%0Aacme.example.png', {}, proxy)
  const ids = [valid, invalid, none, badge, share].map(({ headers }) => headers.get('x-request-id'))
  expect(ids).toEqual(['from-the-caller', ...Array(4).fill(expect.any(String))])
  const lines = await proxy.accessLog(5)
  expect(lines.map(({ requestId }) => requestId)).toEqual(ids)
  expect(lines[0]).toMatchObject({ method: 'GET', path: '/v1/mx', status: 200 })
  expect(lines.slice(3).map((line) => line.path)).toEqual(['/badge/…', '/share/…'])
  expect(JSON.stringify(lines)).not.toMatch(/acme|"127\.0\.0\.1"/)
  const logs = () => instances.map(({ output }) => output.stdout).join('')
  for (const id of ids) await expect.poll(logs).toContain(`"requestId":"${id}"`)
})

test('strips trace headers of callers', async () => {
  const instance = await startStubServer((_, response) => void response.end())
  const proxy = await startNginxServer({ instances: [instance.host] })
  onTestFinished(proxy.stop)
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  await get('/', { traceparent, tracestate: 'vendor=1', 'x-request-id': 'own' }, proxy)
  const [headers] = instance.requests.map((request) => request.headers)
  expect(headers).toMatchObject({ 'x-request-id': 'own' })
  expect(Object.keys(headers ?? {}).filter((name) => name.startsWith('trace'))).toEqual([])
})

test('serves well-known paths at the root when BASE_URL has a path', async () => {
  const edit = (config: string) =>
    config.replace(/ {2}location \/ \{.*? {2}\}\n/s, 'include /etc/nginx/under-a-path.conf;\n')
  const proxy = await startNginxServer({ instances: instances.map(toHost), edit })
  onTestFinished(proxy.stop)
  const paths = [
    PATHS.manifest,
    PATHS.apiCatalog,
    PATHS.robots,
    AI_CATALOG_PATH,
    SERVER_CARD_PATHS[1],
    '/mailgrade/',
    '/mailgrade/v1/mx?domain=acme.example',
    '/mailgrade?domain=acme.example',
  ]
  const statuses = paths.map(async (path) => [path, (await get(path, {}, proxy)).status])
  expect(await Promise.all(statuses)).toEqual(paths.map((path) => [path, 200]))
  expect((await get('/v1/mx?domain=acme.example', {}, proxy)).status).toBe(404)
})
