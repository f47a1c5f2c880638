import { afterEach, expect, test } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

/** From the outside: the service as it runs, with its real clock and sockets. */

let service: ServiceProcess
afterEach(() => {
  service.process.kill('SIGKILL')
})

async function ask(forwardedFor: string): Promise<(number | string | null)[]> {
  const headers = { 'x-forwarded-for': forwardedFor }
  const response = await fetch(`${service.url}/v1/mx?domain=parked.test`, { headers })
  return [response.status, response.headers.get('ratelimit-policy')]
}

const yes = [200, '"free";q=2;w=60']
const no = [429, '"free";q=2;w=60']

test('a caller has one budget, whatever it says of itself', async () => {
  service = await startServiceProcess({ RATE_LIMIT_PER_MINUTE: '2' })
  const answers = [await ask('203.0.113.1'), await ask('203.0.113.2'), await ask('203.0.113.3')]
  expect(answers).toEqual([yes, yes, no])
})

test('behind a trusted proxy every caller has its own', async () => {
  service = await startServiceProcess({ RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY_HOPS: '1' })
  const answers = [
    await ask('203.0.113.1'),
    await ask('198.51.100.1, 203.0.113.1'),
    await ask('198.51.100.2, 203.0.113.1'),
    await ask('203.0.113.2'),
  ]
  expect(answers).toEqual([yes, yes, no, yes])
  expect(service.output.stdout).not.toContain('203.0.113')
})
