/**
 * A payment of which it is not yet known what became. It is kept, for to sign a new one might be to
 * pay twice.
 */
import { memory } from './memory.js'

/**
 * @typedef {object} Pending
 * @property {string} payment The value of a PAYMENT-SIGNATURE header.
 * @property {number} validBefore In seconds since 1970.
 * @property {boolean} isOpen Somebody may have settled it.
 */

/** @param {string} url
 * @returns {Pending | null} */
export function pendingAt(url) {
  const text = memory.read(keyOf(url))
  return text === null ? null : JSON.parse(text)
}

/**
 * @param {string} url
 * @param {Pending} pending
 */
export function keepPending(url, pending) {
  memory.write(keyOf(url), JSON.stringify(pending))
}

/** @param {string} url */
export function forgetPending(url) {
  memory.forget(keyOf(url))
}

/** @param {string} url */
function keyOf(url) {
  return `payment ${url}`
}
