/**
 * Pays for a report and prints it with its receipt: `npm run pay -- "/v1/score?domain=good.test"`.
 *
 * In the sandbox the demo wallet pays. With a whole address, and the key of a wallet that has USDC in
 * PAYER_PRIVATE_KEY, it pays in real money, after asking; RPC_URL then shows the payee's balance.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { createPublicClient, erc20Abi, formatUnits, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEMO_PAYER, PAYEE } from '../dist/sandbox/chain/wallets.js'

const { MAILGRADE_URL = 'http://localhost:3000', PAYER_PRIVATE_KEY = '', RPC_URL } = process.env
const [wanted = '/v1/score?domain=good.test'] = process.argv.slice(2)
const TRIES = 5

try {
  await buy(new URL(wanted, MAILGRADE_URL))
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function buy(url) {
  const required = await challengeOf(url)
  const [offer] = required.accepts
  const isSandbox = offer.payTo === PAYEE
  const wallet = isSandbox ? privateKeyToAccount(DEMO_PAYER.privateKey) : realWallet()
  if (!isSandbox) await agree(url, offer)
  // What was shown is what is signed: to fetch the offer again might bring another one.
  const client = new x402Client().register(offer.network, new ExactEvmScheme(wallet))
  const payment = await client.createPaymentPayload({ ...required, accepts: [offer] })

  const response = await send(url, encodePaymentSignatureHeader(payment))
  const receipt = response.headers.get('payment-response')
  show(response.ok ? 'Report' : 'Answer', await response.json())
  if (!response.ok || !receipt) throw new Error(`Not paid: the answer was ${response.status}.`)
  show('Receipt', decodePaymentResponseHeader(receipt))

  const rpcUrl = isSandbox ? new URL('/sandbox/chain', url).href : RPC_URL
  if (rpcUrl) say(`The payee now has ${await balanceOf(offer, rpcUrl)} USDC.`)
}

async function challengeOf(url) {
  const response = await fetch(url).catch(() => {
    throw new Error(
      `Nobody answers at ${url.origin}. Start the service with npm start, or set MAILGRADE_URL.`,
    )
  })
  const body = await response.json()
  if (response.status === 402) return body
  show('Answer', body)
  throw new Error(`Nothing to pay: the answer was ${response.status}.`)
}

/** While it is open whether it was paid, the same payment again is safe, and a new one is not. */
async function send(url, payment) {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } }).catch(
      () => null,
    )
    if (response && !(await isOpen(response))) return response
    const seconds = Number(response?.headers.get('retry-after') ?? 1)
    process.stderr.write(`Not settled yet (${response?.status ?? 'no answer'}); once more.\n`)
    await setTimeout(seconds * 1_000)
  }
  throw new Error(
    `It may have been paid, or not. Do not pay anew; send the same payment again:\ncurl -H 'PAYMENT-SIGNATURE: ${payment}' '${url}'`,
  )
}

/** A report that could not be made because the DNS failed was never charged. */
async function isOpen(response) {
  if (![409, 502, 503, 504].includes(response.status)) return false
  const { code = '' } = await response.clone().json()
  return !code.startsWith('dns_')
}

function realWallet() {
  if (/^0x[0-9a-fA-F]{64}$/.test(PAYER_PRIVATE_KEY)) return privateKeyToAccount(PAYER_PRIVATE_KEY)
  throw new Error(
    'This is no sandbox. Set PAYER_PRIVATE_KEY to the key of a wallet with USDC: 0x and 64 hexadecimal digits.',
  )
}

/** Real money moves only when a person, or a script that says so, has said yes. */
async function agree(url, { amount, network, payTo }) {
  const price = `${formatUnits(BigInt(amount), 6)} USDC on ${network} to ${payTo}`
  process.stderr.write(`Pay ${price} for ${url}? Type yes: `)
  const lines = createInterface({ input: process.stdin })
  const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  if (answer?.trim().toLowerCase() !== 'yes') throw new Error('Nothing was paid.')
}

async function balanceOf({ asset, payTo }, rpcUrl) {
  const units = await createPublicClient({ transport: http(rpcUrl) }).readContract({
    address: asset,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [payTo],
  })
  return formatUnits(units, 6)
}

function show(title, value) {
  say(`${title}\n${JSON.stringify(value, null, 2)}`)
}

function say(text) {
  process.stdout.write(`\n${text}\n`)
}
