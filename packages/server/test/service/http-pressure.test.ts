/** Clients that send and do not read cannot fill the documented heap. */
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startServiceProcess } from '../support/service-process.js'

/** docs/operations.md: the heap, and the memory of the container. */
const HEAP = '--max-old-space-size=384'
const MAX_MEMORY_KIB = 512 * 1024
/** The longest body that is accepted. */
const BODY_BYTES = 65_536

async function start() {
  const service = await startServiceProcess({
    NODE_ENV: 'production',
    NODE_OPTIONS: HEAP,
    PAYMENTS: 'off',
  })
  onTestFinished(() => {
    service.process.kill('SIGKILL')
  })
  const { port, hostname } = new URL(service.url)
  async function connect(localAddress = '127.0.0.1'): Promise<net.Socket> {
    const socket = net.connect({ port: Number(port), host: hostname, localAddress })
    socket.on('error', () => {})
    socket.pause()
    onTestFinished(() => void socket.destroy())
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    return socket
  }
  /** The most that the process has had, in KiB. */
  async function peakKib(): Promise<number> {
    const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8')
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])
  }
  return { ...service, connect, peakKib }
}

/** A connection that is broken off counts, too. */
function closed(socket: net.Socket): Promise<unknown> {
  return new Promise((resolve) => {
    if (socket.resume().closed) resolve(null)
    else socket.once('close', resolve)
  })
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

test('one address that pipelines, reads nothing and leaves connections half open fits in the heap', async () => {
  const { url, connect, peakKib, process } = await start()
  const pipelined = request('/openapi.json').repeat(1_700)
  for (let round = 0; round < 3; round++) {
    const sockets = await Promise.all(Array.from({ length: 60 }, () => connect()))
    for (const socket of sockets) socket.write(pipelined)
    // All of them are closed for it, so the next request is answered.
    await Promise.all(sockets.map(closed))
  }
  const slow = await Promise.all(Array.from({ length: 120 }, () => connect()))
  for (const socket of slow) socket.write(request('/openapi.json').repeat(20))
  const halfOpen = await Promise.all(Array.from({ length: 400 }, () => connect()))
  for (const socket of halfOpen) socket.write('GET / HTTP/1.1\r\nhost: ')
  expect(await peakKib()).toBeLessThan(MAX_MEMORY_KIB)
  for (const socket of [...slow, ...halfOpen]) socket.destroy()
  const health = await fetch(`${url}/healthz`)
  expect([health.status, process.exitCode]).toEqual([200, null])
}, 120_000)

test('16 addresses that leave bodies almost complete fill a fraction of the memory', async () => {
  const { url, connect, peakKib, process } = await start()
  const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`
  const allButOne = head + ' '.repeat(BODY_BYTES - 1)
  const before = await peakKib()
  for (let address = 2; address < 18; address++) {
    const own = Array.from({ length: 250 }, () => connect(`127.0.0.${address}`))
    for (const socket of await Promise.all(own)) {
      await new Promise((resolve) => socket.write(allButOne, resolve))
    }
  }
  expect((await peakKib()) - before).toBeLessThan(192 * 1024)
  const health = await fetch(`${url}/healthz`)
  expect([health.status, process.exitCode]).toEqual([200, null])
}, 120_000)
