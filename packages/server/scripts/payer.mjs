/**
 * Signs and sends payments for the scripts. In the sandbox the demo wallet pays. Otherwise the
 * wallet of PAYER_PRIVATE_KEY pays real USDC after a confirmation. With RPC_URL the scripts also
 * print the payee's balance.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { stringifySafely, toVisibleLine, toVisibleText } from '@mailgrade/core'
import { DEMO_PAYER_WALLET, SANDBOX_PAYEE } from '../build/sandbox/chain/sandbox-wallets.js'

const { MAILGRADE_URL = 'http://localhost:3000', PAYER_PRIVATE_KEY = '', RPC_URL } = process.env
const TRIES = 5

const isSandbox = ({ payTo }) => payTo === SANDBOX_PAYEE

/** No one reads the output any more, as with `… | head`. */
let isOutputClosed = false

/** Signs the offer that was shown; a second request might return another one. */
export async function signPayment(paymentRequired, resource) {
  // A report that no one reads is not worth paying for.
  if (isOutputClosed) process.exit(0)
  const [offer] = paymentRequired.accepts
  const key = isSandbox(offer) ? DEMO_PAYER_WALLET.privateKey : realKey()
  if (!isSandbox(offer)) await confirm(offer, resource)
  // Loaded for a payment only: they take longer than the rest of a script.
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const { x402Client } = await import('@x402/fetch')
  const { privateKeyToAccount } = await import('viem/accounts')
  const wallet = privateKeyToAccount(key)
  const client = new x402Client().register(offer.network, new ExactEvmScheme(wallet))
  return client.createPaymentPayload({ ...paymentRequired, accepts: [offer] })
}

function realKey() {
  if (/^0x[0-9a-fA-F]{64}$/.test(PAYER_PRIVATE_KEY)) return PAYER_PRIVATE_KEY
  throw new Error(
    'This service takes real money. Set PAYER_PRIVATE_KEY to the key of a wallet with USDC: 0x and 64 hexadecimal digits.',
  )
}

/** Real money is paid only after a yes on standard input. */
async function confirm(offer, resource) {
  const question = `Pay ${formatPrice(offer)} for ${resource}? Type yes: `
  process.stderr.write(toVisibleLine(question))
  const lines = createInterface({ input: process.stdin })
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  if (line?.trim().toLowerCase() !== 'yes') throw new Error('Canceled. You weren’t charged.')
}

export function formatPrice({ amount, network, payTo }) {
  return `${formatUsdc(BigInt(amount))} USDC on ${network} to ${payTo}`
}

/** USDC has six decimals. */
function formatUsdc(units) {
  const digits = String(units).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '')
}

/**
 * While the outcome is unknown, repeating the same payment is safe, but a new one is not. `send`
 * resolves to null without a response, otherwise to its status, problem code and Retry-After.
 */
export async function sendUntilSettled(send, retryCommand) {
  let response = null
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    response = await send()
    if (response && !isUnresolved(response)) return response
    process.stderr.write(`Not settled yet (${response?.status ?? 'no response'}). Retrying.\n`)
    await setTimeout(Number(response?.retryAfter ?? 1) * 1_000)
  }
  const outcome = response?.charged === 'no' ? 'You weren’t charged.' : 'You may have been charged.'
  throw new Error(`${outcome} Don’t sign a new payment. Send the same one again:\n${retryCommand}`)
}

/** A report that failed because of DNS is never charged. */
function isUnresolved({ status, code = '' }) {
  return [409, 500, 502, 503, 504].includes(status) && !code.startsWith('dns_')
}

export async function printBalance({ accepts: [offer] }, serviceUrl) {
  const rpcUrl = isSandbox(offer) ? new URL('/sandbox/chain', serviceUrl).href : RPC_URL
  if (!rpcUrl) return
  const { createPublicClient, erc20Abi, http } = await import('viem')
  const units = await createPublicClient({ transport: http(rpcUrl) }).readContract({
    address: offer.asset,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [offer.payTo],
  })
  printText(`The payee now has ${formatUsdc(units)} USDC.`)
}

/** Accepts a path of the service or a full URL. */
export function resolveServiceUrl(path) {
  if (URL.canParse(path, MAILGRADE_URL)) return new URL(path, MAILGRADE_URL)
  throw new Error(
    `MAILGRADE_URL is ${MAILGRADE_URL}. Set it to a URL such as http://localhost:3000`,
  )
}

/** Throws for parameters that the service would ignore or miss, before anything is signed. */
export function checkParameters(given, known, required) {
  const unknown = given.filter((name) => !known.includes(name))
  const missing = required.filter((name) => !given.includes(name))
  const faults = [
    ...unknown.map((name) => `Unknown parameter: ${name}.`),
    ...missing.map((name) => `Missing parameter: ${name}.`),
  ]
  if (faults.length === 0) return
  const names = known.length === 0 ? 'none' : known.join(', ')
  throw new Error(`${faults.join(' ')} Known parameters: ${names}. Nothing was signed.`)
}

export function serviceUnreachable(url) {
  return new Error(`No service at ${url.origin}. Start it with npm start, or set MAILGRADE_URL.`)
}

export function printJson(title, value) {
  printText(`${title}\n${stringifySafely(value ?? null, 2)}`)
}

/** A service may send text that controls a terminal. */
export function printText(text) {
  process.stdout.write(`\n${toVisibleText(text)}\n`)
}

/** Prints the message of an error without its stack. */
export async function runMain(run) {
  // `… | head` closes the pipe early. Go on without output: a payment may be in progress.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code }) => {
      if (!['EPIPE', 'ERR_STREAM_DESTROYED'].includes(code)) process.exit(1)
      isOutputClosed = true
    })
  }
  try {
    await run()
  } catch (error) {
    process.stderr.write(`${toVisibleText(error.message)}\n`)
    process.exitCode = 1
  }
}
