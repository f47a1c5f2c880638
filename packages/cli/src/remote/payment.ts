/** The price that a service asks for, if it is one that this program pays, and its signature: USDC on Base, x402 v2. */

/** One entry of x402's `accepts`, checked. */
export interface PaymentOffer {
  readonly scheme: 'exact'
  readonly network: NetworkId
  /** In units of 1/1,000,000 USDC. */
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

type NetworkId = keyof typeof NETWORKS

const NETWORKS = {
  'eip155:8453': {
    name: 'Base',
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    eip712Domain: { name: 'USD Coin', version: '2' },
  },
  'eip155:84532': {
    name: 'Base Sepolia (test network)',
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    eip712Domain: { name: 'USDC', version: '2' },
  },
} as const

/** A signed payment can be charged until then. */
const LONGEST_VALIDITY_SECONDS = 600

type ReadOffer =
  | { readonly kind: 'offer'; readonly offer: PaymentOffer; readonly resource: unknown }
  | Refused

interface Refused {
  readonly kind: 'refused'
  /** One or more sentences. */
  readonly reason: string
}

/** Reads x402's PaymentRequired and takes the first offer that can be paid. */
export function readOffer(paymentRequired: unknown): ReadOffer {
  const { x402Version, accepts, resource } = Object(paymentRequired)
  if (x402Version !== 2 || !Array.isArray(accepts) || accepts.length === 0) {
    return refused('The service’s price isn’t in x402 version 2 format.')
  }
  const faults = accepts.map(findFault)
  const index = faults.indexOf(null)
  if (index < 0) return refused(faults[0] ?? '')
  return { kind: 'offer', offer: accepts[index], resource }
}

/** Everything that is signed must be what the user reads: a token, an amount and a payee. */
function findFault(accepted: unknown): string | null {
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = Object(accepted)
  if (scheme !== 'exact') return 'The price isn’t fixed. We support only the "exact" scheme.'
  if (!isNetwork(network)) return 'We support payments only on Base and Base Sepolia.'
  const { usdc, eip712Domain } = NETWORKS[network]
  if (!isSameAddress(asset, usdc)) return 'The token isn’t USDC.'
  if (!isText(amount, /^[1-9]\d{0,14}$/)) return 'The amount isn’t valid.'
  if (!isText(payTo, /^0x[0-9a-f]{40}$/i)) return 'The payee isn’t a wallet address.'
  if (!isShortValidity(maxTimeoutSeconds)) {
    return `The payment would be valid for more than ${LONGEST_VALIDITY_SECONDS} seconds.`
  }
  const { name, version, ...others } = Object(extra)
  const isUsual = name === eip712Domain.name && version === eip712Domain.version
  // Another member could ask for a signature of another kind, such as a Permit2 allowance.
  return isUsual && Object.keys(others).length === 0
    ? null
    : 'The token details aren’t the standard ones for USDC.'
}

function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

/** It is added to the time, so a text of digits would be appended to it instead. */
function isShortValidity(seconds: unknown): boolean {
  return typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_VALIDITY_SECONDS
}

function isNetwork(network: unknown): network is NetworkId {
  return typeof network === 'string' && Object.hasOwn(NETWORKS, network)
}

function isSameAddress(address: unknown, expected: string): boolean {
  return typeof address === 'string' && address.toLowerCase() === expected.toLowerCase()
}

/** `0.01 USDC on Base to 0x…` */
export function describeOffer({ amount, network, payTo }: PaymentOffer): string {
  return `${formatUsd(BigInt(amount))} USDC on ${NETWORKS[network].name} to ${payTo}`
}

const UNITS_PER_USD = 1_000_000

/** Without a part of a unit. Fifteen digits hide that 0.57 × 1,000,000 is a little less than 570,000. */
export function toUnits(usd: number): bigint {
  return BigInt(Math.floor(Number((usd * UNITS_PER_USD).toPrecision(15))))
}

/** `10000n` → `0.01` */
export function formatUsd(units: bigint): string {
  const whole = units / BigInt(UNITS_PER_USD)
  const fraction = `${units % BigInt(UNITS_PER_USD)}`.padStart(6, '0').replace(/0+$/, '')
  return fraction === '' ? `${whole}` : `${whole}.${fraction}`
}

export const KEY_VARIABLE = 'MAILGRADE_PRIVATE_KEY'

export interface Wallet {
  /** The headers that pay for a request. */
  sign(offer: PaymentOffer, resource: unknown): Promise<Record<string, string>>
}

/**
 * No message contains the key, not even one from a library. The packages that sign are large and few
 * users pay, so they are loaded on demand.
 */
export async function openWallet(
  key: string | undefined,
): Promise<{ readonly kind: 'wallet'; readonly wallet: Wallet } | Refused> {
  if (!key) {
    return refused(
      `Set the environment variable ${KEY_VARIABLE} to the private key of a wallet that holds USDC.`,
    )
  }
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(key.trim())?.[1]
  if (!digits) return refused(INVALID_KEY)
  const packages = await loadPackages()
  if (!packages) return refused(MISSING_PACKAGES)
  const { x402Client, x402HTTPClient, ExactEvmScheme, privateKeyToAccount } = packages
  try {
    const scheme = new ExactEvmScheme(privateKeyToAccount(`0x${digits}`))
    return { kind: 'wallet', wallet: { sign } }

    async function sign(offer: PaymentOffer, resource: unknown) {
      const client = new x402Client().register(offer.network, scheme)
      // Without the extensions of the service: some make the client sign more than a payment.
      const paymentRequired = { x402Version: 2, accepts: [offer], resource }
      const payload = await client.createPaymentPayload(
        paymentRequired as unknown as Parameters<typeof client.createPaymentPayload>[0],
      )
      return new x402HTTPClient(client).encodePaymentSignatureHeader(payload)
    }
  } catch {
    return refused(INVALID_KEY)
  }
}

const INVALID_KEY = `The value of ${KEY_VARIABLE} isn’t a private key. A private key is 0x followed by 64 hexadecimal digits.`

const MISSING_PACKAGES =
  'To pay, you need three packages that don’t come with mailgrade. Install them in the same place as mailgrade: npm install @x402/fetch @x402/evm viem (add --global if you installed mailgrade globally).'

/** Null if one is not installed. */
async function loadPackages() {
  try {
    const [{ x402Client, x402HTTPClient }, { ExactEvmScheme }, { privateKeyToAccount }] =
      await Promise.all([
        import('@x402/fetch'),
        import('@x402/evm/exact/client'),
        import('viem/accounts'),
      ])
    return { x402Client, x402HTTPClient, ExactEvmScheme, privateKeyToAccount }
  } catch (error) {
    if (Object(error).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

function refused(reason: string): Refused {
  return { kind: 'refused', reason }
}
