/** For the page of an endpoint: sends its request, and remembers the language of the examples. */

import { sessionStore } from './session-store.js'

const LANGUAGE_KEY = 'language of examples'

const languages = document.querySelectorAll('input[name=language]')
for (const choice of languages) {
  if (!(choice instanceof HTMLInputElement)) continue
  if (choice.value === sessionStore.read(LANGUAGE_KEY)) choice.checked = true
  choice.addEventListener('change', () => sessionStore.write(LANGUAGE_KEY, choice.value))
}

for (const form of document.querySelectorAll('form[data-try-it]')) {
  if (form instanceof HTMLFormElement) enableTryIt(form)
}

/** @param {HTMLFormElement} form */
function enableTryIt(form) {
  // Without this script they stay disabled, because a plain form would send empty parameters.
  form.querySelector('[data-optional]')?.removeAttribute('hidden')
  form.querySelector('fieldset')?.removeAttribute('disabled')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // The script of every page would prepare the form for leaving the page.
    event.stopPropagation()
    if (form.getAttribute('aria-busy') !== 'true') void sendRequest(form)
  })
}

/** @param {HTMLFormElement} form */
async function sendRequest(form) {
  const button = form.querySelector('button')
  const url = `${form.action}?${readQuery(form)}`
  setBusy(form, true)
  showResponse(form, { outcome: 'Sending the request…' })
  try {
    const response = await fetch(url, { headers: { Accept: 'application/json' } })
    const text = await response.text()
    showResponse(form, describeResponse(response, text))
  } catch {
    showResponse(form, {
      outcome: 'The request failed. Check your network connection and try again.',
    })
  } finally {
    setBusy(form, false)
    // It lost the focus when it was disabled.
    if (document.activeElement === document.body) button?.focus()
  }
}

/**
 * The parameters that were filled in.
 * @param {HTMLFormElement} form
 */
function readQuery(form) {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    const text = String(value).trim()
    if (text !== '') query.append(name, text)
  }
  return query
}

/**
 * @typedef {object} Shown
 * @property {string} outcome
 * @property {string} [rateLimit]
 * @property {boolean} [isOffer]
 * @property {string} [body]
 */

/**
 * @param {Response} response
 * @param {string} text
 * @returns {Shown}
 */
function describeResponse({ status, statusText, headers }, text) {
  const body = parseJson(text)
  const detail = typeof body?.detail === 'string' ? body.detail : ''
  return {
    // HTTP/2 has no status text.
    outcome: [`${status} ${statusText}`.trim(), ...(detail ? [detail] : [])].join(': '),
    rateLimit: headers.get('RateLimit') ?? '',
    isOffer: status === 402,
    body: body === null ? text : JSON.stringify(body, null, 2),
  }
}

/**
 * @param {string} text
 * @returns {Record<string, unknown> | null}
 */
function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Shown} shown
 */
function showResponse(form, { outcome, rateLimit = '', isOffer = false, body = '' }) {
  showText(form, '[data-outcome]', outcome)
  showText(form, '[data-rate-limit]', rateLimit && `RateLimit: ${rateLimit}`)
  showText(form, '[data-body]', body)
  const offer = form.querySelector('[data-offer]')
  if (!(offer instanceof HTMLElement)) return
  offer.hidden = !isOffer
  const link = offer.querySelector('a')
  if (link) link.search = `${readQuery(form)}`
}

/**
 * Text only: a response may contain anything that is in DNS.
 * @param {HTMLFormElement} form
 * @param {string} selector
 * @param {string} text
 */
function showText(form, selector, text) {
  const element = form.querySelector(selector)
  if (!(element instanceof HTMLElement)) return
  element.textContent = text
  // The live region stays, so screen readers notice when it changes.
  element.hidden = text === '' && element.getAttribute('role') !== 'status'
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isBusy
 */
function setBusy(form, isBusy) {
  form.setAttribute('aria-busy', String(isBusy))
  for (const button of form.querySelectorAll('button')) button.disabled = isBusy
}
