/**
 * Reports that were bought, kept in this tab until it is closed: nobody else keeps them, and to load
 * the page again must not cost them.
 */
import { enableCopyButtons } from './copy-buttons.js'
import { sessionStore } from './session-store.js'

const PREFIX = `report ${location.pathname}${location.search} `

export function showSavedReports() {
  for (const key of sessionStore.keys()) {
    const report = key.startsWith(PREFIX) ? parseReport(sessionStore.read(key) ?? '') : null
    if (report) place(key.slice(PREFIX.length), report)
  }
}

/**
 * Shows what was bought at this address, and keeps it.
 * @param {string} url
 * @param {Element} report
 */
export function saveReport(url, report) {
  place(url, report)
  store(url, report)
}

/** @param {string} url */
export function isReportSaved(url) {
  return sessionStore.read(PREFIX + url) !== null
}

/** The report in a page. Scripts in it would not run: it is parsed, not loaded.
 * @param {string} html */
export function parseReport(html) {
  return new DOMParser().parseFromString(html, 'text/html').querySelector('[data-report]')
}

/** In place of an older one from the same address.
 * @param {string} url
 * @param {Element} report */
function place(url, report) {
  const shelf = document.getElementById('bought')
  for (const other of shelf?.children ?? []) {
    if (other.getAttribute('data-url') === url) other.remove()
  }
  report.setAttribute('data-url', url)
  shelf?.append(report)
  enableCopyButtons(report)
  report.addEventListener('change', ({ target }) => {
    // What is ticked off stays so.
    if (target instanceof HTMLInputElement) target.toggleAttribute('checked', target.checked)
    store(url, report)
  })
}

/**
 * @param {string} url
 * @param {Element} report
 */
function store(url, report) {
  sessionStore.write(PREFIX + url, report.outerHTML)
}
