/** The signer: a browser wallet (EIP-1193, found with EIP-6963) or the demo wallet of the sandbox. */
import { parseChainId } from './x402-payment.js'

/**
 * @typedef {{ method: string, params?: unknown[] }} Request
 * @typedef {{ request(request: Request): Promise<any> }} Provider
 */

/** For wallets that don’t have these chains yet. */
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
 * @param {(message: string) => void} showStatus
 */
export async function connectWallet(name, form, showStatus) {
  const demo = name === 'demo' && form.dataset.demoWallet
  const provider = demo ? demoProvider(demo) : await ownProvider(form, showStatus)

  return {
    /** Returns the payer and switches the wallet to the right chain.
     * @param {{ network: string }} requirements
     * @returns {Promise<string>} */
    async account(requirements) {
      showStatus('Waiting for your wallet…')
      const accounts = await request(provider, { method: 'eth_requestAccounts' })
      const payer = String(Object(accounts)[0])
      if (!/^0x[0-9a-f]{40}$/i.test(payer)) {
        throw new Error('Your wallet didn’t return an account. You weren’t charged.')
      }
      await switchChain(provider, parseChainId(requirements))
      return payer
    },
    /**
     * @param {string} payer
     * @param {object} typedData
     * @returns {Promise<string>}
     */
    async sign(payer, typedData) {
      const params = [payer, JSON.stringify(typedData)]
      const signature = await request(provider, { method: 'eth_signTypedData_v4', params })
      if (/^0x[0-9a-f]+$/i.test(signature)) return signature
      throw new Error('Your wallet didn’t return a signature. You weren’t charged.')
    },
  }
}

/**
 * Wallets only sign for the chain they are on.
 * @param {Provider} provider
 * @param {number} chainId
 */
async function switchChain(provider, chainId) {
  if (Number(await request(provider, { method: 'eth_chainId' })) === chainId) return
  const chain = CHAINS.get(chainId)
  const id = `0x${chainId.toString(16)}`
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: id }] })
  } catch (error) {
    if (!chain || Object(error).code !== UNKNOWN_CHAIN) {
      throw new Error(`Switch your wallet to ${chain?.chainName ?? id} and try again.`)
    }
    const params = [{ chainId: id, nativeCurrency: ETHER, ...chain }]
    await request(provider, { method: 'wallet_addEthereumChain', params })
  }
}

/**
 * @param {Provider} provider
 * @param {Request} call
 */
async function request(provider, call) {
  try {
    return await provider.request(call)
  } catch (error) {
    const { code, message } = Object(error)
    if (code === REJECTED)
      throw new Error('You declined the payment in your wallet. You weren’t charged.')
    const reason = message ?? 'no reason given'
    throw new Error(`Your wallet failed: ${reason}. You weren’t charged.`)
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {(message: string) => void} showStatus
 * @returns {Promise<Provider>}
 */
async function ownProvider(form, showStatus) {
  const wallets = findWallets()
  const [first, second] = wallets
  if (second) return chooseWallet(wallets, form, showStatus)
  const provider = first?.provider ?? Object(window).ethereum
  if (provider) return provider
  throw new Error(
    'We couldn’t find an Ethereum wallet in this browser. Install one, or pay with an x402 client.',
  )
}

/** Wallets announce themselves synchronously.
 * @returns {{ name: string, provider: Provider }[]} */
function findWallets() {
  const found = new Map()
  /** @param {Event} event */
  const addWallet = (event) => {
    const { info, provider } = /** @type {CustomEvent} */ (event).detail
    found.set(info.uuid, { name: info.name, provider })
  }
  addEventListener('eip6963:announceProvider', addWallet)
  dispatchEvent(new Event('eip6963:requestProvider'))
  removeEventListener('eip6963:announceProvider', addWallet)
  return [...found.values()]
}

/**
 * @param {{ name: string, provider: Provider }[]} wallets
 * @param {HTMLFormElement} form
 * @param {(message: string) => void} showStatus
 * @returns {Promise<Provider>}
 */
function chooseWallet(wallets, form, showStatus) {
  showStatus('Which wallet?')
  const list = document.createElement('div')
  form.append(list)
  return new Promise((resolve, reject) => {
    /**
     * @param {string} name
     * @param {() => void} onChoose
     */
    const addButton = (name, onChoose) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = name
      button.addEventListener('click', () => {
        list.remove()
        onChoose()
      })
      list.append(button)
    }
    for (const { name, provider } of wallets) addButton(name, () => resolve(provider))
    addButton('None of them', () =>
      reject(new Error('You didn’t choose a wallet. You weren’t charged.')),
    )
    // The buy button is disabled now and cannot keep the focus.
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
