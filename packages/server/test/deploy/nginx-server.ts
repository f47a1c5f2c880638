/** Debian's nginx with our configuration, in a folder of its own. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SERVER_ENV } from '@mailgrade/testing/dns-server-process'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { createTestCertificate } from '@mailgrade/testing/test-certificate'

export interface NginxServer {
  readonly url: string
  readonly tlsUrl: string
  /** The authority that its certificate is from. */
  readonly ca: string
  /** The lines of its access log, once there are this many. */
  accessLog(count: number): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

export interface NginxServerOptions {
  /** Where the instances are, as host and port. */
  readonly instances: readonly string[]
  /** What an operator changes in mailgrade.conf. */
  readonly edit?: (text: string) => string
}

const SOURCE = 'deploy/nginx'
const POLL_EVERY_MS = 20
/** Has the kernel kill nginx with us. */
const LEASH = ['setpriv', '--pdeathsig=KILL']
/** Of the container in the compose file. */
const USER = ['--reuid=101', '--regid=101', '--clear-groups']

export async function startNginxServer({
  instances,
  edit = (it) => it,
}: NginxServerOptions): Promise<NginxServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-nginx-'))
  const [port, tlsPort] = await findFreePorts()
  const certificate = await createTestCertificate()
  const log = join(folder, 'access.log')
  for (const name of readdirSync(SOURCE)) {
    const text = readFileSync(join(SOURCE, name), 'utf8')
    const edited = name === 'mailgrade.conf' ? edit(text) : text
    const moved = edited
      .replaceAll(/\/(etc\/nginx|tmp)\//g, `${folder}/`)
      .replaceAll('/dev/stdout', log)
      .replaceAll('listen 8080', `listen 127.0.0.1:${port}`)
      .replaceAll('listen 8443', `listen 127.0.0.1:${tlsPort}`)
    writeFileSync(
      join(folder, name),
      name === 'upstream.conf' ? elsewhere(moved, instances) : moved,
    )
  }
  mkdirSync(join(folder, 'tls'))
  writeFileSync(join(folder, 'tls/fullchain.pem'), certificate.cert)
  writeFileSync(join(folder, 'tls/privkey.pem'), certificate.key)
  chmodSync(folder, 0o777)
  const remove = () => rmSync(folder, { recursive: true, force: true })

  const nginx = ['nginx', '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  const user = process.getuid?.() === 0 ? USER : []
  const [program = '', ...args] = [...LEASH, ...user, ...nginx]
  const tried = spawnSync(program, [...args, '-t'], { env: SERVER_ENV, encoding: 'utf8' })
  if (tried.status !== 0) {
    remove()
    throw new Error(`nginx refuses the configuration:\n${tried.stderr}`)
  }
  const child = spawn(program, [...args, '-g', 'daemon off;'], {
    env: SERVER_ENV,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exited = once(child, 'exit')
  await listening(port)

  return {
    url: `http://127.0.0.1:${port}`,
    tlsUrl: `https://localhost:${tlsPort}`,
    ca: certificate.ca,
    async accessLog(count) {
      for (;;) {
        const lines = readFileSync(log, 'utf8').trim().split('\n')
        if (lines.length >= count) return lines.map((line) => JSON.parse(line))
        await delay(POLL_EVERY_MS)
      }
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      remove()
    },
  }
}

function elsewhere(upstream: string, instances: readonly string[]): string {
  const [server = ''] = /^server .*$/m.exec(upstream) ?? []
  const rest = upstream.replace(/^server .*\n/gm, '')
  const servers = instances.map((address) => server.replace(/[\d.]+:\d+/, address))
  return `${servers.join('\n')}\n${rest}`
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await delay(POLL_EVERY_MS)
  }
}
