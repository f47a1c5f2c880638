/** The limits of nginx for one network, which hold before a request reaches an instance. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get, type ServerResponse } from 'node:http'
import { waitUntil } from '@mailgrade/testing/wait-until'
import { expect, onTestFinished, test } from 'vitest'
import { type NginxServer, startNginxServer } from '../support/nginx-server.js'
import { testConfig } from '../support/test-config.js'
import { startStubServer } from './stub-server.js'

const CONFIG = readFileSync('deploy/nginx/mailgrade.conf', 'utf8')
const [, RATE] = /^limit_req_zone .* rate=(\d+)r\/s;$/m.exec(CONFIG) ?? []
const [, BURST] = /^ {2}limit_req .* burst=(\d+) nodelay;$/m.exec(CONFIG) ?? []
const [, CONNECTIONS] = /^ {2}limit_conn \w+ (\d+);$/m.exec(CONFIG) ?? []

/** So slow that the time a test takes does not change the counts. */
const withoutRefill = (config: string) => config.replace(`rate=${RATE}r/s`, 'rate=1r/m')

/** Requests name their address in a header, as behind a load balancer. */
const withForwardedAddresses = (config: string) =>
  config.replace(
    'server_name _;',
    'server_name _;\n  set_real_ip_from 127.0.0.1;\n  real_ip_header X-Forwarded-For;',
  )

async function startProxy(
  edit: (config: string) => string,
  handle = (response: ServerResponse) => void response.end('ok'),
) {
  const instance = await startStubServer((_, response) => handle(response))
  const nginx = await startNginxServer({ instances: [instance.host], edit })
  onTestFinished(nginx.stop)
  return { instance, nginx }
}

const statusFrom = async (nginx: NginxServer, address: string) =>
  (await fetch(nginx.url, { headers: { 'x-forwarded-for': address } })).status

test('the shipped limits are far above the rate limit of the service', () => {
  const { rateLimitPerMinute } = testConfig({})
  expect([Number(RATE), Number(BURST), Number(CONNECTIONS)]).toEqual([20, 200, 100])
  expect(Number(RATE) * 60).toBeGreaterThan(rateLimitPerMinute * 10)
})

test('one address gets a burst of requests, and then 429 as a problem', async () => {
  const { instance, nginx } = await startProxy(withoutRefill)
  const statuses: number[] = []
  for (let turn = 0; turn < 220; turn++) statuses.push((await fetch(nginx.url)).status)
  expect(statuses).toEqual([...Array(201).fill(200), ...Array(19).fill(429)])
  expect(instance.requests).toHaveLength(201)

  const rejected = await fetch(nginx.url)
  expect(Object.fromEntries(rejected.headers)).toMatchObject({
    'content-type': 'application/problem+json',
    'retry-after': '1',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect(await rejected.json()).toEqual({
    type: 'about:blank',
    title: 'Too Many Requests',
    status: 429,
    code: 'rate_limited',
    detail: 'Your network sends too many requests. You were not charged. Try again in a second.',
    requestId: rejected.headers.get('x-request-id'),
  })
  expect((await nginx.accessLog(201)).map(({ status }) => status)).toEqual(Array(201).fill(200))
})

test('an IPv6 /48 shares a limit, and every IPv4 address has its own', async () => {
  const { nginx } = await startProxy((config) =>
    withForwardedAddresses(withoutRefill(config)).replace(`burst=${BURST}`, 'burst=1'),
  )
  const expected: [string, number][] = [
    ['2001:db8:1:2::1', 200],
    ['2001:db8:1:3::1', 200],
    ['2001:db8:1:ffff:ffff:ffff:ffff:ffff', 429],
    ['2001:db8:2:2::1', 200],
    ['192.0.2.1', 200],
    ['192.0.2.1', 200],
    ['192.0.2.1', 429],
    ['192.0.2.2', 200],
    ['::ffff:192.0.2.3', 200],
    ['::ffff:192.0.2.3', 200],
    ['::ffff:192.0.2.4', 200],
  ]
  const statuses: [string, number][] = []
  for (const [address] of expected) statuses.push([address, await statusFrom(nginx, address)])
  expect(statuses).toEqual(expected)
})

test('one address has a limited number of requests in progress', async () => {
  const held: ServerResponse[] = []
  const { nginx, instance } = await startProxy(
    (config) => config.replace(`connections ${CONNECTIONS};`, 'connections 3;'),
    (response) => void held.push(response),
  )
  const agent = new Agent()
  onTestFinished(() => agent.destroy())
  const waiting = [1, 2, 3].map(() => once(get(nginx.url, { agent }), 'response'))
  await waitUntil('three requests in progress', () => instance.requests.length === 3)
  expect((await fetch(nginx.url)).status).toBe(429)
  for (const response of held) response.end('ok')
  const answered = (await Promise.all(waiting)).map(([response]) => {
    response.resume()
    return response.statusCode
  })
  expect(answered).toEqual([200, 200, 200])
  expect(instance.requests).toHaveLength(3)
})
