/** Buys a report: asks for the price, has a wallet sign, shows what comes. */

import { connectWallet } from './connect-wallet.js'
import { clearPendingPayment, loadPendingPayment, savePendingPayment } from './pending-payment.js'
import { isReportSaved, saveReport } from './saved-reports.js'
import { parseProblem, sendPayment } from './send-payment.js'
import { createTypedData, encodePaymentPayload, readPaymentRequired } from './x402-payment.js'

const OPEN =
  'It is not known yet whether the payment went through. Press the button again: the same payment is sent, and charged once.'

/** @typedef {(words: string) => void} Say */

const NO_CONNECTION = 'There is no connection. Nothing was paid.'

/**
 * @param {HTMLFormElement} form
 * @param {string} walletName `demo` or `own`
 * @param {Say} say
 */
export async function buyReport(form, walletName, say) {
  const url = addressOf(form)
  if (isReportSaved(url) && form.dataset.asked !== url) {
    form.dataset.asked = url
    say('You have this report already; it stands below. Press again to buy a new one.')
    return
  }
  form.dataset.asked = ''
  const pending = loadPendingPayment(url) ?? (await sign(url, form, walletName, say))
  const report = await redeem(url, pending, say)
  saveReport(url, report)
  say('Paid. The report stands below.')
  report.scrollIntoView()
  report.querySelector('h2')?.focus({ preventScroll: true })
}

/**
 * @param {string} url
 * @param {HTMLFormElement} form
 * @param {string} walletName
 * @param {Say} say
 */
async function sign(url, form, walletName, say) {
  say('Asking for the price…')
  const response = await fetch(url, { headers: { Accept: 'text/html' } }).catch(() => {
    throw new Error(NO_CONNECTION)
  })
  const challenge = readPaymentRequired(response)
  if (!challenge) throw new Error(parseProblem(await response.text()).words || NO_CONNECTION)
  const [offer] = challenge.accepts

  const wallet = await connectWallet(walletName, form, say)
  const payer = await wallet.account(offer)
  say(`Confirm ${Number(offer.amount) / 1e6} USDC in the wallet…`)
  const typedData = createTypedData(offer, payer)
  const signature = await wallet.sign(payer, typedData)
  const pending = {
    payment: encodePaymentPayload(challenge, typedData.message, signature),
    validBefore: Number(typedData.message.validBefore),
    isOpen: false,
  }
  savePendingPayment(url, pending)
  return pending
}

/**
 * @param {string} url
 * @param {import('./pending-payment.js').Pending} pending
 * @param {Say} say
 */
async function redeem(url, pending, say) {
  say('Paying, and making the report…')
  let { isOpen } = pending
  const answer = await sendPayment(url, pending, () => {
    isOpen = true
    savePendingPayment(url, { ...pending, isOpen })
    say('No answer yet; trying again with the same payment…')
  })
  switch (answer.kind) {
    case 'report':
      clearPendingPayment(url)
      return answer.report
    case 'refused':
      clearPendingPayment(url)
      // An attempt before this one may have been settled after all.
      throw new Error(
        isOpen
          ? `${answer.words} This payment may have gone through already: look in your wallet before you buy again.`
          : `${answer.words} Nothing was paid.`,
      )
    case 'failed':
      // The same: this attempt was not charged, but what of those before?
      throw new Error(
        isOpen ? OPEN : `${answer.words} Nothing was paid; press the button again later.`,
      )
    case 'open':
      throw new Error(OPEN)
  }
}

/** With `%20` for a space: a plus sign is a plus sign to the service.
 * @param {HTMLFormElement} form */
function addressOf(form) {
  const fields = [...new FormData(form)].map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  )
  return `${form.action}?${fields.join('&')}`
}
