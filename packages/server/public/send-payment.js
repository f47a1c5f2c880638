/** Sends a payment until it is known what became of it: the same one, so that it is charged once. */
import { parseReport } from './saved-reports.js'

/** A settlement may take this long, and the report before it. */
const PATIENCE_MS = 60_000
const REFUSED = [400, 402, 404]

/**
 * @typedef {import('./pending-payment.js').Pending} Pending
 * @typedef {{ kind: 'report', report: Element }
 *   | { kind: 'refused' | 'failed', status: number, words: string }
 *   | { kind: 'open', retryAfter: number }} Answer
 */

/**
 * @param {string} url
 * @param {Pending} pending
 * @param {() => void} onOpen Whenever an attempt has left it open whether it was settled.
 * @returns {Promise<Answer>}
 */
export async function sendPayment(url, { payment, validBefore }, onOpen) {
  for (;;) {
    const answer = await attempt(url, payment)
    if (answer.kind !== 'open') return answer
    onOpen()
    if (Date.now() / 1_000 > validBefore) return answer
    await pause(answer.retryAfter)
  }
}

/**
 * @param {string} url
 * @param {string} payment
 * @returns {Promise<Answer>}
 */
async function attempt(url, payment) {
  try {
    const headers = { Accept: 'text/html', 'PAYMENT-SIGNATURE': payment }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) })
    return judge(response, await response.text())
  } catch {
    return { kind: 'open', retryAfter: 2 }
  }
}

/**
 * @param {Response} response
 * @param {string} html
 * @returns {Answer}
 */
function judge({ status, headers }, html) {
  const report = status === 200 ? parseReport(html) : null
  if (report) return { kind: 'report', report }
  const { code, words, charged } = parseProblem(html)
  // Whoever else answers in our place, such as the login page of a network, decides nothing.
  if (code && REFUSED.includes(status)) return { kind: 'refused', status, words }
  // A report that could not be made was not charged, and what could not be checked neither.
  if (code.startsWith('dns_') || charged === 'no') return { kind: 'failed', status, words }
  const retryAfter = Number(headers.get('Retry-After')) || 2
  return { kind: 'open', retryAfter: Math.min(retryAfter, 10) }
}

/** What one of our pages says is wrong; nothing where it is none of ours.
 * @param {string} html */
export function parseProblem(html) {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const notice = page.querySelector('[data-problem]')
  return {
    code: notice?.getAttribute('data-problem') ?? '',
    charged: notice?.getAttribute('data-charged'),
    words: notice?.querySelector('.summary')?.textContent ?? '',
  }
}

/** @param {number} seconds */
function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}
