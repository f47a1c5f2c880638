/**
 * Shows what changed since the domain was checked before in this tab. Only the texts on the page are
 * kept, and only in the tab.
 */
import { sessionStore } from './session-store.js'

/** @typedef {{ checkedAt: string, rows: [string, string][] }} Result */

export function compareWithEarlierResult() {
  const panel = document.querySelector('section.answer')
  const result = panel && readResult(panel)
  if (!result) return
  const key = `result ${location.pathname}${location.search}`
  const earlier = parseResult(sessionStore.read(key))
  // A page from the history is no new check.
  if (earlier?.checkedAt === result.checkedAt) return
  sessionStore.write(key, JSON.stringify(result))
  if (earlier) panel.after(createComparison(earlier, result))
}

/**
 * @param {Element} panel
 * @returns {Result | null}
 */
function readResult(panel) {
  const checkedAt = panel.querySelector('time')?.dateTime
  if (!checkedAt) return null
  const tiles = [...document.querySelectorAll('main > .tiles > li')]
  return {
    checkedAt,
    rows: [
      ['Answer', textOf(panel, 'h1')],
      ...tiles.map(
        /** @returns {[string, string]} */
        (tile) => [
          textOf(tile, 'a'),
          `${textOf(tile, '.badge')}: ${textOf(tile, ':scope > span')}`,
        ],
      ),
    ],
  }
}

/**
 * @param {Element} root
 * @param {string} selector
 */
function textOf(root, selector) {
  return (root.querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim()
}

/**
 * @param {string | null} text
 * @returns {Result | null}
 */
function parseResult(text) {
  try {
    const result = JSON.parse(text ?? 'null')
    // Another version of this page may have written it.
    const isResult = typeof result?.checkedAt === 'string' && result.rows?.every(Array.isArray)
    return isResult ? result : null
  } catch {
    return null
  }
}

/**
 * @param {Result} earlier
 * @param {Result} result
 */
function createComparison(earlier, result) {
  const before = new Map(earlier.rows)
  const isSame = result.rows.every(([name, text]) => before.get(name) === text)
  const time = new Date(earlier.checkedAt).toLocaleTimeString()
  const section = createElement('section', '')
  section.className = 'compare'
  section.setAttribute('aria-label', 'Before and after')
  if (isSame) {
    const message = `Nothing has changed since ${time}. A change in DNS can take an hour to show.`
    section.append(createElement('p', message))
    return section
  }
  const table = document.createElement('table')
  const head = table.createTHead().insertRow()
  for (const title of ['', `Before (${time})`, 'Now']) head.append(createElement('th', title))
  const body = table.createTBody()
  for (const [name, text] of result.rows) {
    const row = body.insertRow()
    row.append(createElement('th', name))
    row.insertCell().textContent = before.get(name) ?? '—'
    row.insertCell().textContent = text
    if (before.get(name) !== text) row.className = 'changed'
  }
  section.append(createElement('h2', 'What changed'), table)
  return section
}

/**
 * @param {string} name
 * @param {string} text
 */
function createElement(name, text) {
  const element = document.createElement(name)
  element.textContent = text
  return element
}
