/** A live service on loopback, with its own chain, resolver and payee. */

import { type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import type { Address } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll } from 'vitest'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { type ChainServer, startChainServer } from '../support/chain-server.js'
import { type BrowserEnvironment, setUpBrowser } from './browser-environment.js'

export const LIVE_CHAIN_ID = 84_532

export interface LiveBrowserEnvironment extends BrowserEnvironment {
  /** A new account, by default with one dollar. */
  newAccount(units?: bigint): Promise<PrivateKeyAccount>
  balanceOf(address: Address): Promise<bigint>
  /** What the payee has received. */
  revenue(): Promise<bigint>
}

export function setUpLiveBrowser(zone: string): LiveBrowserEnvironment {
  const payee = privateKeyToAddress(generatePrivateKey())
  let chain: ChainServer
  let resolver: DohServer
  const environment = setUpBrowser(async () => {
    chain = await startChainServer({ chainId: LIVE_CHAIN_ID })
    resolver = await startDohServer(zone, 'http/1.1')
    return {
      PAY_TO_ADDRESS: payee,
      X402_NETWORK: `eip155:${LIVE_CHAIN_ID}`,
      RPC_URL: chain.url,
      FACILITATOR_PRIVATE_KEY: FACILITATOR_WALLET.privateKey,
      DOH_URLS: resolver.url.href,
    }
  })
  // The first lookups of a new process take long on a busy machine, and resolvers must not time out.
  beforeAll(async () => {
    await fetch(`${environment.url}/v1/check?domain=first.test`)
  })
  afterAll(async () => {
    await resolver.close()
    await chain.close()
  })
  return {
    get url() {
      return environment.url
    },
    newContext: environment.newContext,
    openPage: environment.openPage,
    newAccount: (units) => chain.newWallet(units),
    balanceOf: (address) => chain.balanceOf(address),
    revenue: () => chain.balanceOf(payee),
  }
}
