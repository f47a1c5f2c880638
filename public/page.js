/** What makes a page handier. Without it everything can be read; only buying needs it. */

import { enliven } from './enliven.js'
import { showKept } from './kept.js'

enliven(document)
showKept()

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement)) return
  if (!('buy' in form.dataset)) {
    form.setAttribute('aria-busy', 'true')
    return
  }
  event.preventDefault()
  const wallet = submitter instanceof HTMLButtonElement ? submitter.value : ''
  import('./buy.js').then(({ buy }) => buy(form, wallet))
})

// A browser brings a page back as it was left.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form')) form.removeAttribute('aria-busy')
})

// What is folded up would not be on paper.
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true
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
