/** A whole deployment on this machine: three instances behind nginx, and everything they need. */
import { readFileSync } from 'node:fs'
import { findFreePort } from '@mailgrade/testing/free-port'
import { createServerDirectory } from '@mailgrade/testing/server-directory'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { parse } from 'yaml'
import { type ChainServer, startChainServer, transfersTo } from '../support/chain-server.js'
import { startFacilitatorServer } from '../support/facilitator-server.js'
import { type NginxServer, startNginxServer } from '../support/nginx-server.js'
import { openRedisServer, type RedisServer } from '../support/redis-server.js'
import { type BindResolver, startBindResolver } from './bind-resolver.js'
import { openWithCleanup } from './cleanup-stack.js'
import { type FacilitatorProxy, startFacilitatorProxy } from './facilitator-proxy.js'
import { type Instance, startInstance } from './instance.js'

export interface Cluster {
  /** The URL of nginx. */
  readonly url: string
  readonly instances: readonly [Instance, Instance, Instance]
  readonly nginx: NginxServer
  readonly redis: RedisServer
  readonly resolvers: readonly [BindResolver, BindResolver]
  readonly facilitator: FacilitatorProxy
  readonly chain: ChainServer
  readonly revenue: Revenue
  stop(): Promise<void>
}

export const CLUSTER_DNS_TIMEOUT_MS = 5_000

export function startCluster(): Promise<Cluster> {
  return openWithCleanup(async ({ defer, deferKill }) => {
    const site = await createServerDirectory()
    defer(site.remove)
    const first = await deferKill(startBindResolver(site, 'first'))
    const second = await deferKill(startBindResolver(site, 'second'))
    const redis = await openRedisServer({ password: 'cluster', args: composeRedisArgs() })
    defer(redis.stop)
    const chain = await startChainServer({ chainId: 8453 })
    defer(chain.close)
    const facilitator = await deferKill(startFacilitatorProxy(await startFacilitatorServer(chain)))
    const payee = privateKeyToAddress(generatePrivateKey())
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const settings = {
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: await site.write('ca.pem', site.ca),
      BASE_URL: url,
      PAY_TO_ADDRESS: payee,
      FACILITATOR_URL: facilitator.url,
      RPC_URL: chain.url,
      DOH_URLS: `${first.url},${second.url}`,
      DNS_TIMEOUT_MS: String(CLUSTER_DNS_TIMEOUT_MS),
      REDIS_URL: redis.url,
      TRUST_PROXY_HOPS: '1',
      METRICS_PORT: '0',
    }
    const start = () => deferKill(startInstance(settings))
    const instances = await Promise.all([start(), start(), start()])
    const addresses = instances.map(({ address }) => address)
    const nginx = await startNginxServer({ instances: addresses, port, edit: liftFloodLimits })
    defer(nginx.stop)
    return {
      ...{ url, instances, nginx, redis, facilitator, chain },
      resolvers: [first, second] as const,
      revenue: readRevenue(chain, payee),
    }
  })
}

/** The options of Valkey in the compose file but its password; Debian's Redis understands them too. */
function composeRedisArgs(): readonly string[] {
  const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true })
  const [, ...args]: string[] = services.valkey.command
  return args.filter((arg) => !arg.startsWith('--requirepass'))
}

/** Tests send hundreds of requests at once from one address, and read all of them in the log. */
function liftFloodLimits(config: string): string {
  return config.replace(/^ {2}limit_(req|conn) .*\n/gm, '').replace(' if=$is_logged;', ';')
}

export const CLUSTER_PRICE_UNITS = 10_000n

/** What the payee has received, according to the chain. */
interface Revenue {
  /** In units of 0.000001 USDC. */
  balance(): Promise<bigint>
  /** Hashes of the transactions that paid the payee. */
  transactions(): Promise<string[]>
}

function readRevenue(chain: ChainServer, payee: Address): Revenue {
  return {
    balance: () => chain.balanceOf(payee),
    async transactions() {
      const logs = await transfersTo(chain, payee)
      return logs.map(({ transactionHash }) => transactionHash)
    },
  }
}
