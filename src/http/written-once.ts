/** Text of objects that are handed out again and again and never change: an offer is 2 KB of JSON. */

function once(write: (value: object) => string): (value: object) => string {
  const written = new WeakMap<object, string>()
  return (value) => {
    const known = written.get(value)
    if (known !== undefined) return known
    const text = write(value)
    written.set(value, text)
    return text
  }
}

export const jsonOnce = once(JSON.stringify)

export const base64Once = once((value) => Buffer.from(jsonOnce(value)).toString('base64'))
