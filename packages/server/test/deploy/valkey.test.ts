/** The options of Valkey, in the compose file and for Kubernetes. */
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { openRedisServer } from '../support/redis-server.js'

const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true })

test('the store writes to disk and never evicts keys', async () => {
  const [, ...args] = services.valkey.command as string[]
  // Debian's Redis has the same options.
  const server = await openRedisServer({ args })
  onTestFinished(server.stop)
  const settings = {
    appendonly: 'yes',
    appendfsync: 'everysec',
    'auto-aof-rewrite-min-size': String(1024 * 1024),
    save: '',
    maxmemory: String(256 * 1024 * 1024),
    'maxmemory-policy': 'noeviction',
  }
  for (const [name, value] of Object.entries(settings)) {
    expect(await server.command('CONFIG', 'GET', name)).toEqual([name, value])
  }
  const kubernetes = readFileSync('deploy/kubernetes/valkey.yaml', 'utf8')
  for (const arg of args) expect(kubernetes).toContain(`- ${arg}\n`)
})
