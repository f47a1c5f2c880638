/** Whoever signs: a wallet of the browser (EIP-1193, found by EIP-6963), or the sandbox's demo wallet. */
import { parseChainId } from './x402-payment.js'

/**
 * @typedef {{ method: string, params?: unknown[] }} Request
 * @typedef {{ request(request: Request): Promise<any> }} Provider
 */

/** For wallets that do not know them yet. */
const CHAINS = new Map([
  [8453, { chainName: 'Base', rpcUrls: ['https://mainnet.base.org'] }],
  [84532, { chainName: 'Base Sepolia', rpcUrls: ['https://sepolia.base.org'] }],
])
const ETHER = { name: 'Ether', symbol: 'ETH', decimals: 18 }
const REJECTED = 4001
const UNKNOWN_CHAIN = 4902

/**
 * @param {string} name `demo` or `own`
 * @param {HTMLFormElement} form
 * @param {(words: string) => void} say
 */
export async function connectWallet(name, form, say) {
  const demo = name === 'demo' && form.dataset.demoWallet
  const provider = demo ? demoProvider(demo) : await ownProvider(form, say)

  return {
    /** The payer, with the wallet on the right chain.
     * @param {{ network: string }} offer
     * @returns {Promise<string>} */
    async account(offer) {
      say('Waiting for the wallet…')
      const accounts = await ask(provider, { method: 'eth_requestAccounts' })
      const payer = String(Object(accounts)[0])
      if (!/^0x[0-9a-f]{40}$/i.test(payer)) {
        throw new Error('The wallet gave no account. Nothing was paid.')
      }
      await onChain(provider, parseChainId(offer))
      return payer
    },
    /**
     * @param {string} payer
     * @param {object} typedData
     * @returns {Promise<string>}
     */
    async sign(payer, typedData) {
      const params = [payer, JSON.stringify(typedData)]
      const signature = await ask(provider, { method: 'eth_signTypedData_v4', params })
      if (/^0x[0-9a-f]+$/i.test(signature)) return signature
      throw new Error('The wallet gave no signature. Nothing was paid.')
    },
  }
}

/**
 * Wallets sign for the chain they are on, and for no other.
 * @param {Provider} provider
 * @param {number} chainId
 */
async function onChain(provider, chainId) {
  if (Number(await ask(provider, { method: 'eth_chainId' })) === chainId) return
  const chain = CHAINS.get(chainId)
  const id = `0x${chainId.toString(16)}`
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: id }] })
  } catch (error) {
    if (!chain || Object(error).code !== UNKNOWN_CHAIN) {
      throw new Error(`Switch the wallet to ${chain?.chainName ?? id}, and try again.`)
    }
    const params = [{ chainId: id, nativeCurrency: ETHER, ...chain }]
    await ask(provider, { method: 'wallet_addEthereumChain', params })
  }
}

/**
 * @param {Provider} provider
 * @param {Request} request
 */
async function ask(provider, request) {
  try {
    return await provider.request(request)
  } catch (error) {
    const { code, message } = Object(error)
    if (code === REJECTED) throw new Error('You declined in the wallet. Nothing was paid.')
    const reason = message ?? 'it does not say why'
    throw new Error(`The wallet did not do it: ${reason}. Nothing was paid.`)
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {(words: string) => void} say
 * @returns {Promise<Provider>}
 */
async function ownProvider(form, say) {
  const found = announced()
  const [first, second] = found
  if (second) return choose(found, form, say)
  const provider = first?.provider ?? Object(window).ethereum
  if (provider) return provider
  throw new Error('This browser has no Ethereum wallet. Install one, or pay by an x402 client.')
}

/** Wallets answer at once.
 * @returns {{ name: string, provider: Provider }[]} */
function announced() {
  const found = new Map()
  /** @param {Event} event */
  const note = (event) => {
    const { info, provider } = /** @type {CustomEvent} */ (event).detail
    found.set(info.uuid, { name: info.name, provider })
  }
  addEventListener('eip6963:announceProvider', note)
  dispatchEvent(new Event('eip6963:requestProvider'))
  removeEventListener('eip6963:announceProvider', note)
  return [...found.values()]
}

/**
 * @param {{ name: string, provider: Provider }[]} wallets
 * @param {HTMLFormElement} form
 * @param {(words: string) => void} say
 * @returns {Promise<Provider>}
 */
function choose(wallets, form, say) {
  say('Which wallet?')
  const list = document.createElement('div')
  form.append(list)
  return new Promise((resolve, reject) => {
    /**
     * @param {string} name
     * @param {() => void} act
     */
    const offer = (name, act) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = name
      button.addEventListener('click', () => {
        list.remove()
        act()
      })
      list.append(button)
    }
    for (const { name, provider } of wallets) offer(name, () => resolve(provider))
    offer('None of them', () => reject(new Error('No wallet was chosen. Nothing was paid.')))
    // The button that was pressed cannot have the focus while it is disabled.
    list.querySelector('button')?.focus()
  })
}

/**
 * @param {string} url
 * @returns {Provider}
 */
function demoProvider(url) {
  return {
    async request({ method, params = [] }) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body })
      const { result, error } = await response.json()
      if (error) throw error
      return result
    },
  }
}
