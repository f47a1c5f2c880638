/** The service that the user named with `--server`. */

export type Parameters = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

export interface ServiceAddress {
  /** Without credentials and query, for messages. */
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether no one on the network can read or change what is sent. */
  readonly isPrivate: boolean
  endpoint(path: string, parameters: Parameters): URL
}

export function serviceAddress(server: URL): ServiceAddress {
  const { username, password, protocol, host, hostname, search } = server
  const folder = server.pathname.replace(/\/+$/, '')
  const login = `${percentDecode(username)}:${percentDecode(password)}`
  return {
    name: `${protocol}//${host}${folder}`,
    headers:
      login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    isPrivate: protocol === 'https:' || isLoopback(hostname),
    endpoint(path, parameters) {
      const url = new URL(`${protocol}//${host}${folder}${path}`)
      url.search = [search.slice(1), ...toPairs(parameters)].filter((it) => it !== '').join('&')
      return url
    },
  }
}

/** A password may have a percent sign that encodes nothing. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * `URLSearchParams` writes a space as `+`, which is a plus sign in an email address. A selector from a
 * report may have half a surrogate pair, which no URL can.
 */
function toPairs(parameters: Parameters): string[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    [value ?? []].flat().map((it) => `${name}=${encodeURIComponent(toWellFormed(`${it}`))}`),
  )
}

function toWellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd')
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
