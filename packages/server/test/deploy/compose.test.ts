/** The compose file: accepted by Compose, and consistent with the other files of deploy/. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PATHS } from '@mailgrade/operations/service-paths'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config.js'
import { unsignedPayment } from '../support/payment-fixtures.js'
import { COMPOSE_VARIABLES, readComposeServices } from './compose-services.js'
import { isKnownVariable, SERVICE_VARIABLES } from './known-variables.js'
import { PROMTOOL } from './promtool.js'

/** From Debian. */
const COMPOSE = 'docker-compose'

const ENV_FILE = Object.entries(COMPOSE_VARIABLES)
  .map(([name, value]) => `${name}=${value}\n`)
  .join('')

const text = readFileSync('deploy/compose.yaml', 'utf8')
const services = readComposeServices('deploy/compose.yaml')
const example = readFileSync('deploy/mailgrade.env.example', 'utf8')
const instances = Object.entries(services).filter(([name]) => name.startsWith('mailgrade-'))

/** Runs Compose on a copy of deploy/ with this `.env`. */
function runCompose(envFile: string, ...args: readonly string[]): string {
  const scratch = mkdtempSync(join(tmpdir(), 'mailgrade-compose-'))
  onTestFinished(() => rmSync(scratch, { recursive: true }))
  const folder = join(scratch, 'deploy')
  cpSync('deploy', folder, { recursive: true })
  // Debian's Compose does not know `name` yet.
  writeFileSync(join(folder, 'compose.yaml'), text.replace(/^name: .*$/m, ''))
  writeFileSync(join(folder, 'mailgrade.env'), example)
  writeFileSync(join(folder, '.env'), envFile)
  return execFileSync(COMPOSE, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

test('Compose accepts it and requires MAILGRADE_VERSION and VALKEY_PASSWORD', () => {
  const list = (envFile: string) =>
    runCompose(envFile, '-f', 'compose.yaml', '--profile', 'monitoring', 'config', '--services')
  expect(() => list('')).toThrow('set it in .env')
  expect(() => list('MAILGRADE_VERSION=0.1.0\n')).toThrow('set it in .env')
  expect(list(ENV_FILE).trim().split('\n').sort()).toEqual(Object.keys(services).sort())
})

test('with the Caddy overlay, Caddy is public and nginx is not started', () => {
  const files = ['-f', 'compose.yaml', '-f', 'compose.caddy.yaml']
  const withoutHost = ENV_FILE.replace(/^MAILGRADE_HOST=.*\n/m, '')
  expect(() => runCompose(withoutHost, ...files, 'config')).toThrow('set it in .env')
  const merged = parse(runCompose(ENV_FILE, ...files, 'config')) as {
    services: Record<string, { profiles?: string[]; environment?: object; networks?: object }>
  }
  const { caddy, nginx, ...others } = merged.services
  expect(Object.keys(others).sort()).toEqual(
    Object.keys(services)
      .filter((name) => name !== 'nginx')
      .sort(),
  )
  // A service with a profile is only started if that profile is asked for.
  expect([nginx?.profiles, caddy?.profiles]).toEqual([['nginx'], undefined])
  expect(caddy?.environment).toEqual({ MAILGRADE_HOST: COMPOSE_VARIABLES.MAILGRADE_HOST })
  expect(caddy?.networks).toEqual(nginx?.networks)
})

test('services have no capabilities, bounded memory and one public port', () => {
  for (const [name, service] of Object.entries(services)) {
    const { read_only, cap_drop, security_opt, mem_limit, restart } = service
    const actual = { name, read_only, cap_drop, security_opt, restart, isBounded: !!mem_limit }
    expect(actual).toEqual({
      name,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      isBounded: true,
    })
  }
  const published = Object.values(services).flatMap(({ ports = [] }) => ports)
  expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual(['80:8080'])
})

test('mounted files exist', () => {
  const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes)
  const paths = mounts.flatMap((mount) => (mount.startsWith('./') ? mount.split(':')[0] : []))
  expect(paths).toHaveLength(8)
  expect(paths.filter((path) => !existsSync(join('deploy', path ?? '')))).toEqual([])
})

test('nginx and Prometheus use the addresses of the instances', () => {
  const addresses = instances.map(([, { networks }]) => `${networks.front?.ipv4_address}:3000`)
  const upstream = readFileSync('deploy/nginx/upstream.conf', 'utf8')
  const servers = [...upstream.matchAll(/^server (\S+)/gm)].map(([, address]) => address)
  expect(servers).toEqual(addresses)
  const { scrape_configs } = parse(readFileSync('deploy/prometheus/prometheus.yaml', 'utf8'))
  const ports = instances.map(([name, { environment }]) => `${name}:${environment?.METRICS_PORT}`)
  expect(scrape_configs[0]).toMatchObject({
    job_name: 'mailgrade',
    static_configs: [{ targets: ports }],
  })
  execFileSync(PROMTOOL, ['check', 'config', 'deploy/prometheus/prometheus.yaml'])
})

test('health checks use the readiness path', () => {
  const checks = instances.map(([, { healthcheck }]) => healthcheck?.test.at(-1))
  const readyUrl = expect.stringContaining(`'http://127.0.0.1:3000${PATHS.ready}'`)
  expect(checks).toEqual([readyUrl, readyUrl])
})

test('every setting has a comment, is known and has a valid default', () => {
  const lines = example.split('\n')
  const set = lines.flatMap((line) => /^([A-Z0-9_]+)=/.exec(line)?.[1] ?? [])
  const fixed = Object.keys(instances[0]?.[1].environment ?? {})
  expect([...set, ...fixed].filter((name) => !isKnownVariable(name))).toEqual([])
  const missing = [...SERVICE_VARIABLES].filter((name) => ![...set, ...fixed].includes(name))
  // The image and the systemd unit set the others, and an empty value would override them; a loss
  // is accepted for one start.
  expect(missing.sort()).toEqual(['ACCEPT_LEDGER_LOSS', 'DATA_DIR', 'HOST', 'NODE_ENV'])
  const uncommented = lines.filter(
    (line, index) => line.includes('=') && !lines[index - 1]?.startsWith('#'),
  )
  expect(uncommented).toEqual([])

  const values = Object.fromEntries(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s, 2)),
  )
  const env = { NODE_ENV: 'production', ...values, ...instances[0]?.[1].environment }
  expect(loadConfig(env)).toMatchObject({ kind: 'config', config: { mode: 'off' } })
  const selling = {
    PAYMENTS: 'live',
    PAY_TO_ADDRESS: unsignedPayment().payload.accepted.payTo,
    FACILITATOR_URL: 'https://facilitator.example',
  }
  expect(loadConfig({ ...env, ...selling })).toMatchObject({
    kind: 'config',
    config: { mode: 'live', trustProxyHops: 1, redisUrl: expect.stringMatching(/@valkey:6379$/) },
  })
})

test('the grace period is longer than a settlement', () => {
  const graces = instances.map(([, { stop_grace_period }]) => stop_grace_period)
  expect(graces).toEqual(['60s', '60s'])
})
