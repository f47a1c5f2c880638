/** The processes beside the one that measures: a DoH server, and the service, which asks it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCertificate } from '../test/support/certificate.js'
import { IN_FLIGHT } from './check-aims.js'
import { spawnScript } from './script.js'

export interface Processes {
  readonly dohUrl: URL
  /** The authority that vouches for the DoH server. */
  readonly ca: string
  readonly service: Service
  end(): Promise<void>
}

export interface Service {
  /** Asks it as its callers do. */
  get(path: string): Promise<{ status: number; body: string }>
  /** The CPU time it has taken so far, in milliseconds. */
  cpuMs(): Promise<number>
}

export async function startProcesses(): Promise<Processes> {
  const folder = await mkdtemp(join(tmpdir(), 'mailgrade-bench-'))
  const { ca, cert, key } = await createCertificate()
  for (const [name, text] of Object.entries({ ca, cert, key })) {
    await writeFile(join(folder, `${name}.pem`), text)
  }
  const server = spawnScript('./check-server.js', { BENCH_FOLDER: folder })
  const [port] = await once(server, 'message')
  const dohUrl = new URL(`https://localhost:${port}/dns-query`)
  const service = spawnService(dohUrl, join(folder, 'ca.pem'))
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  const origin = `http://127.0.0.1:${await portOf(service)}`
  return {
    dohUrl,
    ca,
    service: {
      get: (path) => request(origin + path, agent),
      async cpuMs() {
        service.send('cpu')
        const [{ user, system }] = await once(service, 'message')
        return (user + system) / 1_000
      },
    },
    async end() {
      agent.destroy()
      service.kill('SIGINT')
      await once(service, 'exit')
      server.kill()
      await rm(folder, { recursive: true })
    },
  }
}

/** Nothing of our own environment may change what is measured. */
function spawnService(dohUrl: URL, caFile: string): ChildProcess {
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    PAY_TO_ADDRESS: `0x${'1'.repeat(40)}`,
    FACILITATOR_URL: 'http://127.0.0.1:9',
    DOH_URLS: dohUrl.href,
    NODE_EXTRA_CA_CERTS: caFile,
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  const path = fileURLToPath(new URL('./check-service.js', import.meta.url))
  // Whoever profiles the benchmark means the service.
  return spawn(process.execPath, [...process.execArgv, path], {
    env,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
}

async function portOf(service: ChildProcess): Promise<number> {
  const { stdout } = service
  if (!stdout) throw new Error('the service has no output')
  const ended = once(service, 'exit').then(([code]) => {
    throw new Error(`the service ended with ${code}`)
  })
  let log = ''
  while (!log.includes('"listening"')) {
    const [chunk] = await Promise.race([once(stdout, 'data'), ended])
    log += chunk
  }
  // Its log is nothing to us from here on, but it must be able to go on writing it.
  ended.catch(() => {})
  stdout.resume()
  return Number(/"port":(\d+)/.exec(log)?.[1])
}

function request(url: string, agent: Agent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
    }).on('error', reject)
  })
}
