/**
 * The money of the scripts that pay. In the sandbox the demo wallet pays. Elsewhere the key of a
 * wallet that has USDC comes in PAYER_PRIVATE_KEY, and it pays in real money, after asking; RPC_URL
 * then shows the payee's balance.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { createPublicClient, erc20Abi, formatUnits, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEMO_PAYER_WALLET, SANDBOX_PAYEE } from '../dist/sandbox/chain/sandbox-wallets.js'

const { MAILGRADE_URL = 'http://localhost:3000', PAYER_PRIVATE_KEY = '', RPC_URL } = process.env
const TRIES = 5

const isSandbox = ({ payTo }) => payTo === SANDBOX_PAYEE

/** What was shown is what is signed: to fetch the offer again might bring another one. */
export async function signPayment(required, goods) {
  const [offer] = required.accepts
  const wallet = isSandbox(offer) ? privateKeyToAccount(DEMO_PAYER_WALLET.privateKey) : realWallet()
  if (!isSandbox(offer)) await agree(offer, goods)
  const client = new x402Client().register(offer.network, new ExactEvmScheme(wallet))
  return client.createPaymentPayload({ ...required, accepts: [offer] })
}

function realWallet() {
  if (/^0x[0-9a-fA-F]{64}$/.test(PAYER_PRIVATE_KEY)) return privateKeyToAccount(PAYER_PRIVATE_KEY)
  throw new Error(
    'This is no sandbox. Set PAYER_PRIVATE_KEY to the key of a wallet with USDC: 0x and 64 hexadecimal digits.',
  )
}

/** Real money moves only when a person, or a script that says so, has said yes. */
async function agree(offer, goods) {
  process.stderr.write(`Pay ${formatPrice(offer)} for ${goods}? Type yes: `)
  const lines = createInterface({ input: process.stdin })
  const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  if (answer?.trim().toLowerCase() !== 'yes') throw new Error('Nothing was paid.')
}

export function formatPrice({ amount, network, payTo }) {
  return `${formatUnits(BigInt(amount), 6)} USDC on ${network} to ${payTo}`
}

/**
 * While it is open whether it was paid, the same payment again is safe, and a new one is not. `send`
 * gives null where nobody answered, else the status, the problem's code and when to try again.
 */
export async function sendUntilSettled(send, howToGoOn) {
  let answer = null
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    answer = await send()
    if (answer && !isOpen(answer)) return answer
    process.stderr.write(`Not settled yet (${answer?.status ?? 'no answer'}); once more.\n`)
    await setTimeout(Number(answer?.retryAfter ?? 1) * 1_000)
  }
  const outcome = answer?.charged === 'no' ? 'Nothing was charged' : 'It may have been paid, or not'
  throw new Error(`${outcome}. Do not pay anew; send the same payment again:\n${howToGoOn}`)
}

/** A report that could not be made because the DNS failed was never charged. */
function isOpen({ status, code = '' }) {
  return [409, 500, 502, 503, 504].includes(status) && !code.startsWith('dns_')
}

export async function printBalance({ accepts: [offer] }, serviceUrl) {
  const rpcUrl = isSandbox(offer) ? new URL('/sandbox/chain', serviceUrl).href : RPC_URL
  if (!rpcUrl) return
  const units = await createPublicClient({ transport: http(rpcUrl) }).readContract({
    address: offer.asset,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [offer.payTo],
  })
  printText(`The payee now has ${formatUnits(units, 6)} USDC.`)
}

/** A path of the service, or a whole address. */
export function resolveServiceUrl(path) {
  if (URL.canParse(path, MAILGRADE_URL)) return new URL(path, MAILGRADE_URL)
  throw new Error(
    `MAILGRADE_URL is ${MAILGRADE_URL}; set it to an address such as http://localhost:3000`,
  )
}

export function serviceUnreachable(url) {
  return new Error(
    `Nobody answers at ${url.origin}. Start the service with npm start, or set MAILGRADE_URL.`,
  )
}

export function printJson(title, value) {
  printText(`${title}\n${JSON.stringify(value, null, 2)}`)
}

export function printText(text) {
  process.stdout.write(`\n${text}\n`)
}

/** What went wrong, and nothing of where. */
export async function runMain(run) {
  try {
    await run()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
