/** Everything an operator would run, on this machine: instances behind nginx, and all they need. */

import { createSite, freePorts } from '@mailgrade/testing/site'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type ChainServer, startChainServer } from '../support/chain.js'
import { startFacilitator } from '../support/facilitator.js'
import { type FacilitatorDoor, openDoor } from './facilitator-door.js'
import { type Instance, startInstance } from './instance.js'
import { type Nginx, startNginx } from './nginx.js'
import { type Redis, startRedis } from './redis.js'
import { type Resolver, startResolver } from './resolver.js'
import { opened } from './stops.js'
import { type Takings, takingsOf } from './takings.js'

export interface Cluster {
  /** Of nginx. */
  readonly url: string
  readonly instances: readonly [Instance, Instance, Instance]
  readonly nginx: Nginx
  readonly redis: Redis
  readonly resolvers: readonly [Resolver, Resolver]
  readonly facilitator: FacilitatorDoor
  readonly chain: ChainServer
  readonly takings: Takings
  stop(): Promise<void>
}

export const DNS_TIMEOUT_MS = 5_000

export function startCluster(): Promise<Cluster> {
  return opened(async ({ add, started }) => {
    const site = await createSite()
    add(site.remove)
    const first = await started(startResolver(site, 'first'))
    const second = await started(startResolver(site, 'second'))
    const redis = await started(startRedis(site))
    const chain = await startChainServer({ chainId: 8453 })
    add(chain.close)
    const facilitator = await started(openDoor(await startFacilitator(chain)))
    const payee = privateKeyToAddress(generatePrivateKey())
    const [port] = await freePorts()
    const url = `http://127.0.0.1:${port}`
    const settings = {
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: await site.write('ca.pem', site.ca),
      BASE_URL: url,
      PAY_TO_ADDRESS: payee,
      FACILITATOR_URL: facilitator.url,
      RPC_URL: chain.url,
      DOH_URLS: `${first.url},${second.url}`,
      DNS_TIMEOUT_MS: String(DNS_TIMEOUT_MS),
      REDIS_URL: redis.url,
      TRUST_PROXY_HOPS: '1',
      METRICS_PORT: '0',
    }
    const start = () => started(startInstance(settings))
    const instances = await Promise.all([start(), start(), start()])
    const addresses = instances.map(({ address }) => address)
    const nginx = await started(startNginx(site, port, addresses))
    return {
      ...{ url, instances, nginx, redis, facilitator, chain },
      resolvers: [first, second] as const,
      takings: takingsOf(chain, payee),
    }
  })
}
