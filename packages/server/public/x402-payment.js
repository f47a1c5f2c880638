/**
 * x402 version 2, scheme exact, as a wallet in the browser needs it: what to sign (EIP-3009), and
 * what to send. The official client does the same with a whole Ethereum library, which the wallet
 * already is.
 */

/**
 * @typedef {{ scheme: string, network: string, asset: string, amount: string, payTo: string,
 *   maxTimeoutSeconds: number, extra: { name: string, version: string } }} Offer
 * @typedef {{ resource: object, accepts: [Offer], extensions: object }} Challenge
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
/** Clocks differ. */
const SECONDS_BACK = 600

/** @param {Response} response
 * @returns {Challenge | null} */
export function readPaymentRequired(response) {
  const header = response.headers.get('PAYMENT-REQUIRED')
  if (!header) return null
  const octets = Uint8Array.from(atob(header), (character) => character.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(octets))
}

/**
 * @param {Offer} offer
 * @param {string} payer
 */
export function createTypedData(offer, payer) {
  const now = Math.floor(Date.now() / 1_000)
  return {
    types: {
      EIP712Domain: DOMAIN_FIELDS.map(([name, type]) => ({ name, type })),
      TransferWithAuthorization: FIELDS.map(([name, type]) => ({ name, type })),
    },
    primaryType: 'TransferWithAuthorization',
    domain: { ...offer.extra, chainId: parseChainId(offer), verifyingContract: offer.asset },
    message: {
      from: payer,
      to: offer.payTo,
      value: offer.amount,
      validAfter: String(now - SECONDS_BACK),
      validBefore: String(now + offer.maxTimeoutSeconds),
      nonce: randomNonce(),
    },
  }
}

/**
 * The value of a PAYMENT-SIGNATURE header.
 * @param {Challenge} challenge
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

/** @param {Pick<Offer, 'network'>} offer */
export function parseChainId({ network }) {
  return Number(network.replace('eip155:', ''))
}

function randomNonce() {
  const octets = crypto.getRandomValues(new Uint8Array(32))
  return `0x${Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')}`
}
