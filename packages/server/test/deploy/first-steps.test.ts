/** The commands and settings of docs/production.md, in their order. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RELEASE_VERSION } from '@mailgrade/operations/release-version'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.js'
import { unsignedPayment } from '../support/payment-fixtures.js'

/** From Debian. */
const COMPOSE = 'docker-compose'
const GUIDE = readFileSync('docs/production.md', 'utf8')
const [COMMANDS, SETTINGS] = [blocksOf('sh'), blocksOf('ini')]
/** What operators fill in themselves. */
const OWN_VALUES: Readonly<Record<string, string>> = {
  PAY_TO_ADDRESS: unsignedPayment().payload.accepted.payTo,
  CDP_API_KEY_ID: 'key-id',
  CDP_API_KEY_SECRET: Buffer.alloc(64, 1).toString('base64'),
  RPC_URL: 'https://node.example',
}

function blocksOf(language: string): string[] {
  const blocks = GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, block = '']) => block)
}

function parseSettings(text: string): Record<string, string> {
  const pairs = text.split('\n').filter((line) => /^[A-Z]/.test(line))
  return Object.fromEntries(
    pairs.map((line) => {
      const [name = '', value = ''] = line.split(/=(.*)/s, 2)
      return [name, value === '…' ? (OWN_VALUES[name] ?? '') : value]
    }),
  )
}

let folder: string
beforeAll(() => {
  const scratch = mkdtempSync(join(tmpdir(), 'mailgrade-first-steps-'))
  folder = join(scratch, 'deploy')
  cpSync('deploy', folder, { recursive: true })
  const lines = COMMANDS.join('').split('\n')
  const writing = lines.filter((line) => /^(cp|echo|chmod) /.test(line))
  execFileSync('/bin/sh', ['-e', '-c', writing.join('\n')], { cwd: folder, stdio: 'pipe' })
  return () => rmSync(scratch, { recursive: true })
})

test('the commands write settings that Compose accepts, with a new password', () => {
  const env = parseSettings(readFileSync(join(folder, '.env'), 'utf8'))
  expect(env).toEqual({
    MAILGRADE_VERSION: RELEASE_VERSION,
    MAILGRADE_HOST: 'mailgrade.example',
    VALKEY_PASSWORD: expect.stringMatching(/^[0-9a-f]{48}$/),
    COMPOSE_FILE: 'compose.yaml:compose.caddy.yaml',
  })
  for (const name of ['.env', 'mailgrade.env']) {
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
  }
  const compose = join(folder, 'compose.yaml')
  const shipped = readFileSync(compose, 'utf8')
  onTestFinished(() => writeFileSync(compose, shipped))
  // Debian's Compose does not know `name` yet.
  writeFileSync(compose, shipped.replace(/^name: .*$/m, ''))
  const listed = execFileSync(COMPOSE, ['config', '--services'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  expect(listed.split('\n')).toContain('caddy')
})

test('every step ends with settings that the service accepts: free, test network, real money', () => {
  const image = { NODE_ENV: 'production', PAYMENTS: 'off' }
  const example = parseSettings(readFileSync(join(folder, 'mailgrade.env'), 'utf8'))
  const stages = SETTINGS.map((_, index) => {
    const set = SETTINGS.slice(0, index + 1).map(parseSettings)
    return Object.assign({}, image, example, ...set) as Record<string, string>
  })
  const configs = stages.map((env) => loadConfig(env))
  expect(configs).toMatchObject([
    { config: { mode: 'off', baseUrl: 'https://mailgrade.example', trustProxyHops: 1 } },
    { config: { mode: 'live', payments: { terms: { network: 'eip155:84532' } } } },
    { config: { mode: 'live', payments: { terms: { network: 'eip155:8453' } } } },
  ])
})
