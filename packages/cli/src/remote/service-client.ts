/**
 * Sends requests to the service of `--server`. A failure is a result; after a short rate limit, it
 * tries again.
 */
import { setTimeout } from 'node:timers/promises'
import { toVisibleText } from '@mailgrade/core'
import type { CommandContext } from '../command-line/command.js'

export interface ServiceResponse {
  readonly kind: 'response'
  readonly status: number
  readonly headers: Headers
  /** Empty if it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>
}

/** There is no response. `detail` is a sentence for the person who asked. */
interface NoResponse {
  readonly kind: 'no-response'
  readonly code: 'service_unreachable' | 'service_timeout' | 'invalid_response' | 'canceled'
  readonly detail: string
}

export type ServiceAnswer = ServiceResponse | NoResponse

export interface ServiceClient {
  /** Waits and tries again if the service asks for it and the wait is short. */
  get(url: URL): Promise<ServiceAnswer>
  /** Sends once. */
  send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<ServiceAnswer>
}

/** A service counts free requests in windows of a minute. */
const LONGEST_WAIT_SECONDS = 60
const TRIES = 5

export function createServiceClient(
  { name, headers: login }: ServiceAddress,
  { signal, stderr, now }: CommandContext,
  timeoutMs: number,
): ServiceClient {
  let pause: Promise<void> | null = null

  async function send(url: URL, headers: Readonly<Record<string, string>>, limitMs: number) {
    const timeout = AbortSignal.timeout(limitMs)
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json', ...login, ...headers },
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      })
      const text = await readText(response)
      if (text === null) {
        const detail = `The service at ${name} sent more than ${MAX_BODY_BYTES / 1_000_000} MB. Check the --server URL.`
        return noResponse('invalid_response', detail)
      }
      const body = toObject(text)
      return { kind: 'response', status: response.status, headers: response.headers, body } as const
    } catch (error) {
      if (signal.aborted) return noResponse('canceled', 'Canceled.')
      if (timeout.aborted) {
        const detail = `The service at ${name} didn’t answer within ${limitMs / 1_000} seconds. Try again later.`
        return noResponse('service_timeout', detail)
      }
      const detail = `We couldn’t reach the service at ${name}${describeCause(error)}. Check the --server URL.`
      return noResponse('service_unreachable', detail)
    }
  }

  /** All requests wait together, so the user sees one message. */
  function waitTogether(seconds: number): Promise<void> {
    if (!pause) {
      stderr.write(`The service at ${name} is busy. Waiting ${seconds} s, as requested.\n`)
      pause = setTimeout(seconds * 1_000, undefined, { signal })
        .catch(() => {})
        .finally(() => {
          pause = null
        })
    }
    return pause
  }

  return {
    send,
    async get(url) {
      let answer: ServiceAnswer = await send(url, {}, timeoutMs)
      for (let tries = 1; tries < TRIES && answer.kind === 'response'; tries++) {
        const seconds = retryAfterSeconds(answer, now)
        if (seconds === null || seconds > LONGEST_WAIT_SECONDS) break
        await waitTogether(seconds)
        answer = await send(url, {}, timeoutMs)
      }
      return answer
    },
  }
}

/** Null if the service does not say that trying later helps. */
function retryAfterSeconds({ status, headers }: ServiceResponse, now: () => Date): number | null {
  const text = headers.get('retry-after')
  if (text === null || (status !== 429 && status !== 503)) return null
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - now().getTime()) / 1_000)
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0)
}

/** Many times what the largest report has. */
const MAX_BODY_BYTES = 10_000_000

/** Null if it is too long. */
async function readText({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function noResponse(code: NoResponse['code'], detail: string): NoResponse {
  return { kind: 'no-response', code, detail }
}

/** ` (ECONNREFUSED)`; the message of `fetch` itself says nothing. */
function describeCause(error: unknown): string {
  const { cause } = Object(error)
  const { code } = Object(cause)
  return typeof code === 'string' ? ` (${toVisibleText(code)})` : ''
}

/** More levels than any report has; functions that recurse would run out of stack. */
const MAX_LEVELS = 64

function isDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true
    level = level.flatMap((it) => (Object(it) === it ? Object.values(Object(it)) : []))
  }
  return false
}

function toObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !isDeep(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

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
