/** A signed payment whose outcome is unknown. It is kept, because signing a new one could pay twice. */
import { sessionStore } from './session-store.js'

/**
 * @typedef {object} PendingPayment
 * @property {string} payment The value of a PAYMENT-SIGNATURE header.
 * @property {number} validBefore In seconds since 1970.
 * @property {boolean} isOpen It may have been settled.
 */

/** @param {string} url
 * @returns {PendingPayment | null} */
export function loadPendingPayment(url) {
  const text = sessionStore.read(storageKey(url))
  return text === null ? null : JSON.parse(text)
}

/**
 * @param {string} url
 * @param {PendingPayment} pending
 */
export function savePendingPayment(url, pending) {
  sessionStore.write(storageKey(url), JSON.stringify(pending))
}

/** @param {string} url */
export function clearPendingPayment(url) {
  sessionStore.remove(storageKey(url))
}

/** @param {string} url */
function storageKey(url) {
  return `payment ${url}`
}
