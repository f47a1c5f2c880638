/** Session storage of this tab. If the browser blocks it, values last until the page is left. */

/** @type {Map<string, string>} */
const texts = new Map()

export const sessionStore = {
  /** @param {string} key */
  read: (key) => texts.get(key) ?? tryStorage(() => sessionStorage.getItem(key)),
  /**
   * @param {string} key
   * @param {string} text
   * @returns {boolean} whether it lasts longer than the page
   */
  write(key, text) {
    texts.set(key, text)
    return tryStorage(() => sessionStorage.setItem(key, text)) !== null
  },
  /** @param {string} key */
  remove(key) {
    texts.delete(key)
    tryStorage(() => sessionStorage.removeItem(key))
  },
  keys: () => new Set([...texts.keys(), ...(tryStorage(() => Object.keys(sessionStorage)) ?? [])]),
}

/**
 * Storage may be full or blocked.
 * @template Value
 * @param {() => Value} access
 */
function tryStorage(access) {
  try {
    return access()
  } catch {
    return null
  }
}
