/**
 * Pays for a report and prints it with its receipt: `npm run pay -- "/v1/score?domain=good.test"`.
 *
 * In the sandbox the demo wallet pays. With a whole address, and the key of a wallet that has USDC in
 * PAYER_PRIVATE_KEY, it pays in real money, after asking; RPC_URL then shows the payee's balance.
 */
import { createInterface } from 'node:readline/promises'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, erc20Abi, formatUnits, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEMO_PAYER, PAYEE } from '../dist/sandbox/chain/wallets.js'

const { MAILGRADE_URL = 'http://localhost:3000', PAYER_PRIVATE_KEY, RPC_URL } = process.env
const [wanted = '/v1/score?domain=good.test'] = process.argv.slice(2)

try {
  await buy(new URL(wanted, MAILGRADE_URL))
} catch (error) {
  const isDown = error instanceof TypeError && error.message === 'fetch failed'
  const advice = `Nobody answers at ${MAILGRADE_URL}. Start the service with npm start, or set MAILGRADE_URL.`
  process.stderr.write(`${isDown ? advice : error.message}\n`)
  process.exitCode = 1
}

async function buy(url) {
  const offer = await priceOf(url)
  const isSandbox = offer.payTo === PAYEE
  if (!isSandbox) await agree(url, offer)
  const wallet = privateKeyToAccount(isSandbox ? DEMO_PAYER.privateKey : PAYER_PRIVATE_KEY)
  const client = new x402Client().register(offer.network, new ExactEvmScheme(wallet))

  const response = await wrapFetchWithPayment(fetch, client)(url)
  show('Report', await response.json())
  const receipt = response.headers.get('payment-response')
  if (!response.ok || !receipt) throw new Error(`Not paid: the answer was ${response.status}.`)
  show('Receipt', decodePaymentResponseHeader(receipt))

  const rpcUrl = isSandbox ? new URL('/sandbox/chain', url).href : RPC_URL
  if (rpcUrl) say(`The payee now has ${await balanceOf(offer, rpcUrl)} USDC.`)
}

async function priceOf(url) {
  const response = await fetch(url)
  const body = await response.json()
  if (response.status === 402) return body.accepts[0]
  show('Answer', body)
  throw new Error(`Nothing to pay: the answer was ${response.status}.`)
}

/** Real money moves only when a person, or a script that says so, has said yes. */
async function agree(url, { amount, network, payTo }) {
  if (!PAYER_PRIVATE_KEY) {
    throw new Error('This is no sandbox. Set PAYER_PRIVATE_KEY to the key of a wallet with USDC.')
  }
  const price = `${formatUnits(BigInt(amount), 6)} USDC on ${network} to ${payTo}`
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question(`Pay ${price} for ${url}? Type yes: `)
  prompt.close()
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('Nothing was paid.')
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
