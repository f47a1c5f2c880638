import http from 'node:http'
import { type DohExchange, type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { afterEach, describe, expect, test } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

const zone = 'acme.example. MX 10 mx.acme.example.\nmx.acme.example. A 192.0.2.1'

/** Node prints the URL of every module that it loads to standard error. */
const RESOLVE_HOOK = `
  export async function resolve(...args) {
    const resolved = await args[2](args[0], args[1])
    process._rawDebug(resolved.url)
    return resolved
  }`
const REGISTER_HOOK = `
  import { register } from 'node:module'
  register('data:text/javascript,${encodeURIComponent(RESOLVE_HOOK)}')`
const PRINT_MODULES = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REGISTER_HOOK)}`,
}

const running: { stop(): unknown }[] = []
afterEach(async () => {
  for (const { stop } of running.splice(0)) await stop()
})

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startServiceProcess(env)
  running.push({ stop: () => service.process.kill('SIGKILL') })
  return service
}

async function startResolver(): Promise<DohServer> {
  const server = await startDohServer(zone, 'http/1.1')
  running.push({ stop: server.close })
  return server
}

describe('start', () => {
  test('prints the version, URL, mode and three commands that work', async () => {
    const { url, output } = await start({ BASE_URL: 'http://localhost:1234' })
    expect(output.stderr).toContain('Mailgrade 0.4.0 is listening on port')
    expect(output.stderr).toContain('http://localhost:1234')
    expect(output.stderr).toContain('Mode: sandbox')
    const commands = [...output.stderr.matchAll(/curl 'http:\/\/localhost:1234(.*)'/g)]
    expect(commands).toHaveLength(3)
    for (const [, path] of commands) expect((await fetch(url + path)).status).toBe(200)
  })

  test('runs live with PAY_TO_ADDRESS, without demo domains', async () => {
    const resolver = await startResolver()
    const { url, output } = await start({
      PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      FACILITATOR_URL: 'http://127.0.0.1:9',
      NODE_ENV: 'production',
      DOH_URLS: resolver.url.href,
    })
    expect(output.stderr).toContain('Mode: live')
    expect((await fetch(`${url}/v1/mx?domain=good.test`)).status).toBe(404)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  test('runs with PAYMENTS=off in production, without a payee or the chain libraries', async () => {
    const off = await start({ PAYMENTS: 'off', NODE_ENV: 'production', ...PRINT_MODULES })
    const sandbox = await start(PRINT_MODULES)
    expect(off.output.stderr).toContain('Mode: free checks only')
    expect((await fetch(`${off.url}/v1/score?domain=acme.example`)).status).toBe(404)
    expect((await fetch(`${off.url}/sandbox/chain`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${off.url}/openapi.json`)).status).toBe(200)
    const chainModules = /\/@nomicfoundation\/|\/dist\/(sandbox|chain-backend)\.js/
    expect(off.output.stderr).toContain('/dist/main.js')
    expect(off.output.stderr).not.toMatch(chainModules)
    expect(sandbox.output.stderr).toMatch(chainModules)
  })

  test('names every invalid variable and exits', async () => {
    const service = await start({ PORT: 'x', LOG_LEVEL: 'loud', NODE_ENV: 'production' })
    expect(await service.exitCode()).toBe(1)
    for (const name of ['PORT', 'LOG_LEVEL', 'PAY_TO_ADDRESS']) {
      expect(service.output.stderr).toContain(`  ${name} must`)
    }
  })

  test('says what to do when the port is taken', async () => {
    const first = await start()
    const second = await start({ PORT: new URL(first.url).port })
    expect(await second.exitCode()).toBe(1)
    expect(second.output.stderr).toContain('PORT to a free port')
  })
})

