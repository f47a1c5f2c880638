/** The options of Valkey, in the compose file and for Kubernetes. */
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { openRedisServer } from '../support/redis-server.js'
import { COMPOSE_VARIABLES, readComposeServices } from './compose-services.js'
import { findManifest } from './kubernetes-manifests.js'

const services = readComposeServices('deploy/compose.yaml')
const [, ...args] = services.valkey?.command ?? []
const kubernetes = readFileSync('deploy/kubernetes/valkey.yaml', 'utf8')
const isPassword = (arg: string) => arg.startsWith('--requirepass')

test('the store writes to disk and never evicts keys', async () => {
  // Debian's Redis has the same options.
  const server = await openRedisServer({ args: args.filter((arg) => !isPassword(arg)) })
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
  for (const arg of args.filter((it) => !isPassword(it))) {
    expect(kubernetes).toContain(`- ${arg}\n`)
  }
})

test('the store and the instances have the same password, from a variable or a secret', () => {
  const { VALKEY_PASSWORD } = COMPOSE_VARIABLES
  expect(args.filter(isPassword)).toEqual([`--requirepass ${VALKEY_PASSWORD}`])
  expect(services.valkey?.environment).toEqual({ REDISCLI_AUTH: VALKEY_PASSWORD })
  for (const name of ['mailgrade-1', 'mailgrade-2']) {
    const { REDIS_URL } = services[name]?.environment ?? {}
    expect(REDIS_URL).toBe(`redis://:${VALKEY_PASSWORD}@valkey:6379`)
  }
  const [container] = findManifest('StatefulSet', 'valkey').spec?.template.spec?.containers ?? []
  expect(container?.args?.filter(isPassword)).toEqual(['--requirepass $(REDISCLI_AUTH)'])
  expect(container?.env).toEqual([
    { name: 'REDISCLI_AUTH', valueFrom: { secretKeyRef: { name: 'valkey', key: 'password' } } },
  ])
  const { password } = findManifest('Secret', 'valkey').stringData ?? {}
  const { REDIS_URL = '' } = findManifest('Secret').stringData ?? {}
  expect([new URL(REDIS_URL).password, new URL(REDIS_URL).host]).toEqual([password, 'valkey:6379'])
})
