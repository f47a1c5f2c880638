/** Objects that are handed out again and again and never change, written once: an offer is 2 KB. */

function once<Written>(write: (value: object) => Written): (value: object) => Written {
  const known = new WeakMap<object, Written>()
  return (value) => {
    const written = known.get(value) ?? write(value)
    known.set(value, written)
    return written
  }
}

/**
 * The members of an object as JSON, to follow those of another: `,"a":1}`. In octets: as a text they
 * would be copied twice on their way out.
 */
export const memoizedJsonFields = once((value) => Buffer.from(`,${JSON.stringify(value).slice(1)}`))

export function encodeJsonBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

export const memoizedJsonBase64 = once(encodeJsonBase64)
