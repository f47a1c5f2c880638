/** What this tab remembers; where the browser lets us store nothing, until the page is left. */

/** @type {Map<string, string>} */
const texts = new Map()

export const sessionStore = {
  /** @param {string} key */
  read: (key) => texts.get(key) ?? attempt(() => sessionStorage.getItem(key)),
  /**
   * @param {string} key
   * @param {string} text
   */
  write(key, text) {
    texts.set(key, text)
    attempt(() => sessionStorage.setItem(key, text))
  },
  /** @param {string} key */
  remove(key) {
    texts.delete(key)
    attempt(() => sessionStorage.removeItem(key))
  },
  keys: () => new Set([...texts.keys(), ...(attempt(() => Object.keys(sessionStorage)) ?? [])]),
}

/**
 * It may be full, or not allowed.
 * @template Value
 * @param {() => Value} act
 */
function attempt(act) {
  try {
    return act()
  } catch {
    return null
  }
}
