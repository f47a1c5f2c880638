/** A wallet in the page, injected like a browser extension. It signs with a real key. */
import type { BrowserContext } from 'playwright-core'
import { toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'

interface WalletRequest {
  readonly method: string
  readonly params?: readonly unknown[]
}

export interface TestWalletOptions {
  readonly name: string
  readonly account: PrivateKeyAccount
  /** The chain it is on at first. */
  readonly chainId: number
  /** EIP-1193's `window.ethereum`, or announced with EIP-6963. */
  readonly discoveredVia: 'window.ethereum' | 'announced'
  /** The wallet has not added the service's chain. */
  readonly isChainUnknown?: true
  /** The method that its owner rejects. */
  readonly rejectedMethod?: string
}

/** Adds a wallet to every new page. Returns the methods called, in order. */
export async function injectWallet(
  context: BrowserContext,
  options: TestWalletOptions,
): Promise<string[]> {
  const { name, account, discoveredVia, rejectedMethod } = options
  let { chainId, isChainUnknown = false } = options
  const requests: string[] = []

  async function handleRequest({ method, params = [] }: WalletRequest): Promise<unknown> {
    switch (method) {
      case 'eth_requestAccounts':
        return [account.address]
      case 'eth_chainId':
        return toHex(chainId)
      case 'wallet_switchEthereumChain':
        if (isChainUnknown) throw { code: 4902, message: 'Unrecognized chain ID.' }
        chainId = Number((params[0] as { chainId: string }).chainId)
        return null
      case 'wallet_addEthereumChain':
        isChainUnknown = false
        chainId = Number((params[0] as { chainId: string }).chainId)
        return null
      case 'eth_signTypedData_v4':
        return sign(params)
      default:
        throw new Error(`${method} is not supported`)
    }
  }

  /** Like real wallets, it signs only for its own account and current chain. */
  function sign([signer, text]: readonly unknown[]): Promise<string> {
    const typedData = JSON.parse(String(text))
    const isCurrent = signer === account.address && typedData.domain.chainId === chainId
    if (!isCurrent) throw new Error(`this wallet is ${account.address} on chain ${chainId}`)
    return account.signTypedData(typedData)
  }

  await context.exposeFunction(`request${name}`, async (request: WalletRequest) => {
    requests.push(request.method)
    if (request.method === rejectedMethod) {
      return { error: { code: 4001, message: 'User rejected the request.' } }
    }
    try {
      return { result: await handleRequest(request) }
    } catch (error) {
      const { code = -32_603, message } = error as { code?: number; message: string }
      return { error: { code, message } }
    }
  })
  await context.addInitScript(walletScript(name, discoveredVia))
  return requests
}

function walletScript(name: string, discoveredVia: TestWalletOptions['discoveredVia']): string {
  const info = JSON.stringify({ uuid: crypto.randomUUID(), name, icon: 'data:,', rdns: 'test' })
  const expose =
    discoveredVia === 'window.ethereum'
      ? 'window.ethereum = provider'
      : `const detail = Object.freeze({ info: ${info}, provider })
         const announce = () =>
           dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
         addEventListener('eip6963:requestProvider', announce)
         announce()`
  return `{
    const provider = {
      async request(request) {
        const { result, error } = await window.request${name}(request)
        if (error) throw error
        return result
      },
    }
    ${expose}
  }`
}
