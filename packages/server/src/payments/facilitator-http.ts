/**
 * JSON requests to a facilitator. The client of `@x402/core` follows redirects and reads a response
 * of any size, so we send the requests ourselves.
 */

export interface FacilitatorHttpOptions {
  readonly url: string
  readonly createAuthHeaders?: CreateAuthHeaders
}

type Endpoint = 'verify' | 'settle' | 'supported'

/** Headers that authorize requests, by endpoint. */
type CreateAuthHeaders = () => Promise<Partial<Record<Endpoint, Record<string, string>>>>

interface FacilitatorResponse {
  readonly status: number
  /** Parsed but not validated. */
  readonly body: unknown
}

export type FacilitatorRequest = (
  endpoint: Endpoint,
  body: object | null,
  timeoutMs: number,
) => Promise<FacilitatorResponse>

/** An ordinary response has less than 1 KB; a list of supported kinds has a few. */
const MAX_RESPONSE_BYTES = 64 * 1024

/** Rejects if there is no complete JSON response in time. */
export function createFacilitatorRequest({
  url,
  createAuthHeaders,
}: FacilitatorHttpOptions): FacilitatorRequest {
  const baseUrl = url.replace(/\/+$/, '')
  return async function requestFacilitator(endpoint, body, timeoutMs) {
    const headers = (await createAuthHeaders?.())?.[endpoint] ?? {}
    const response = await fetch(`${baseUrl}/${endpoint}`, {
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      // A redirect would send the payment to someone else.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: JSON.parse(await readText(response)) }
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the stream and closes the connection.
    if (bytes > MAX_RESPONSE_BYTES) throw new ResponseTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge'
}
