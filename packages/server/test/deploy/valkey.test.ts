/** The settings of Valkey, in the compose file and for Kubernetes. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'

/** From Debian. */
const REDIS = { server: 'redis-server', cli: 'redis-cli' }

const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true })

test('the store keeps what it is given, and throws nothing away for want of room', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-valkey-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const socket = join(folder, 'socket')
  const [, ...args] = services.valkey.command as string[]
  const place = ['--port', '0', '--unixsocket', socket, '--dir', folder]
  // Debian's Redis takes the same words.
  const server = spawn(REDIS.server, [...args, ...place], { stdio: 'ignore' })
  onTestFinished(() => void server.kill('SIGKILL'))
  const cli = (...words: string[]) => {
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    return execFileSync(REDIS.cli, ['-s', socket, ...words], {
      encoding: 'utf8',
      stdio: [...stdio],
    })
  }
  await expect.poll(() => existsSync(socket) && cli('ping')).toBe('PONG\n')
  const settings = {
    appendonly: 'yes',
    appendfsync: 'everysec',
    'auto-aof-rewrite-min-size': String(1024 * 1024),
    save: '',
    maxmemory: String(256 * 1024 * 1024),
    'maxmemory-policy': 'noeviction',
  }
  const names = Object.keys(settings)
  const values = names.map((name) => [name, cli('config', 'get', name).split('\n')[1]])
  expect(Object.fromEntries(values)).toEqual(settings)
  const kubernetes = readFileSync('deploy/kubernetes/valkey.yaml', 'utf8')
  for (const word of args) expect(kubernetes).toContain(`- ${word}\n`)
})
