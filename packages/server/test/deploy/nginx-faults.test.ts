/** What callers see when an instance behind nginx stops, breaks off, or has too much to do. */
import { expect, onTestFinished, test } from 'vitest'
import { startNginxServer } from '../support/nginx-server.js'
import { startServiceProcess } from '../support/service-process.js'
import { openDeployEnvironment } from './deploy-environment.js'
import { startStubServer, startUnresponsiveServer } from './stub-server.js'

const SCORE = '/v1/score?domain=acme.example'
const BASE_URL = 'https://mailgrade.example'
const PAYMENTS = 30

test('an instance that is told to stop costs no sale: the other one makes it', async () => {
  const stand = await openDeployEnvironment()
  onTestFinished(stand.close)
  const env = { ...stand.env, BASE_URL, TRUST_PROXY_HOPS: '1' }
  const [leaving, staying] = await Promise.all([startServiceProcess(env), startServiceProcess(env)])
  for (const { process } of [leaving, staying]) onTestFinished(() => void process.kill('SIGKILL'))
  const instances = [leaving, staying].map(({ url }) => new URL(url).host)
  const nginx = await startNginxServer({ instances })
  onTestFinished(nginx.stop)

  let sales = 0
  const buy = async () => {
    sales += 1
    const payment = stand.paymentHeader(BASE_URL + SCORE, sales)
    return (await fetch(nginx.url + SCORE, { headers: { 'PAYMENT-SIGNATURE': payment } })).status
  }
  const several = () => Promise.all(Array.from({ length: PAYMENTS }, buy))

  const before = await several()
  leaving.process.kill('SIGTERM')
  await leaving.logged('draining')
  const during = await several()
  expect(await leaving.exitCode()).toBe(0)
  const after = await several()
  const all = [...before, ...during, ...after]
  expect(all).toEqual(all.map(() => 200))
  // The story is not about nothing: nginx did ask the one that was leaving.
  expect(leaving.output.stdout).toContain('"status":503')
})

test('a GET that breaks off is asked again elsewhere, a POST is not', async () => {
  const broken = await startStubServer((request) => void request.socket.destroy())
  const whole = await startStubServer((_, response) => void response.end('whole'))
  const nginx = await startNginxServer({ instances: [broken.host, whole.host] })
  onTestFinished(nginx.stop)
  const asks = async (method: string) => {
    const statuses: number[] = []
    for (let turn = 0; turn < 4; turn++) {
      statuses.push((await fetch(nginx.url, { method })).status)
    }
    return statuses.sort()
  }
  expect(await asks('GET')).toEqual([200, 200, 200, 200])
  expect(await asks('POST')).toEqual([200, 200, 502, 502])
  expect([broken.asked, whole.asked].map((asked) => asked.length)).toEqual([4, 6])
})

test('an instance that cannot be reached costs a second, and no request', async () => {
  const whole = await startStubServer((_, response) => void response.end('whole'))
  const nginx = await startNginxServer({ instances: [await startUnresponsiveServer(), whole.host] })
  onTestFinished(nginx.stop)
  const methods = ['GET', 'GET', 'POST', 'POST']
  const answers = await Promise.all(methods.map((method) => fetch(nginx.url, { method })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  // The story is not about nothing: nginx did try the other one.
  const tried = (await nginx.accessLog(4)).map(({ upstreamStatus }) => upstreamStatus)
  expect(tried).toContain('504, 200')
})

test('when all have too much to do, callers hear it from them, every time', async () => {
  const body = JSON.stringify({ code: 'overloaded' })
  const busy = () =>
    startStubServer((_, response) => void response.writeHead(503, { 'retry-after': '1' }).end(body))
  const [one, other] = await Promise.all([busy(), busy()])
  const nginx = await startNginxServer({ instances: [one.host, other.host] })
  onTestFinished(nginx.stop)
  for (let turn = 0; turn < 5; turn++) {
    const answer = await fetch(nginx.url)
    expect([answer.status, await answer.json()]).toEqual([503, { code: 'overloaded' }])
  }
  expect([one.asked.length, other.asked.length]).toEqual([5, 5])
})
