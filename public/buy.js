/** Buys a report: asks for the price, has a wallet sign, shows what comes. */
import { keep, reportIn } from './kept.js'
import { challengeIn, payloadOf, typedDataOf } from './payment.js'
import { send } from './send.js'
import { openWallet } from './wallet.js'

/**
 * @param {HTMLFormElement} form
 * @param {string} walletName `demo` or `own`
 */
export async function buy(form, walletName) {
  const status = form.querySelector('[role=status]')
  /** @param {string} words */
  const say = (words) => {
    if (status) status.textContent = words
  }
  setBusy(form, true)
  try {
    const url = addressOf(form)
    const payment =
      sessionStorage.getItem(pendingKey(url)) ?? (await sign(url, form, walletName, say))
    const report = await redeem(url, payment, say)
    keep(report)
    say('Paid. The report stands below.')
    report.querySelector('h2')?.focus()
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
  } finally {
    setBusy(form, false)
  }
}

/**
 * The value of a PAYMENT-SIGNATURE header for what this address asks.
 * @param {string} url
 * @param {HTMLFormElement} form
 * @param {string} walletName
 * @param {(words: string) => void} say
 */
async function sign(url, form, walletName, say) {
  say('Asking for the price…')
  const response = await fetch(url, { headers: { Accept: 'text/html' } })
  const challenge = challengeIn(response)
  if (!challenge) throw new Error(complaintIn(await response.text()))
  const [offer] = challenge.accepts

  const wallet = await openWallet(walletName, form, say)
  const payer = await wallet.account(offer)
  say(`Confirm ${Number(offer.amount) / 1e6} USDC in the wallet…`)
  const typedData = typedDataOf(offer, payer)
  const signature = await wallet.sign(payer, typedData)
  const payment = payloadOf(challenge, typedData.message, signature)
  // Until it is known what became of it: to sign anew might be to pay twice.
  sessionStorage.setItem(pendingKey(url), payment)
  return payment
}

/**
 * @param {string} url
 * @param {string} payment
 * @param {(words: string) => void} say
 */
async function redeem(url, payment, say) {
  const { status, html } = await send(url, payment, say)
  const report = status === 200 ? reportIn(html) : null
  // After any of these it is certain that nothing was charged, or that all was handed over.
  if ([200, 400, 402, 404].includes(status)) sessionStorage.removeItem(pendingKey(url))
  if (report) return report
  throw new Error(complaintIn(html))
}

/** @param {string} html */
function complaintIn(html) {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const words = page.querySelector('[role=alert] .summary')?.textContent
  return words ?? 'There was no usable answer. Try again in a moment.'
}

/** @param {HTMLFormElement} form */
function addressOf(form) {
  const fields = /** @type {[string, string][]} */ ([...new FormData(form)])
  return `${form.action}?${new URLSearchParams(fields)}`
}

/** @param {string} url */
function pendingKey(url) {
  return `payment ${url}`
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isBusy
 */
function setBusy(form, isBusy) {
  form.setAttribute('aria-busy', String(isBusy))
  for (const button of form.querySelectorAll('button')) button.disabled = isBusy
}
