/** A wallet in the browser, as extensions bring it into a page: it signs with a real key. */
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
  /** The one it is on at first. */
  readonly chainId: number
  /** EIP-1193's `window.ethereum`, or announced by EIP-6963. */
  readonly discoveredVia: 'window.ethereum' | 'announced'
  /** Some chains it has never heard of. */
  readonly isChainUnknown?: true
  /** The method at which its owner says no. */
  readonly rejectedMethod?: string
}

/** Puts a wallet into every page to come. Returns what it was asked, in order. */
export async function injectWallet(
  context: BrowserContext,
  options: TestWalletOptions,
): Promise<string[]> {
  const { name, account, discoveredVia, rejectedMethod } = options
  let { chainId, isChainUnknown = false } = options
  const asked: string[] = []

  async function answer({ method, params = [] }: WalletRequest): Promise<unknown> {
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
        throw new Error(`${method} is not known`)
    }
  }

  /** As wallets do, for the account and the chain they are on only. */
  function sign([signer, text]: readonly unknown[]): Promise<string> {
    const typedData = JSON.parse(String(text))
    const isOurs = signer === account.address && typedData.domain.chainId === chainId
    if (!isOurs) throw new Error(`this wallet is ${account.address} on chain ${chainId}`)
    return account.signTypedData(typedData)
  }

  await context.exposeFunction(`ask${name}`, async (request: WalletRequest) => {
    asked.push(request.method)
    if (request.method === rejectedMethod) {
      return { error: { code: 4001, message: 'User rejected the request.' } }
    }
    try {
      return { result: await answer(request) }
    } catch (error) {
      const { code = -32_603, message } = error as { code?: number; message: string }
      return { error: { code, message } }
    }
  })
  await context.addInitScript(inject(name, discoveredVia))
  return asked
}

function inject(name: string, found: TestWalletOptions['discoveredVia']): string {
  const info = JSON.stringify({ uuid: crypto.randomUUID(), name, icon: 'data:,', rdns: 'test' })
  const show =
    found === 'window.ethereum'
      ? 'window.ethereum = provider'
      : `const detail = Object.freeze({ info: ${info}, provider })
         const announce = () =>
           dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
         addEventListener('eip6963:requestProvider', announce)
         announce()`
  return `{
    const provider = {
      async request(request) {
        const { result, error } = await window.ask${name}(request)
        if (error) throw error
        return result
      },
    }
    ${show}
  }`
}
