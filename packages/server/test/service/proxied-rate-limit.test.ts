import { afterEach, expect, test } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

/** The running service, with its real clock and sockets. */

let service: ServiceProcess
afterEach(() => {
  service.process.kill('SIGKILL')
})

async function request(forwardedFor: string): Promise<(number | string | null)[]> {
  const headers = { 'x-forwarded-for': forwardedFor }
  const response = await fetch(`${service.url}/v1/mx?domain=parked.test`, { headers })
  return [response.status, response.headers.get('ratelimit-policy')]
}

const ALLOWED = [200, '"free";q=2;w=60']
const LIMITED = [429, '"free";q=2;w=60']

test('a caller cannot escape the limit with X-Forwarded-For', async () => {
  service = await startServiceProcess({ RATE_LIMIT_PER_MINUTE: '2' })
  const responses = [
    await request('203.0.113.1'),
    await request('203.0.113.2'),
    await request('203.0.113.3'),
  ]
  expect(responses).toEqual([ALLOWED, ALLOWED, LIMITED])
})

test('behind a trusted proxy each caller has its own limit', async () => {
  service = await startServiceProcess({ RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY_HOPS: '1' })
  const responses = [
    await request('203.0.113.1'),
    await request('198.51.100.1, 203.0.113.1'),
    await request('198.51.100.2, 203.0.113.1'),
    await request('203.0.113.2'),
  ]
  expect(responses).toEqual([ALLOWED, ALLOWED, LIMITED, ALLOWED])
  expect(service.output.stdout).not.toContain('203.0.113')
})
