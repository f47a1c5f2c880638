/** Everything an operator would run, on this machine: instances behind nginx, and all they need. */

import { findFreePorts } from '@mailgrade/testing/free-port'
import { createServerDirectory } from '@mailgrade/testing/server-directory'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type ChainServer, startChainServer } from '../support/chain-server.js'
import { startFacilitatorServer } from '../support/facilitator-server.js'
import { type BindResolver, startBindResolver } from './bind-resolver.js'
import { openWithCleanup } from './cleanup-stack.js'
import { type ClusterNginx, startClusterNginx } from './cluster-nginx.js'
import { type ClusterRedis, startClusterRedis } from './cluster-redis.js'
import { type FacilitatorProxy, startFacilitatorProxy } from './facilitator-proxy.js'
import { type Instance, startInstance } from './instance.js'
import { type Revenue, readRevenue } from './revenue.js'

export interface Cluster {
  /** Of nginx. */
  readonly url: string
  readonly instances: readonly [Instance, Instance, Instance]
  readonly nginx: ClusterNginx
  readonly redis: ClusterRedis
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
    const redis = await deferKill(startClusterRedis(site))
    const chain = await startChainServer({ chainId: 8453 })
    defer(chain.close)
    const facilitator = await deferKill(startFacilitatorProxy(await startFacilitatorServer(chain)))
    const payee = privateKeyToAddress(generatePrivateKey())
    const [port] = await findFreePorts()
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
    const nginx = await deferKill(startClusterNginx(site, port, addresses))
    return {
      ...{ url, instances, nginx, redis, facilitator, chain },
      resolvers: [first, second] as const,
      revenue: readRevenue(chain, payee),
    }
  })
}