describe('stop', () => {
  test('on SIGTERM is not ready, finishes requests in flight and exits with 0', async () => {
    const resolver = await startResolver()
    const held = new Promise<DohExchange>((resolve) => {
      resolver.respond = resolve
    })
    const service = await start({ DOH_URLS: resolver.url.href })
    const inFlight = fetch(`${service.url}/v1/mx?domain=acme.example`)
    const exchange = await held

    service.process.kill('SIGTERM')
    await service.logged('draining')
    const ready = await fetch(`${service.url}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ code: 'shutting_down' })

    resolver.respond = (next) => next.send()
    exchange.send()
    const response = await inFlight
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ domain: 'acme.example', status: 'pass' })
    expect(await service.exitCode()).toBe(0)
  })

  test('stops when npm gets SIGTERM', async () => {
    const service = await startServiceProcess({}, ['npm', 'start', '--silent'])
    running.push({ stop: () => service.process.kill('SIGKILL') })
    service.process.kill('SIGTERM')
    await service.logged('stopped')
    expect(await service.exitCode()).toBe(0)
  })

  test('stops at once on SIGINT', async () => {
    const service = await start()
    service.process.kill('SIGINT')
    expect(await service.exitCode()).toBe(0)
  })
})

describe('requests', () => {
  test('stops working for a caller that disconnects', async () => {
    const resolver = await startResolver()
    const held = new Promise<DohExchange>((resolve) => {
      resolver.respond = resolve
    })
    const service = await start({ DOH_URLS: resolver.url.href })
    const request = http.get(`${service.url}/v1/mx?domain=acme.example`).on('error', () => {})
    const { response } = await held
    const queryAborted = new Promise((resolve) => response.once('close', resolve))

    request.destroy()

    await queryAborted
    expect(await service.logged('request')).toMatchObject({ route: '/v1/mx', isAborted: true })
    expect(resolver.queries).toEqual(['MX acme.example'])
  })

  test('counts what strangers can cause without limit, and logs the numbers when it stops', async () => {
    const service = await start()
    const headers = { 'x-big': 'x'.repeat(20_000) }
    for (let time = 0; time < 3; time++) {
      expect((await fetch(`${service.url}/healthz`, { headers })).status).toBe(431)
      expect((await fetch(`${service.url}/nowhere`)).status).toBe(404)
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    }
    service.process.kill('SIGINT')
    expect(await service.logged('counted, not logged')).toMatchObject({
      level: 'info',
      counts: { '431 headers_too_large': 3, '404 not_found': 3, '200 /healthz': 3 },
    })
    expect(await service.exitCode()).toBe(0)
    const messages = [...service.output.stdout.matchAll(/"msg":"([^"]+)"/g)].map(([, text]) => text)
    expect(messages).toEqual(['listening', 'draining', 'counted, not logged', 'stopped'])
  })

  test('are limited for each caller with MAX_REQUESTS_PER_SECOND', async () => {
    const { url } = await start({ MAX_REQUESTS_PER_SECOND: '1' })
    const responses = await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/readyz`)))
    const rejected = responses.find(({ status }) => status === 429)
    expect(responses.map(({ status }) => status)).toContain(200)
    expect(await rejected?.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/^Your network is sending too many requests at once/),
    })
  })

  test('logs every request with LOG_LEVEL=debug', async () => {
    const service = await start({ LOG_LEVEL: 'debug' })
    const response = await fetch(`${service.url}/nowhere`)
    const requestId = response.headers.get('x-request-id')
    expect(await service.logged('request')).toMatchObject({
      level: 'debug',
      status: 404,
      requestId,
    })
  })
})

test('logs the request id and nothing private', async () => {
  const resolver = await startResolver()
  const service = await start({ DOH_URLS: resolver.url.href })
  for (const path of [
    '/v1/mx?domain=ann@acme.example',
    '/v1/mx?domain=https://ann:hunter2@acme.example/private',
    '/ann@acme.example/hunter2',
    '/v1/mx?domain=ann',
    '/badge/acme.example.svg',
    '/share/ann@acme.example.png',
    '/domains?domains=acme.example%0Aann%0Ahunter2.example',
  ]) {
    await fetch(service.url + path, { headers: { 'x-request-id': 'join-me', 'user-agent': 'ann' } })
  }
  service.process.kill('SIGINT')
  await service.exitCode()

  const requests = service.output.stdout
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line))
  expect(
    requests.map(({ route, status, requestId, level }) => [level, route, status, requestId]),
  ).toEqual([
    ['info', '/v1/mx', 200, 'join-me'],
    ['info', '/v1/mx', 200, 'join-me'],
    ['info', '/badge/:file', 200, 'join-me'],
    ['info', '/share/:file', 200, 'join-me'],
  ])
  expect(service.output.stdout).not.toMatch(/ann|acme|hunter2|127\.0\.0\.1/)
})

test('warns when a live service has no public BASE_URL, its payments to itself, or a new ledger', async () => {
  const live = {
    PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    FACILITATOR_URL: 'http://127.0.0.1:9',
  }
  const { logged } = await start(live)
  expect(await logged('BASE_URL is not a public https URL')).toMatchObject({ level: 'warn' })
  const alone = 'payments are in DATA_DIR: do not start a second instance without REDIS_URL'
  expect(await logged(alone)).toMatchObject({ level: 'warn' })
  const isNew =
    'the payment ledger is new: if this service has sold reports before, restore the ledger or run `npm run reconcile` first'
  expect(await logged(isNew)).toMatchObject({ level: 'warn' })
  const shared = await start({ ...live, REDIS_URL: 'redis://:secret@127.0.0.1:9' })
  expect(shared.output.stdout).not.toContain(alone)
})

test('warns when REDIS_URL has no password', async () => {
  const message = 'REDIS_URL has no password, so the store’s files reveal callers’ IP addresses'
  const { logged } = await start({ REDIS_URL: 'redis://127.0.0.1:9' })
  expect(await logged(message)).toMatchObject({ level: 'warn' })
  const protectedStore = await start({ REDIS_URL: 'redis://:secret@127.0.0.1:9' })
  expect(protectedStore.output.stdout).not.toContain(message)
})
