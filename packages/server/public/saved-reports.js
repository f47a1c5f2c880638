/**
 * Purchased reports, kept in this tab until it is closed. The service does not store them, so
 * reloading the page must not lose them.
 */
import { enableCopyButtons } from './copy-buttons.js'
import { sessionStore } from './session-store.js'

const PREFIX = `report ${location.pathname}${location.search} `

export function showSavedReports() {
  for (const key of sessionStore.keys()) {
    const report = key.startsWith(PREFIX) ? parseReport(sessionStore.read(key) ?? '') : null
    if (report) showReport(key.slice(PREFIX.length), report)
  }
}

/**
 * Shows a report that was bought at this URL, and saves it.
 * @param {string} url
 * @param {Element} report
 */
export function saveReport(url, report) {
  showReport(url, report)
  storeReport(url, report)
}

/** @param {string} url */
export function isReportSaved(url) {
  return sessionStore.read(PREFIX + url) !== null
}

/** Finds the report in a page. The HTML is parsed, not loaded, so scripts in it do not run.
 * @param {string} html */
export function parseReport(html) {
  return new DOMParser().parseFromString(html, 'text/html').querySelector('[data-report]')
}

/** Replaces an older report from the same URL.
 * @param {string} url
 * @param {Element} report */
function showReport(url, report) {
  const container = document.getElementById('purchased-reports')
  for (const other of container?.children ?? []) {
    if (other.getAttribute('data-url') === url) other.remove()
  }
  report.setAttribute('data-url', url)
  container?.append(report)
  enableCopyButtons(report)
  report.addEventListener('change', ({ target }) => {
    // Saves the ticked steps as well.
    if (target instanceof HTMLInputElement) target.toggleAttribute('checked', target.checked)
    storeReport(url, report)
  })
}

/**
 * @param {string} url
 * @param {Element} report
 */
function storeReport(url, report) {
  sessionStore.write(PREFIX + url, report.outerHTML)
}
