/** Sends a payment until it is known what became of it: the same one, so that it is charged once. */

const TRIES = 5
/** Something may have been settled, or is being worked on. */
const OPEN = [409, 500, 502, 503]

/**
 * @param {string} url
 * @param {string} payment
 * @param {(words: string) => void} say
 */
export async function send(url, payment, say) {
  say('Paying, and making the report…')
  for (let left = TRIES; ; left--) {
    const response = await fetch(url, {
      headers: { Accept: 'text/html', 'PAYMENT-SIGNATURE': payment },
    }).catch(() => null)
    if (response && !OPEN.includes(response.status)) return answerOf(response)
    if (left > 1) {
      say('Not settled yet; sending the same payment again…')
      await pause(Number(response?.headers.get('Retry-After') ?? 1))
    } else if (response) {
      return answerOf(response)
    } else {
      throw new Error('There is no connection. Press the button again: the same payment is sent.')
    }
  }
}

/** @param {Response} response */
async function answerOf(response) {
  return { status: response.status, html: await response.text() }
}

/** @param {number} seconds */
function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}
