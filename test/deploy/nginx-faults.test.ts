/** What callers see when an instance behind nginx stops, breaks off, or has too much to do. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../support/service.js'
import { startNginx } from './nginx.js'
import { openStand } from './stand.js'

const SCORE = '/v1/score?domain=acme.example'
const BASE_URL = 'https://mailgrade.example'
const PAYMENTS = 30

test('an instance that is told to stop costs no sale: the other one makes it', async () => {
  const stand = await openStand()
  onTestFinished(stand.close)
  const env = { ...stand.env, BASE_URL, TRUST_PROXY_HOPS: '1' }
  const [leaving, staying] = await Promise.all([startService(env), startService(env)])
  for (const { process } of [leaving, staying]) onTestFinished(() => void process.kill('SIGKILL'))
  const instances = [leaving, staying].map(({ url }) => new URL(url).host)
  const nginx = await startNginx({ instances })
  onTestFinished(nginx.stop)

  let sales = 0
  const buy = async () => {
    sales += 1
    const payment = stand.payment(BASE_URL + SCORE, sales)
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

/** A server that counts what it is asked. */
async function stub(answer: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method}`)
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a GET that breaks off is asked again elsewhere, a POST is not', async () => {
  const broken = await stub((request) => void request.socket.destroy())
  const whole = await stub((_, response) => void response.end('whole'))
  const nginx = await startNginx({ instances: [broken.host, whole.host] })
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

test('when all have too much to do, callers hear it from them, every time', async () => {
  const body = JSON.stringify({ code: 'overloaded' })
  const busy = () =>
    stub((_, response) => void response.writeHead(503, { 'retry-after': '1' }).end(body))
  const [one, other] = await Promise.all([busy(), busy()])
  const nginx = await startNginx({ instances: [one.host, other.host] })
  onTestFinished(nginx.stop)
  for (let turn = 0; turn < 5; turn++) {
    const answer = await fetch(nginx.url)
    expect([answer.status, await answer.json()]).toEqual([503, { code: 'overloaded' }])
  }
  expect([one.asked.length, other.asked.length]).toEqual([5, 5])
})
