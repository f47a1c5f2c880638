/** One instance by itself on a core, and what it needs on the others. */

import { createServerDirectory } from '@mailgrade/testing/server-directory'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startChainServer } from '../support/chain-server.js'
import { startFacilitatorServer } from '../support/facilitator-server.js'
import { startBindResolver } from './bind-resolver.js'
import { openWithCleanup } from './cleanup-stack.js'
import { type ClusterPayer, createClusterPayer } from './cluster-payer.js'
import { startFacilitatorProxy } from './facilitator-proxy.js'
import { type Instance, startInstance } from './instance.js'
import { reserveCore, TASKSET } from './reserve-core.js'

export interface SoakEnvironment extends Instance {
  /** The one it has to itself; null where there is but one. */
  readonly core: string | null
  readonly payer: ClusterPayer
  stop(): Promise<void>
}

export function openSoakEnvironment(): Promise<SoakEnvironment> {
  return openWithCleanup(async ({ defer, deferKill }) => {
    const site = await createServerDirectory()
    defer(site.remove)
    const core = reserveCore()
    const resolver = await deferKill(startBindResolver(site, 'resolver'))
    const chain = await startChainServer({ chainId: 8453 })
    defer(chain.close)
    const facilitator = await deferKill(startFacilitatorProxy(await startFacilitatorServer(chain)))
    const settings = {
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: await site.write('ca.pem', site.ca),
      BASE_URL: 'http://127.0.0.1:3000',
      PAY_TO_ADDRESS: privateKeyToAddress(generatePrivateKey()),
      FACILITATOR_URL: facilitator.url,
      RPC_URL: chain.url,
      DOH_URLS: resolver.url,
      TRUST_PROXY_HOPS: '1',
      METRICS_PORT: '0',
    }
    const pinned = core === null ? [] : [TASKSET, '-c', core]
    const instance = await deferKill(startInstance(settings, pinned))
    return { ...instance, core, payer: await createClusterPayer(instance.url, chain) }
  })
}
