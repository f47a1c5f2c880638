/**
 * Reports that were bought, kept in this tab until it is closed: nobody else stores them, and to
 * load the page again must not cost them.
 */
import { enliven } from './enliven.js'

const PREFIX = `report ${location.pathname}${location.search} `

export function showKept() {
  for (const key of Object.keys(sessionStorage)) {
    const html = key.startsWith(PREFIX) ? sessionStorage.getItem(key) : null
    if (html) place(reportIn(html))
  }
}

/** Shows a report and keeps it.
 * @param {Element} report */
export function keep(report) {
  place(report)
  try {
    sessionStorage.setItem(PREFIX + nameOf(report), report.outerHTML)
  } catch {
    // Full, or not allowed; it is on the page all the same.
  }
}

/** The report in a page. Scripts in it would not run: it is parsed, not loaded.
 * @param {string} html */
export function reportIn(html) {
  return new DOMParser().parseFromString(html, 'text/html').querySelector('[data-report]')
}

/** @param {Element | null} report */
function place(report) {
  const shelf = document.getElementById('bought')
  if (!shelf || !report) return
  for (const other of shelf.children) if (nameOf(other) === nameOf(report)) other.remove()
  shelf.append(report)
  enliven(report)
}

/** @param {Element} report */
function nameOf(report) {
  return report.getAttribute('aria-labelledby') ?? ''
}
