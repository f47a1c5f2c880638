/** Pays for a report and prints it with its receipt: `npm run pay -- "/v1/score?domain=good.test"`. */
import { decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import {
  printBalance,
  printJson,
  resolveServiceUrl,
  runMain,
  sendUntilSettled,
  serviceUnreachable,
  signPayment,
} from './payer.mjs'

const [wanted = '/v1/score?domain=good.test'] = process.argv.slice(2)

await runMain(() => buy(resolveServiceUrl(wanted)))

async function buy(url) {
  const required = await challengeOf(url)
  const payment = encodePaymentSignatureHeader(await signPayment(required, url))
  const answer = await sendUntilSettled(
    () => send(url, payment),
    `curl -H 'PAYMENT-SIGNATURE: ${payment}' '${url}'`,
  )
  const isReport = answer.status === 200
  printJson(isReport ? 'Report' : 'Answer', answer.body)
  if (!isReport || !answer.receipt) throw new Error(`Not paid: the answer was ${answer.status}.`)
  printJson('Receipt', decodePaymentResponseHeader(answer.receipt))
  await printBalance(required, url)
}

async function challengeOf(url) {
  const response = await fetch(url).catch(() => {
    throw serviceUnreachable(url)
  })
  const body = await response.json()
  if (response.status === 402) return body
  printJson('Answer', body)
  throw new Error(`Nothing to pay: the answer was ${response.status}.`)
}

async function send(url, payment) {
  const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } }).catch(() => null)
  if (!response) return null
  // Of a proxy that answers in our place, the status has to do.
  const body = await response.json().catch(() => ({}))
  return {
    status: response.status,
    code: body.code,
    charged: body.charged,
    body,
    receipt: response.headers.get('payment-response'),
    retryAfter: response.headers.get('retry-after'),
  }
}
