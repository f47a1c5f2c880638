/**
 * A payment of which it is not yet known what became. It is kept, for to sign a new one might be to
 * pay twice.
 */
import { sessionStore } from './session-store.js'

/**
 * @typedef {object} Pending
 * @property {string} payment The value of a PAYMENT-SIGNATURE header.
 * @property {number} validBefore In seconds since 1970.
 * @property {boolean} isOpen Somebody may have settled it.
 */

/** @param {string} url
 * @returns {Pending | null} */
export function loadPendingPayment(url) {
  const text = sessionStore.read(keyOf(url))
  return text === null ? null : JSON.parse(text)
}

/**
 * @param {string} url
 * @param {Pending} pending
 */
export function savePendingPayment(url, pending) {
  sessionStore.write(keyOf(url), JSON.stringify(pending))
}

/** @param {string} url */
export function clearPendingPayment(url) {
  sessionStore.remove(keyOf(url))
}

/** @param {string} url */
function keyOf(url) {
  return `payment ${url}`
}
