import { type ClientHttp2Session, connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { broken, type Reply } from './connection.js'
import { createHttp2Connection } from './http2-connection.js'

/** A session to a server that never answers, as it would be after a GOAWAY: closed to new streams. */
async function openClosingSession(): Promise<ClientHttp2Session> {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  session.request({ ':path': '/pending' }).on('error', () => {})
  session.close()
  return session
}

/** What was to happen on the next tick has happened. */
const ticked = () => new Promise((resolve) => setImmediate(resolve))

test('a session that opens no more streams says so, later and once', async () => {
  const connection = createHttp2Connection(await openClosingSession())
  expect(connection.isUsable()).toBe(false)
  const replies: Reply[] = []
  connection.get('/dns-query', (reply) => replies.push(reply))
  expect(replies).toEqual([])
  await ticked()
  expect(replies).toEqual([broken('the resolver is closing the connection')])
})

test('a question that found no stream can still be given up', async () => {
  const connection = createHttp2Connection(await openClosingSession())
  const replies: Reply[] = []
  const cancel = connection.get('/dns-query', (reply) => replies.push(reply))
  cancel()
  await ticked()
  expect(replies).toEqual([])
})
