/** Pays for a report and prints it with its receipt: `npm run pay -- "/v1/score?domain=good.test"`. */
import { decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import {
  checkParameters,
  printBalance,
  printJson,
  resolveServiceUrl,
  runMain,
  sendUntilSettled,
  serviceUnreachable,
  signPayment,
} from './payer.mjs'

const [path = '/v1/score?domain=good.test'] = process.argv.slice(2)

await runMain(() => payForReport(resolveServiceUrl(path)))

async function payForReport(url) {
  const paymentRequired = await fetchPaymentRequired(url)
  const payment = encodePaymentSignatureHeader(await signPayment(paymentRequired, url))
  const response = await sendUntilSettled(
    () => send(url, payment),
    `curl -H 'PAYMENT-SIGNATURE: ${payment}' '${url}'`,
  )
  const isReport = response.status === 200
  printJson(isReport ? 'Report' : 'Response', response.body)
  if (!isReport) {
    throw new Error(`No report: the service returned ${response.status}. You weren’t charged.`)
  }
  if (!response.receipt) throw new Error('The service sent no receipt. You may have been charged.')
  printJson('Receipt', decodePaymentResponseHeader(response.receipt))
  await printBalance(paymentRequired, url)
}

async function fetchPaymentRequired(url) {
  const response = await fetch(url).catch(() => {
    throw serviceUnreachable(url)
  })
  // A proxy may respond without JSON.
  const body = await response.json().catch(() => ({}))
  const { status } = response
  if (status === 402) {
    await checkQuery(url)
    return body
  }
  printJson('Response', body)
  if (status < 400) throw new Error(`No payment needed: the service returned ${status}.`)
  const sentences = [`The service returned ${status}.`, body.detail, 'Nothing was signed.']
  throw new Error(sentences.filter(Boolean).join(' '))
}

/** The service ignores a parameter that it does not know; its OpenAPI document lists the others. */
async function checkQuery(url) {
  const document = await fetch(new URL('/openapi.json', url))
    .then((response) => response.json())
    .catch(() => null)
  const parameters = document?.paths?.[url.pathname]?.get?.parameters
  const inQuery = parameters?.filter((parameter) => parameter.in === 'query')
  if (!inQuery) return
  checkParameters(
    [...new Set(url.searchParams.keys())],
    inQuery.map(({ name }) => name),
    inQuery.filter(({ required }) => required).map(({ name }) => name),
  )
}

async function send(url, payment) {
  const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } }).catch(() => null)
  if (!response) return null
  // A proxy may respond without JSON; its status is enough.
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
