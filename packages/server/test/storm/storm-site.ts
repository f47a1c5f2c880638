/** Instances of the service and everything they need, each of which can be killed or damaged. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isListening, startChildServer } from '@mailgrade/testing/child-server'
import { findFreePort } from '@mailgrade/testing/free-port'
import { createServerDirectory, trustOnly } from '@mailgrade/testing/server-directory'
import { waitUntil } from '@mailgrade/testing/wait-until'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { HexText } from '../../src/payments/payment-terms.js'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { startBindResolver } from '../production/bind-resolver.js'
import { openWithCleanup } from '../production/cleanup-stack.js'
import { type Instance, startInstance } from '../production/instance.js'
import { type ChainServer, startChainServer } from '../support/chain-server.js'
import type { PaymentBackendKind } from '../support/paid-service.js'
import { openRedisServer, type RedisServer } from '../support/redis-server.js'
import { startChainFront } from './chain-front.js'
import { damageAndRestore } from './damaged-ledger.js'
import { type PaidEntries, readJournal, readStore } from './paid-entries.js'
import type { SeededRandom } from './seeded-random.js'
import { WAIT_SHARE } from './storm-settings.js'
import { createWrongClock, type WrongClock } from './wrong-clocks.js'

export interface StormVariant {
  readonly facilitator: PaymentBackendKind
  /** One instance keeps its ledger on disk; several share a store. */
  readonly ledger: 'disk' | 'store'
}

export interface Killable {
  kill(): Promise<void>
  restart(): Promise<void>
}

export interface StormSite {
  readonly instances: readonly [Instance, ...Instance[]]
  readonly dataDir: string
  /** Of each instance. They are right until they jump. */
  readonly clocks: readonly WrongClock[]
  /** How often the clocks jumped, by jump. */
  readonly jumps: Readonly<Record<string, number>>
  /** The environment of every instance. */
  readonly settings: Record<string, string>
  readonly chain: ChainServer
  readonly payee: HexText
  /** By kind. */
  readonly killable: Readonly<Record<string, readonly Killable[]>>
  /** Waits until no payment is open, stops the instances with SIGTERM, and reads their ledger. */
  stopAndReadLedger(): Promise<PaidEntries>
  stop(): Promise<void>
}

const DEFAULT_RATE_LIMIT = 30
/** An instance killed together with the store leaves paid payments open; another resolves them. */
const RESOLVED_MS = 600_000

export function openStormSite(
  { facilitator, ledger }: StormVariant,
  random: SeededRandom,
): Promise<StormSite> {
  return openWithCleanup(async ({ defer, deferKill }) => {
    const site = await createServerDirectory()
    defer(site.remove)
    const dataDir = mkdtempSync(join(tmpdir(), 'mailgrade-storm-'))
    defer(() => rmSync(dataDir, { recursive: true }))
    const resolver = await deferKill(startBindResolver(site, 'resolver'))
    const chain = await startChainServer({ chainId: 8453 })
    defer(chain.close)
    const front = await deferKill(startChainFront(chain))
    const remote =
      facilitator === 'remote'
        ? await deferKill(startFacilitatorProcess(site.directory, front.url))
        : null
    const redis = ledger === 'store' ? await openRedisServer({ isLasting: true }) : null
    if (redis) defer(redis.stop)
    const payee = privateKeyToAddress(generatePrivateKey())
    const settings = {
      NODE_ENV: 'production',
      ...trustOnly(await site.write('ca.pem', site.ca)),
      BASE_URL: 'http://127.0.0.1:3000',
      PAY_TO_ADDRESS: payee,
      RPC_URL: front.url,
      DOH_URLS: resolver.url,
      // A resolver that was not killed answers, however busy this machine is.
      DNS_TIMEOUT_MS: '10000',
      DATA_DIR: dataDir,
      TRUST_PROXY_HOPS: '1',
      // Clients come back sooner by the same factor.
      RATE_LIMIT_PER_MINUTE: String(DEFAULT_RATE_LIMIT / WAIT_SHARE),
      ...(remote
        ? { FACILITATOR_URL: remote.url }
        : { FACILITATOR_PRIVATE_KEY: FACILITATOR_WALLET.privateKey }),
      ...(redis && { REDIS_URL: redis.url }),
    }
    const jumps: Record<string, number> = {}

    async function start(name: string) {
      const clock = createWrongClock(join(site.directory, `clock-${name}`), random, jumps)
      const instance = await deferKill(startInstance(clock.wind(settings)))
      const restart = async () => {
        clock.jump()
        await instance.restart()
      }
      const service = { kill: instance.kill, restart }
      const ledger = { kill: () => damageAndRestore(instance, dataDir, random), restart }
      return { instance, clock, service, ledger }
    }

    const [one, two] = await Promise.all([start('one'), redis && start('two')])
    const started = two ? [one, two] : [one]
    const instances = started.map(({ instance }) => instance)
    return {
      instances: [one.instance, ...instances.slice(1)],
      dataDir,
      clocks: started.map(({ clock }) => clock),
      jumps,
      settings,
      chain,
      payee,
      killable: {
        chain: [front],
        resolver: [resolver],
        ...(remote && { facilitator: [remote] }),
        ...(redis
          ? { service: started.map(({ service }) => service), store: [toKillable(redis)] }
          : inTurn({ service: one.service, ledger: one.ledger })),
      },
      async stopAndReadLedger() {
        if (redis) await waitUntil('no payment is open', () => hasNoneOpen(redis), RESOLVED_MS)
        await Promise.all(instances.map((instance) => instance.terminate()))
        return redis ? readStore(redis) : readJournal(dataDir)
      },
    }
  })
}

const hasNoneOpen = async (redis: RedisServer) => (await readStore(redis)).open.length === 0

const toKillable = ({ kill, start }: RedisServer): Killable => ({ kill, restart: start })

/** Of two faults of one process, the second one waits until the first one is over. */
function inTurn(faults: Readonly<Record<string, Killable>>): Record<string, readonly Killable[]> {
  let last: Promise<void> = Promise.resolve()
  const waiting = Object.entries(faults).map(([kind, { kill, restart }]) => {
    let end = () => {}
    const fault: Killable = {
      async kill() {
        const before = last
        last = new Promise((resolve) => {
          end = resolve
        })
        await before
        await kill()
      },
      async restart() {
        await restart()
        end()
      },
    }
    return [kind, [fault]] as const
  })
  return Object.fromEntries(waiting)
}

async function startFacilitatorProcess(directory: string, rpcUrl: string) {
  const port = await findFreePort()
  const file = fileURLToPath(new URL('./facilitator-process.mjs', import.meta.url))
  const start = () =>
    startChildServer({
      program: 'node',
      args: [file, String(port), rpcUrl, FACILITATOR_WALLET.privateKey],
      directory,
      isReady: () => isListening(port),
    })
  let server = await start()
  return {
    url: `http://127.0.0.1:${port}`,
    kill: () => server.kill(),
    async restart() {
      server = await start()
    },
  }
}
