/** What makes a page handier. Without it everything can be read; only buying needs it. */

import { enableCopyButtons } from './copy-buttons.js'
import { showSavedReports } from './saved-reports.js'

enableCopyButtons(document)
showSavedReports()

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement)) return
  for (const field of form.querySelectorAll('input')) field.value = field.value.trim()
  if (!('buy' in form.dataset)) {
    form.setAttribute('aria-busy', 'true')
    return
  }
  event.preventDefault()
  // At once, before anything is loaded: a second click must not be a second purchase.
  if (form.getAttribute('aria-busy') !== 'true') purchase(form, submitter)
})

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
async function purchase(form, button) {
  /** @param {string} words */
  const say = (words) => {
    const status = form.querySelector('[role=status]')
    if (status) status.textContent = words
  }
  setBusy(form, true)
  try {
    const { buyReport: buy } = await import('./buy-report.js').catch(() => {
      throw new Error('The wallet code could not be loaded. Try again in a moment.')
    })
    await buy(form, button instanceof HTMLButtonElement ? button.value : '', say)
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
  } finally {
    setBusy(form, false)
    // Whoever has no report to read comes back to the button, which lost the focus when disabled.
    if (document.activeElement === document.body) button?.focus()
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isBusy
 */
function setBusy(form, isBusy) {
  form.setAttribute('aria-busy', String(isBusy))
  for (const button of form.querySelectorAll('button')) button.disabled = isBusy
}

// A browser brings a page back as it was left.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('.ask')) form.removeAttribute('aria-busy')
})

// What is folded up would not be on paper; what says a thing for the second time need not be.
/** @type {HTMLDetailsElement[]} */
let unfolded = []
addEventListener('beforeprint', () => {
  unfolded = [...document.querySelectorAll('details')].filter(
    (details) => !details.open && !('screen' in details.dataset),
  )
  for (const details of unfolded) details.open = true
})
addEventListener('afterprint', () => {
  for (const details of unfolded) details.open = false
})

// In the sandbox the demo wallet pays, and beside it whatever wallet the browser has.
addEventListener('eip6963:announceProvider', offerOwnWallet)
dispatchEvent(new Event('eip6963:requestProvider'))
if ('ethereum' in window) offerOwnWallet()

function offerOwnWallet() {
  for (const button of document.querySelectorAll('[data-own-wallet]')) {
    button.removeAttribute('hidden')
  }
}
