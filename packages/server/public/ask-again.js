/** Gets a plan again with other answers. The payment that bought it pays for them too. */
import { findPurchase, replaceReport } from './saved-reports.js'
import { sendPayment } from './send-payment.js'

/** Without an answer, the same request is sent again for that long. */
const TRY_FOR_SECONDS = 60

/**
 * @param {HTMLFormElement} form
 * @param {(message: string) => void} showStatus
 */
export async function askAgain(form, showStatus) {
  const { key, payment } = findPurchase(form)
  if (payment === null) throw new Error('This tab no longer has the payment for this plan.')
  showStatus('Updating your plan…')
  const validBefore = Date.now() / 1_000 + TRY_FOR_SECONDS
  const reply = await sendPayment(answersUrl(form), { payment, validBefore, isOpen: true }, () => {
    showStatus('No answer yet. Trying again…')
  })
  if (reply.kind === 'unknown') throw new Error('There’s still no answer. Try again in a minute.')
  if (reply.kind !== 'report') throw new Error(reply.message)
  replaceReport(key, reply.report)
  reply.report.scrollIntoView()
  reply.report.querySelector('h2')?.focus({ preventScroll: true })
}

/** What is said about a service is sent as `uses` or `unused`.
 * @param {HTMLFormElement} form */
function answersUrl(form) {
  const pairs = [...new FormData(form)]
    .map(([name, value]) => [name, String(value).trim()])
    .filter(([, value]) => value !== '')
    .map(([name = '', value = '']) =>
      name.startsWith('service.') ? [value, name.replace('service.', '')] : [name, value],
    )
  const query = pairs.map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
  return `${form.dataset.answers}?${query.join('&')}`
}
