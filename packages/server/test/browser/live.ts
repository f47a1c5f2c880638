/** The service in earnest, on loopback: a chain, a resolver and a payee of its own. */

import { type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import type { Address } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll } from 'vitest'
import { FACILITATOR } from '../../src/sandbox/chain/wallets.js'
import { type ChainServer, startChainServer } from '../support/chain.js'
import { type Stage, setStage } from './stage.js'

export const CHAIN_ID = 84_532

export interface LiveStage extends Stage {
  /** Somebody new, with a dollar unless told otherwise. */
  newAccount(units?: bigint): Promise<PrivateKeyAccount>
  balanceOf(address: Address): Promise<bigint>
  /** What the payee has got. */
  earned(): Promise<bigint>
}

export function setLiveStage(zone: string): LiveStage {
  const payee = privateKeyToAddress(generatePrivateKey())
  let chain: ChainServer
  let resolver: DohServer
  const stage = setStage(async () => {
    chain = await startChainServer({ chainId: CHAIN_ID })
    resolver = await startDohServer(zone, 'http/1.1')
    return {
      PAY_TO_ADDRESS: payee,
      X402_NETWORK: `eip155:${CHAIN_ID}`,
      RPC_URL: chain.url,
      FACILITATOR_PRIVATE_KEY: FACILITATOR.privateKey,
      DOH_URLS: resolver.url.href,
    }
  })
  afterAll(async () => {
    await resolver.close()
    await chain.close()
  })
  return {
    get url() {
      return stage.url
    },
    visitor: stage.visitor,
    open: stage.open,
    newAccount: (units) => chain.newWallet(units),
    balanceOf: (address) => chain.balanceOf(address),
    earned: () => chain.balanceOf(payee),
  }
}
