/** One instance by itself on a core, and what it needs on the others. */

import { createSite } from '@mailgrade/testing/site'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startChainServer } from '../support/chain.js'
import { startFacilitator } from '../support/facilitator.js'
import { openDoor } from './facilitator-door.js'
import { type Instance, startInstance } from './instance.js'
import { leaveCore, PIN } from './pin.js'
import { openPurse, type Purse } from './purchase.js'
import { startResolver } from './resolver.js'
import { opened } from './stops.js'

export interface SoakPlace extends Instance {
  /** The one it has to itself; null where there is but one. */
  readonly core: string | null
  readonly purse: Purse
  stop(): Promise<void>
}

export function openPlace(): Promise<SoakPlace> {
  return opened(async ({ add, started }) => {
    const site = await createSite()
    add(site.remove)
    const core = leaveCore()
    const resolver = await started(startResolver(site, 'resolver'))
    const chain = await startChainServer({ chainId: 8453 })
    add(chain.close)
    const facilitator = await started(openDoor(await startFacilitator(chain)))
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
    const pinned = core === null ? [] : [PIN, '-c', core]
    const instance = await started(startInstance(settings, pinned))
    return { ...instance, core, purse: await openPurse(instance.url, chain) }
  })
}
