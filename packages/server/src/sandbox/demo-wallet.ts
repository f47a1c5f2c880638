/**
 * The demo wallet, spoken to as a wallet in the browser is (EIP-1193), by JSON-RPC. It agrees to
 * everything: its key is known to the whole world, and its dollars are worth nothing.
 */
import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEMO_PAYER_WALLET } from './chain/sandbox-wallets.js'

const INVALID = { code: -32602, message: 'The parameters cannot be used' }
const UNKNOWN = { code: -32601, message: 'The demo wallet signs typed data, and nothing else' }

type Answer = { result: unknown } | { error: { code: number; message: string } }

export function createDemoWallet(chainId: number): (text: string) => Promise<string> {
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)

  async function answer(method: unknown, params: unknown): Promise<Answer> {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [account.address] }
      case 'eth_chainId':
        return { result: toHex(chainId) }
      case 'eth_signTypedData_v4':
        return sign(params)
      default:
        return { error: UNKNOWN }
    }
  }

  async function sign(params: unknown): Promise<Answer> {
    try {
      const [, typedData] = params as [string, string]
      return { result: await account.signTypedData(JSON.parse(typedData)) }
    } catch {
      return { error: INVALID }
    }
  }

  return async function handle(text) {
    const { id = null, method, params } = read(text)
    return JSON.stringify({ jsonrpc: '2.0', id, ...(await answer(method, params)) })
  }
}

function read(text: string): { id?: unknown; method?: unknown; params?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
