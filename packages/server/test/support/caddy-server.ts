/** Debian's Caddy with the configuration of deploy/caddy, in a folder of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isListening, startChildServer } from '@mailgrade/testing/child-server'
import { findFreePorts } from '@mailgrade/testing/free-port'

export interface CaddyServer {
  readonly url: string
  /** Where the container checks its own health. */
  readonly healthUrl: string
  /** What it has logged so far. */
  log(): string
  stop(): Promise<void>
}

const SOURCE = 'deploy/caddy/Caddyfile'
const UPSTREAMS = 'mailgrade-1:3000 mailgrade-2:3000'

/** Without TLS, because a certificate needs a public name. */
export async function startCaddyServer(instances: readonly string[]): Promise<CaddyServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-caddy-'))
  const [port, healthPort] = await findFreePorts()
  const shipped = readFileSync(SOURCE, 'utf8')
  if (!shipped.includes(UPSTREAMS)) throw new Error(`${SOURCE} has other upstreams`)
  const file = join(folder, 'Caddyfile')
  writeFileSync(
    file,
    shipped.replace(UPSTREAMS, instances.join(' ')).replaceAll(':8080', `:${healthPort}`),
  )
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const settings = [`MAILGRADE_HOST=http://127.0.0.1:${port}`, `HOME=${folder}`]
  const server = await startChildServer({
    program: 'env',
    args: [...settings, 'caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
    directory: folder,
    isReady: async () => (await isListening(port)) && (await isListening(healthPort)),
  }).catch((error) => {
    remove()
    throw error
  })
  return {
    url: `http://127.0.0.1:${port}`,
    healthUrl: `http://127.0.0.1:${healthPort}`,
    log: () => readFileSync(join(folder, 'env.log'), 'utf8'),
    async stop() {
      await server.kill()
      remove()
    },
  }
}
