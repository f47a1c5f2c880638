/** Buys a report: gets the price, has a wallet sign the payment, and shows the report. */

import { connectWallet } from './connect-wallet.js'
import { clearPendingPayment, loadPendingPayment, savePendingPayment } from './pending-payment.js'
import { isReportSaved, savePayment, saveReport } from './saved-reports.js'
import { parseProblem, sendPayment } from './send-payment.js'
import { createTypedData, encodePaymentPayload, readPaymentRequired } from './x402-payment.js'

/** @typedef {(...message: (string | Node)[]) => void} ShowStatus */

const OUTCOME_UNKNOWN =
  'We don’t know yet whether the payment went through. Press the button again to send the same payment. You’ll be charged only once.'
const NO_CONNECTION = 'We couldn’t connect. You weren’t charged.'

/**
 * @param {HTMLFormElement} form
 * @param {string} walletName `demo` or `own`
 * @param {ShowStatus} showStatus
 */
export async function buyReport(form, walletName, showStatus) {
  const url = reportUrl(form)
  if (isReportSaved(url) && form.dataset.confirmUrl !== url) {
    form.dataset.confirmUrl = url
    showStatus('You already have this report. Press again to buy a new one.')
    return
  }
  form.dataset.confirmUrl = ''
  const pending = loadPendingPayment(url) ?? (await signPayment(url, form, walletName, showStatus))
  const report = await payForReport(url, pending, showStatus)
  savePayment(url, pending.payment)
  const isSaved = saveReport(url, report)
  const warning = isSaved
    ? ''
    : '. This tab can’t keep it, so download or print it before you leave.'
  collapse(form)
  showStatus('Paid. ', linkTo(report), warning)
  report.scrollIntoView()
  report.querySelector('h2')?.focus({ preventScroll: true })
}

/** Leaves the status and a way to buy again, so the report is what one sees.
 * @param {HTMLFormElement} form */
function collapse(form) {
  const collapsed = form.querySelector(':scope > details.again')
  if (collapsed) return collapsed.removeAttribute('open')
  const again = document.createElement('details')
  again.className = 'again'
  const summary = document.createElement('summary')
  summary.textContent = 'Buy another report'
  again.append(summary, ...[...form.children].filter((child) => !child.matches('[role=status]')))
  form.append(again)
}

/** @param {Element} report */
function linkTo(report) {
  const link = document.createElement('a')
  link.href = `#${report.id}`
  link.textContent = 'Open your report'
  return link
}

/**
 * @param {string} url
 * @param {HTMLFormElement} form
 * @param {string} walletName
 * @param {ShowStatus} showStatus
 */
async function signPayment(url, form, walletName, showStatus) {
  showStatus('Getting the price…')
  const response = await fetch(url, { headers: { Accept: 'text/html' } }).catch(() => {
    throw new Error(NO_CONNECTION)
  })
  const paymentRequired = readPaymentRequired(response)
  if (!paymentRequired)
    throw new Error(parseProblem(await response.text()).message || NO_CONNECTION)
  const [requirements] = paymentRequired.accepts

  const wallet = await connectWallet(walletName, form, showStatus)
  const payer = await wallet.account(requirements)
  showStatus(`Confirm ${(Number(requirements.amount) / 1e6).toFixed(2)} USDC in your wallet…`)
  const typedData = createTypedData(requirements, payer)
  const signature = await wallet.sign(payer, typedData)
  const pending = {
    payment: encodePaymentPayload(paymentRequired, typedData.message, signature),
    validBefore: Number(typedData.message.validBefore),
    isOpen: false,
  }
  savePendingPayment(url, pending)
  return pending
}

/**
 * @param {string} url
 * @param {import('./pending-payment.js').PendingPayment} pending
 * @param {ShowStatus} showStatus
 */
async function payForReport(url, pending, showStatus) {
  showStatus('Paying and making the report…')
  let { isOpen } = pending
  const reply = await sendPayment(url, pending, () => {
    isOpen = true
    savePendingPayment(url, { ...pending, isOpen })
    showStatus('No answer yet. Trying again with the same payment…')
  })
  switch (reply.kind) {
    case 'report':
      clearPendingPayment(url)
      return reply.report
    case 'rejected':
      clearPendingPayment(url)
      // An earlier attempt may have been settled.
      throw new Error(
        isOpen
          ? `${reply.message} An earlier attempt may have gone through: check your wallet before you buy again.`
          : withNothingPaid(reply.message),
      )
    case 'failed':
      // This attempt was not charged, but an earlier one may have been.
      throw new Error(
        isOpen ? OUTCOME_UNKNOWN : `${withNothingPaid(reply.message)} Try again later.`,
      )
    case 'unknown':
      throw new Error(OUTCOME_UNKNOWN)
  }
}

/** Payment problems say themselves that nothing was charged.
 * @param {string} message */
function withNothingPaid(message) {
  return message.includes('charged') ? message : `${message} You weren’t charged.`
}

/** Encodes a space as `%20`: in an address the service reads a plus sign as a plus sign.
 * @param {HTMLFormElement} form */
function reportUrl(form) {
  const fields = [...new FormData(form)]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return `${form.action}?${fields.join('&')}`
}
