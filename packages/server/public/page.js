/** Enhances every page. Only buying needs it; everything else works without. */

import { enableCopyButtons } from './copy-buttons.js'
import { compareWithEarlierResult } from './earlier-result.js'
import { showSavedReports } from './saved-reports.js'

enableCopyButtons(document)
showSavedReports()

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  // A form with a script of its own sends nothing.
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return
  const fields = [...form.querySelectorAll('input')]
  for (const field of fields) field.value = field.value.trim()
  if (!('buy' in form.dataset || 'answers' in form.dataset)) {
    const domain = new FormData(form).get('domain')
    announce(typeof domain === 'string' ? `Checking ${domain}…` : 'Checking…')
    setBusy(form, true)
    // Keeps empty fields out of the URL.
    for (const field of fields) field.disabled = field.value === '' && !field.required
    return
  }
  event.preventDefault()
  // Checked before anything loads, so a second click is not a second purchase.
  if (form.getAttribute('aria-busy') !== 'true') void purchase(form, submitter)
})

// A link to a result takes as long as the form does.
document.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
  const link = target instanceof Element ? target.closest('a') : null
  if (!link || link.download || ctrlKey || metaKey || shiftKey) return
  const { origin, pathname, search, hash } = new URL(link.href, location.href)
  const domain = new URLSearchParams(search).get('domain')
  const isOnPage = hash !== '' && search === location.search
  if (domain && origin === location.origin && pathname === homePath() && !isOnPage) {
    announce(`Checking ${domain}…`)
  }
})

function homePath() {
  const brand = document.querySelector('.brand')
  return brand instanceof HTMLAnchorElement ? brand.pathname : '/'
}

/** Shown at the top, and read by screen readers.
 * @param {string} message */
function announce(message) {
  const loading = document.querySelector('.loading')
  if (loading) loading.textContent = message
}

for (const button of document.querySelectorAll('[data-print]')) button.removeAttribute('hidden')

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
async function purchase(form, button) {
  /** @param {(string | Node)[]} message */
  const showStatus = (...message) => {
    form.querySelector('[role=status]')?.replaceChildren(...message)
  }
  setBusy(form, true)
  try {
    if ('answers' in form.dataset) {
      const { askAgain } = await import('./ask-again.js').catch(() => {
        throw new Error('The form didn’t load. Try again in a moment.')
      })
      await askAgain(form, showStatus)
      return
    }
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
  announce('')
  for (const form of document.querySelectorAll('.ask, form[aria-busy]')) {
    form.removeAttribute('aria-busy')
    for (const field of form.querySelectorAll('input, button')) field.removeAttribute('disabled')
  }
})

document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-print]')) print()
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

// Buttons that need a wallet of the visitor appear only with one.
addEventListener('eip6963:announceProvider', showOwnWalletButtons)
dispatchEvent(new Event('eip6963:requestProvider'))
if ('ethereum' in window) showOwnWalletButtons()

compareWithEarlierResult()

function showOwnWalletButtons() {
  for (const button of document.querySelectorAll('[data-own-wallet]')) {
    button.removeAttribute('hidden')
  }
  for (const hint of document.querySelectorAll('[data-without-wallet]')) {
    hint.setAttribute('hidden', '')
  }
}
