/** Sends a payment until its outcome is known. It is always the same one, so it is charged once. */
import { parseReport } from './saved-reports.js'

/** Making the report and settling the payment may take this long. */
const TIMEOUT_MS = 60_000
const REJECTED_STATUSES = [400, 402, 404]

/**
 * @typedef {import('./pending-payment.js').PendingPayment} PendingPayment
 * @typedef {{ kind: 'report', report: Element }
 *   | { kind: 'rejected' | 'failed', status: number, message: string }
 *   | { kind: 'unknown', retryAfter: number }} PaymentReply
 */

/**
 * @param {string} url
 * @param {PendingPayment} pending
 * @param {() => void} onUnknown Called after each attempt that may or may not have been settled.
 * @returns {Promise<PaymentReply>}
 */
export async function sendPayment(url, { payment, validBefore }, onUnknown) {
  for (;;) {
    const reply = await sendOnce(url, payment)
    if (reply.kind !== 'unknown') return reply
    onUnknown()
    if (Date.now() / 1_000 > validBefore) return reply
    await pause(reply.retryAfter)
  }
}

/**
 * @param {string} url
 * @param {string} payment
 * @returns {Promise<PaymentReply>}
 */
async function sendOnce(url, payment) {
  try {
    const headers = { Accept: 'text/html', 'PAYMENT-SIGNATURE': payment }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    return readReply(response, await response.text())
  } catch {
    return { kind: 'unknown', retryAfter: 2 }
  }
}

/**
 * @param {Response} response
 * @param {string} html
 * @returns {PaymentReply}
 */
function readReply({ status, headers }, html) {
  const report = status === 200 ? parseReport(html) : null
  if (report) return { kind: 'report', report }
  const { code, message, charged } = parseProblem(html)
  // A page that is not ours, such as the login page of a network, has no code and decides nothing.
  if (code && REJECTED_STATUSES.includes(status)) return { kind: 'rejected', status, message }
  // These charge nothing: the report could not be made, or the payment could not be verified.
  if (code.startsWith('dns_') || charged === 'no') return { kind: 'failed', status, message }
  const retryAfter = Number(headers.get('Retry-After')) || 2
  return { kind: 'unknown', retryAfter: Math.min(retryAfter, 10) }
}

/** Reads the problem from one of our pages; empty for any other page.
 * @param {string} html */
export function parseProblem(html) {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const notice = page.querySelector('[data-problem]')
  return {
    code: notice?.getAttribute('data-problem') ?? '',
    charged: notice?.getAttribute('data-charged'),
    message: notice?.querySelector('.summary')?.textContent ?? '',
  }
}

/** @param {number} seconds */
function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}
