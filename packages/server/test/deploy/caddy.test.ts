/** The Caddy overlay of the compose file, and what Caddy does with its configuration. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PATHS } from '@mailgrade/operations/service-paths'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCaddyServer } from '../support/caddy-server.js'
import { COMPOSE_VARIABLES, readComposeServices } from './compose-services.js'
import { startStubServer } from './stub-server.js'

/** From Debian. */
const CADDY = 'caddy'
const CADDYFILE = 'deploy/caddy/Caddyfile'
const { MAILGRADE_HOST } = COMPOSE_VARIABLES
const { caddy, nginx } = readComposeServices('deploy/compose.caddy.yaml')
const PATH = '/v1/mx?domain=acme.example'

async function startProxy(...instances: readonly string[]) {
  const proxy = await startCaddyServer(instances)
  onTestFinished(proxy.stop)
  return proxy
}

const startInstance = () =>
  startStubServer((request, response) => void response.end(`${request.headers.host}${request.url}`))

describe('the overlay', () => {
  test('has the same protection as the other services', () => {
    expect(caddy).toMatchObject({
      restart: 'unless-stopped',
      read_only: true,
      cap_drop: ['ALL'],
      cap_add: ['NET_BIND_SERVICE'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: '128m',
      ports: ['80:80', '443:443', '443:443/udp'],
      environment: { MAILGRADE_HOST },
    })
    expect(nginx).toEqual({ profiles: ['nginx'] })
  })

  test('has each instance limit floods, which Caddy cannot', () => {
    const overlay = readComposeServices('deploy/compose.caddy.yaml')
    expect(overlay['mailgrade-1']).toEqual({ environment: { MAX_REQUESTS_PER_SECOND: '20' } })
    expect(overlay['mailgrade-2']).toEqual(overlay['mailgrade-1'])
  })

  test('mounts the configuration, and keeps certificates', () => {
    const [config = '', data] = caddy?.volumes ?? []
    const [source = '', target, mode] = config.split(':')
    expect(existsSync(join('deploy', source))).toBe(true)
    expect([join('deploy', source), target, mode]).toEqual([
      CADDYFILE,
      '/etc/caddy/Caddyfile',
      'ro',
    ])
    expect(data).toBe('caddy:/data')
  })

  test('names the instances of the compose file', () => {
    const names = Object.keys(readComposeServices('deploy/compose.yaml')).filter((name) =>
      name.startsWith('mailgrade-'),
    )
    const upstreams = names.map((name) => `${name}:3000`).join(' ')
    expect(readFileSync(CADDYFILE, 'utf8')).toContain(`reverse_proxy ${upstreams} {`)
  })
})

test('Caddy accepts the configuration and gets a certificate for the host', () => {
  const run = (...args: string[]) =>
    execFileSync(CADDY, [...args, '--config', CADDYFILE, '--adapter', 'caddyfile'], {
      encoding: 'utf8',
      env: { ...process.env, MAILGRADE_HOST },
      stdio: 'pipe',
    })
  run('validate')
  const { apps } = JSON.parse(run('adapt'))
  const servers: { listen: string[]; routes: { match?: { host: string[] }[] }[] }[] = Object.values(
    apps.http.servers,
  )
  const [tls] = servers.filter(({ listen }) => listen.includes(':443'))
  expect(tls?.routes.map(({ match }) => match)).toEqual([[{ host: [MAILGRADE_HOST] }]])
  // No setting of its own: the certificate is automatic.
  expect([apps.tls, tls && 'automatic_https' in tls]).toEqual([undefined, false])
})

describe('Caddy', () => {
  test('passes on the host, the path and one address that callers cannot forge', async () => {
    const instance = await startInstance()
    const { url } = await startProxy(instance.host)
    const headers = {
      'x-forwarded-for': '203.0.113.1, 203.0.113.2',
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      tracestate: 'vendor=1',
      'x-request-id': 'from-the-caller',
    }
    const response = await fetch(url + PATH, { headers })
    expect(await response.text()).toBe(new URL(url).host + PATH)
    const [sent] = instance.requests
      .filter(({ url: path }) => path === PATH)
      .map((request) => request.headers)
    expect(sent).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-request-id': 'from-the-caller',
    })
    expect(Object.keys(sent ?? {}).filter((name) => name.startsWith('trace'))).toEqual([])
  })

  test('passes on a payment, and a body that the service rejects itself', async () => {
    const instance = await startInstance()
    const { url } = await startProxy(instance.host)
    const payment = 'A'.repeat(12_000)
    await fetch(url + PATH, { headers: { 'PAYMENT-SIGNATURE': payment } })
    await fetch(url + PATHS.mcp, { method: 'POST', body: ' '.repeat(70_000) })
    const [paid, post] = instance.requests.filter(({ url: path }) => path !== PATHS.ready)
    expect(paid?.headers['payment-signature']).toBe(payment)
    expect(post?.headers['content-length']).toBe('70000')
  })

  test('retries a broken GET at another instance', async () => {
    const broken = await startStubServer((request, response) =>
      request.url === PATHS.ready ? void response.end() : void request.socket.destroy(),
    )
    const working = await startInstance()
    const { url } = await startProxy(broken.host, working.host)
    const statuses: number[] = []
    for (let turn = 0; turn < 4; turn++) statuses.push((await fetch(url + PATH)).status)
    expect(statuses).toEqual([200, 200, 200, 200])
    // Proof that Caddy did try the broken one.
    expect(broken.requests.some(({ url: path }) => path === PATH)).toBe(true)
  })

  test('sends nothing to an instance that is not ready', async () => {
    const stopping = await startStubServer(
      (_, response) => void response.writeHead(503).end('stopping'),
    )
    const ready = await startInstance()
    const { url } = await startProxy(stopping.host, ready.host)
    const statusesOfTen = async () => {
      const responses = Array.from({ length: 10 }, () => fetch(url + PATH))
      return (await Promise.all(responses)).map(({ status }) => status)
    }
    await expect.poll(statusesOfTen, { timeout: 150_000 }).toEqual(Array(10).fill(200))
  })

  test('logs neither the caller nor the domain, also when no instance answers', async () => {
    const proxy = await startProxy('127.0.0.1:9')
    const response = await fetch(proxy.url + PATH, { headers: { 'user-agent': 'hunter2' } })
    expect([502, 503]).toContain(response.status)
    expect((await fetch(`${proxy.healthUrl}/healthz`)).status).toBe(200)
    expect(proxy.log()).toContain('serving initial configuration')
    expect(proxy.log()).not.toMatch(/acme|hunter2|remote_ip|v1\/mx/)
  })
})
