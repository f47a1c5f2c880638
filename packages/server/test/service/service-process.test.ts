import http from 'node:http'
import { type DohExchange, type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { afterEach, describe, expect, test } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

const zone = 'acme.example. MX 10 mx.acme.example.\nmx.acme.example. A 192.0.2.1'

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

  test('rejects headers that are too large, and logs it', async () => {
    const service = await start()
    const headers = { 'x-big': 'x'.repeat(20_000) }
    const response = await fetch(`${service.url}/healthz`, { headers })
    expect(response.status).toBe(431)
    const requestId = response.headers.get('x-request-id')
    expect(await service.logged('rejected request')).toMatchObject({ status: 431, requestId })
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
    ['info', null, 404, 'join-me'],
    ['info', '/v1/mx', 400, 'join-me'],
  ])
  expect(service.output.stdout).not.toMatch(/ann|acme|hunter2|127\.0\.0\.1/)
})

test('warns when a live service has no public BASE_URL', async () => {
  const live = {
    PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    FACILITATOR_URL: 'http://127.0.0.1:9',
  }
  const { logged } = await start(live)
  expect(await logged('BASE_URL is not a public https URL')).toMatchObject({ level: 'warn' })
})
