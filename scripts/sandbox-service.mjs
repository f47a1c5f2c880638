/** A sandbox of the built service, for scripts that look at its pages. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Calls `use` with the URL of a running service, and stops the service afterwards. */
export async function withSandboxService(use) {
  const { PATH, HOME } = process.env
  const service = spawn(process.execPath, ['packages/server/dist/main.js'], {
    env: { PATH, HOME, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const port = await listeningPort(service.stdout)
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    service.kill()
  }
}

async function listeningPort(stdout) {
  for await (const line of createInterface(stdout)) {
    const { msg, port } = JSON.parse(line)
    if (msg === 'listening') return port
  }
  throw new Error('The service did not start')
}
