/** Responses while an instance behind nginx stops, fails or is overloaded. */
import { expect, onTestFinished, test } from 'vitest'
import { startNginxServer } from '../support/nginx-server.js'
import { startServiceProcess } from '../support/service-process.js'
import { openDeployEnvironment } from './deploy-environment.js'
import { startStubServer, startUnresponsiveServer } from './stub-server.js'

const SCORE = '/v1/score?domain=acme.example'
const BASE_URL = 'https://mailgrade.example'
/** At once; few, so that none waits for the facilitator longer than an instance does. */
const PAYMENTS = 6

test('no paid request fails while an instance stops', async () => {
  const environment = await openDeployEnvironment()
  onTestFinished(environment.close)
  const env = { ...environment.env, BASE_URL, TRUST_PROXY_HOPS: '1' }
  const [stopping, other] = await Promise.all([startServiceProcess(env), startServiceProcess(env)])
  for (const service of [stopping, other]) {
    onTestFinished(() => void service.process.kill('SIGKILL'))
  }
  const instances = [stopping, other].map(({ url }) => new URL(url).host)
  const nginx = await startNginxServer({ instances })
  onTestFinished(nginx.stop)

  const signMany = () =>
    Promise.all(Array.from({ length: PAYMENTS }, () => environment.signPayment(BASE_URL + SCORE)))
  const send = async (payment: string) =>
    (await fetch(nginx.url + SCORE, { headers: { 'PAYMENT-SIGNATURE': payment } })).status
  const sendMany = (payments: readonly string[]) => Promise.all(payments.map(send))

  const before = await sendMany(await signMany())
  // Signed now, because the instance accepts connections for a short time only.
  const payments = await signMany()
  stopping.process.kill('SIGTERM')
  await stopping.logged('draining')
  const during = await sendMany(payments)
  expect(await stopping.exitCode()).toBe(0)
  const after = await sendMany(await signMany())
  const all = [...before, ...during, ...after]
  expect(all).toEqual(all.map(() => 200))
  // Proof that nginx did try the stopping instance.
  expect(stopping.output.stdout).toContain('"status":503')
})

test('retries a broken GET at another instance, but not a POST', async () => {
  const broken = await startStubServer((request) => void request.socket.destroy())
  const working = await startStubServer((_, response) => void response.end('ok'))
  const nginx = await startNginxServer({ instances: [broken.host, working.host] })
  onTestFinished(nginx.stop)
  const statusesOf = async (method: string) => {
    const statuses: number[] = []
    for (let turn = 0; turn < 4; turn++) {
      statuses.push((await fetch(nginx.url, { method })).status)
    }
    return statuses.sort()
  }
  expect(await statusesOf('GET')).toEqual([200, 200, 200, 200])
  expect(await statusesOf('POST')).toEqual([200, 200, 502, 502])
  expect([broken.requests.length, working.requests.length]).toEqual([4, 6])
})

test('an unreachable instance costs no request', async () => {
  const working = await startStubServer((_, response) => void response.end('ok'))
  const nginx = await startNginxServer({
    instances: [await startUnresponsiveServer(), working.host],
  })
  onTestFinished(nginx.stop)
  const methods = ['GET', 'GET', 'POST', 'POST']
  const responses = await Promise.all(methods.map((method) => fetch(nginx.url, { method })))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  // Proof that nginx did try the unreachable one.
  const tried = (await nginx.accessLog(4)).map(({ upstreamStatus }) => upstreamStatus)
  expect(tried).toContain('504, 200')
})

test('passes on the 503 of the service when all instances are overloaded', async () => {
  const body = JSON.stringify({ code: 'overloaded' })
  const busy = () =>
    startStubServer((_, response) => void response.writeHead(503, { 'retry-after': '1' }).end(body))
  const [first, second] = await Promise.all([busy(), busy()])
  const nginx = await startNginxServer({ instances: [first.host, second.host] })
  onTestFinished(nginx.stop)
  for (let turn = 0; turn < 5; turn++) {
    const response = await fetch(nginx.url)
    expect([response.status, await response.json()]).toEqual([503, { code: 'overloaded' }])
  }
  expect([first.requests.length, second.requests.length]).toEqual([5, 5])
})
