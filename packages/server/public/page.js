/** Enhances every page. Only buying needs it; everything else works without. */

import { enableCopyButtons } from './copy-buttons.js'
import { showSavedReports } from './saved-reports.js'

enableCopyButtons(document)
showSavedReports()

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement)) return
  const fields = [...form.querySelectorAll('input')]
  for (const field of fields) field.value = field.value.trim()
  if (!('buy' in form.dataset)) {
    form.setAttribute('aria-busy', 'true')
    // Keeps empty fields out of the URL.
    for (const field of fields) field.disabled = field.value === '' && !field.required
    return
  }
  event.preventDefault()
  // Checked before anything loads, so a second click is not a second purchase.
  if (form.getAttribute('aria-busy') !== 'true') void purchase(form, submitter)
})

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
async function purchase(form, button) {
  /** @param {string} message */
  const showStatus = (message) => {
    const status = form.querySelector('[role=status]')
    if (status) status.textContent = message
  }
  setBusy(form, true)
  try {
    const { buyReport } = await import('./buy-report.js').catch(() => {
      throw new Error('The wallet code didn’t load. Try again in a moment.')
    })
    await buyReport(form, button instanceof HTMLButtonElement ? button.value : '', showStatus)
  } catch (error) {
    showStatus(error instanceof Error ? error.message : String(error))
  } finally {
    setBusy(form, false)
    // Without a report to focus, return to the button, which lost the focus when it was disabled.
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

// The back button restores the page as it was left.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('.ask')) {
    form.removeAttribute('aria-busy')
    for (const field of form.querySelectorAll('input')) field.disabled = false
  }
})

// Print closed sections too, except those that only repeat something.
/** @type {HTMLDetailsElement[]} */
let opened = []
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('details')].filter(
    (details) => !details.open && !('screen' in details.dataset),
  )
  for (const details of opened) details.open = true
})
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false
})

// In the sandbox, people can pay with their own wallet besides the demo wallet.
addEventListener('eip6963:announceProvider', showOwnWalletButtons)
dispatchEvent(new Event('eip6963:requestProvider'))
if ('ethereum' in window) showOwnWalletButtons()

function showOwnWalletButtons() {
  for (const button of document.querySelectorAll('[data-own-wallet]')) {
    button.removeAttribute('hidden')
  }
}
