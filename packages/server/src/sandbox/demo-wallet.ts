/**
 * The demo wallet: the methods of a browser wallet (EIP-1193) over JSON-RPC. It signs everything,
 * because its key is public and it holds play money.
 */
import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEMO_PAYER_WALLET } from './chain/sandbox-wallets.js'

const INVALID_PARAMS = { code: -32602, message: 'Invalid parameters' }
const METHOD_NOT_FOUND = {
  code: -32601,
  message: 'Unsupported method: the demo wallet only signs typed data',
}

type WalletResponse = { result: unknown } | { error: { code: number; message: string } }

export function createDemoWallet(chainId: number): (text: string) => Promise<string> {
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)

  async function call(method: unknown, params: unknown): Promise<WalletResponse> {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [account.address] }
      case 'eth_chainId':
        return { result: toHex(chainId) }
      case 'eth_signTypedData_v4':
        return sign(params)
      default:
        return { error: METHOD_NOT_FOUND }
    }
  }

  async function sign(params: unknown): Promise<WalletResponse> {
    try {
      const [, typedData] = params as [string, string]
      return { result: await account.signTypedData(JSON.parse(typedData)) }
    } catch {
      return { error: INVALID_PARAMS }
    }
  }

  return async function handle(text) {
    const { id = null, method, params } = parseRequest(text)
    return JSON.stringify({ jsonrpc: '2.0', id, ...(await call(method, params)) })
  }
}

function parseRequest(text: string): { id?: unknown; method?: unknown; params?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
