/** Stand-ins for instances: one with a given handler, and one that accepts no connection. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { onTestFinished } from 'vitest'

/** Records its requests. */
export async function startStubServer(handle: RequestListener) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    handle(request, response)
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { requests, host: `127.0.0.1:${port}` }
}

/** Stopped, with a backlog of two connections, both taken: the kernel ignores any further one. */
const UNRESPONSIVE = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    process.kill(process.pid, 'SIGSTOP')
  })`

export async function startUnresponsiveServer(): Promise<string> {
  const child = spawn(process.execPath, ['-e', UNRESPONSIVE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [output] = await once(child.stdout, 'data')
  const port = Number(output)
  for (let index = 0; index < 2; index++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
  }
  return `127.0.0.1:${port}`
}
