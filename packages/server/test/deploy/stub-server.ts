/** Servers in place of instances: one that answers as it is told, and one that cannot be reached. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { onTestFinished } from 'vitest'

/** Keeps what it is asked. */
export async function startStubServer(answer: RequestListener) {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Stands still with room for two connections, which are taken: to others the kernel says nothing. */
const STILL = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    process.kill(process.pid, 'SIGSTOP')
  })`

export async function startUnresponsiveServer(): Promise<string> {
  const child = spawn(process.execPath, ['-e', STILL], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [told] = await once(child.stdout, 'data')
  const port = Number(told)
  for (let taken = 0; taken < 2; taken++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
  }
  return `127.0.0.1:${port}`
}
