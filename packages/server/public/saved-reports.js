/**
 * Purchased reports, kept in this tab until it is closed. The service does not store them, so
 * reloading the page must not lose them.
 */
import { enableCopyButtons } from './copy-buttons.js'
import { enablePlanControls } from './plan-controls.js'
import { sessionStore } from './session-store.js'

const ANY_PAGE = 'report '
/** Of the reports that were bought on this page. */
const PREFIX = `${ANY_PAGE}${location.pathname}${location.search} `

/** A page shows what was bought on it; “My reports” shows everything. */
export function showSavedReports() {
  const isList = document.getElementById('purchased-reports')?.hasAttribute('data-all')
  const saved = [...sessionStore.keys()].filter((key) => key.startsWith(ANY_PAGE))
  for (const key of saved) {
    if (!isList && !key.startsWith(PREFIX)) continue
    const report = parseReport(sessionStore.read(key) ?? '')
    if (report) showReport(key, report)
  }
  showCount()
}

function showCount() {
  const count = [...sessionStore.keys()].filter((key) => key.startsWith(ANY_PAGE)).length
  for (const place of document.querySelectorAll('[data-report-count]')) {
    place.textContent = count > 0 ? ` (${count})` : ''
  }
  for (const hint of document.querySelectorAll('[data-without-reports]')) {
    hint.toggleAttribute('hidden', count > 0)
  }
}

/**
 * Shows a report that was bought at this URL, and saves it.
 * @param {string} url
 * @param {Element} report
 */
export function saveReport(url, report) {
  showReport(PREFIX + url, report)
  const isSaved = storeReport(PREFIX + url, report)
  showCount()
  return isSaved
}

/** @param {string} url */
export function isReportSaved(url) {
  return sessionStore.read(PREFIX + url) !== null
}

/**
 * The payment for the report that is bought at this URL, which also pays for other answers.
 * @param {string} url
 * @param {string} payment
 */
export function savePayment(url, payment) {
  sessionStore.write(paymentKey(PREFIX + url), payment)
}

/**
 * The key of the report around an element, and the payment for it.
 * @param {Element} element
 */
export function findPurchase(element) {
  const key = element.closest('[data-report]')?.getAttribute('data-key') ?? ''
  return { key, payment: sessionStore.read(paymentKey(key)) }
}

/**
 * Shows and saves a report in the place of another one.
 * @param {string} key
 * @param {Element} report
 */
export function replaceReport(key, report) {
  showReport(key, report)
  storeReport(key, report)
}

/** @param {string} key */
function paymentKey(key) {
  return `paid ${key}`
}

/** Finds the report in a page. The HTML is parsed, not loaded, so scripts in it do not run.
 * @param {string} html */
export function parseReport(html) {
  return new DOMParser().parseFromString(html, 'text/html').querySelector('[data-report]')
}

/** Replaces an older report from the same URL.
 * @param {string} key
 * @param {Element} report */
function showReport(key, report) {
  const container = document.getElementById('purchased-reports')
  const older = [...(container?.children ?? [])].find(
    (other) => other.getAttribute('data-key') === key,
  )
  report.setAttribute('data-key', key)
  report.id = encodeURIComponent(key)
  if (older) older.replaceWith(report)
  else container?.append(report)
  enableCopyButtons(report)
  enablePlanControls(report)
  enableAnswers(key, report)
  report.addEventListener('change', ({ target }) => {
    // Saves the ticked steps as well.
    if (target instanceof HTMLInputElement) target.toggleAttribute('checked', target.checked)
    storeReport(key, report)
  })
}

/**
 * The form with the questions of a plan.
 * @param {string} key
 * @param {Element} report
 */
function enableAnswers(key, report) {
  const form = report.querySelector('form[data-answers]')
  if (!(form instanceof HTMLFormElement)) return
  form.hidden = sessionStore.read(paymentKey(key)) === null
  form.removeAttribute('aria-busy')
  form.querySelector('[role=status]')?.replaceChildren()
  for (const button of form.querySelectorAll('button')) button.disabled = false
}

/**
 * @param {string} key
 * @param {Element} report
 */
function storeReport(key, report) {
  return sessionStore.write(key, report.outerHTML)
}
