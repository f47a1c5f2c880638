/**
 * x402 version 2, scheme exact, for a wallet in the browser: what to sign (EIP-3009) and what to
 * send. The official client brings an Ethereum library, which the wallet makes unnecessary.
 */

/**
 * @typedef {{ scheme: string, network: string, asset: string, amount: string, payTo: string,
 *   maxTimeoutSeconds: number, extra: { name: string, version: string } }} PaymentRequirements
 * @typedef {{ resource: object, accepts: [PaymentRequirements], extensions: object }} PaymentRequired
 */

const FIELDS = [
  ['from', 'address'],
  ['to', 'address'],
  ['value', 'uint256'],
  ['validAfter', 'uint256'],
  ['validBefore', 'uint256'],
  ['nonce', 'bytes32'],
]
const DOMAIN_FIELDS = [
  ['name', 'string'],
  ['version', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
]
/** Allows for clocks that differ. */
const CLOCK_SKEW_SECONDS = 600

/** @param {Response} response
 * @returns {PaymentRequired | null} */
export function readPaymentRequired(response) {
  const header = response.headers.get('PAYMENT-REQUIRED')
  if (!header) return null
  const octets = Uint8Array.from(atob(header), (character) => character.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(octets))
}

/**
 * @param {PaymentRequirements} requirements
 * @param {string} payer
 */
export function createTypedData(requirements, payer) {
  const now = Math.floor(Date.now() / 1_000)
  return {
    types: {
      EIP712Domain: DOMAIN_FIELDS.map(([name, type]) => ({ name, type })),
      TransferWithAuthorization: FIELDS.map(([name, type]) => ({ name, type })),
    },
    primaryType: 'TransferWithAuthorization',
    domain: {
      ...requirements.extra,
      chainId: parseChainId(requirements),
      verifyingContract: requirements.asset,
    },
    message: {
      from: payer,
      to: requirements.payTo,
      value: requirements.amount,
      validAfter: String(now - CLOCK_SKEW_SECONDS),
      validBefore: String(now + requirements.maxTimeoutSeconds),
      nonce: randomNonce(),
    },
  }
}

/**
 * The value of a PAYMENT-SIGNATURE header.
 * @param {PaymentRequired} paymentRequired
 * @param {object} authorization
 * @param {string} signature
 */
export function encodePaymentPayload(
  { resource, accepts: [accepted], extensions },
  authorization,
  signature,
) {
  const payload = { signature, authorization }
  const json = JSON.stringify({ x402Version: 2, resource, accepted, payload, extensions })
  return btoa(String.fromCharCode(...new TextEncoder().encode(json)))
}

/** @param {Pick<PaymentRequirements, 'network'>} requirements */
export function parseChainId({ network }) {
  return Number(network.replace('eip155:', ''))
}

function randomNonce() {
  const octets = crypto.getRandomValues(new Uint8Array(32))
  return `0x${Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')}`
}
