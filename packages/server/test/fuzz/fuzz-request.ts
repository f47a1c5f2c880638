/** A random request before it is sent. */

/** Decides which rules the response must follow. */
type Kind = 'operation' | 'mcp' | 'page' | 'other' | 'raw'

export type PaymentVariant =
  | { readonly kind: 'valid' }
  /** Sent before, possibly for another resource. */
  | { readonly kind: 'replayed'; readonly index: number }
  /** Signed, with one member changed afterwards. */
  | { readonly kind: 'tampered'; readonly path: readonly string[]; readonly value: unknown }
  /** Signed, with this many more characters. */
  | { readonly kind: 'oversized'; readonly characters: number }
  /** Any text in place of a payment. */
  | { readonly kind: 'malformed'; readonly text: string }

export type FuzzHeader = readonly [name: string, value: string]

export interface FuzzRequest {
  readonly kind: Kind
  /** Its name in the counts, such as `GET /v1/score`. */
  readonly label: string
  readonly method: string
  /** As in the request line. */
  readonly target: string
  readonly headers: readonly FuzzHeader[]
  readonly payment: PaymentVariant | null
  /** The path of the operation, or the name of the tool. */
  readonly resource: string | null
  /** Creates the body for a payment. */
  readonly body: ((payment: unknown) => string) | null
  /** Sent on so many connections at once. */
  readonly copies: number
}

/** Latin-1 where possible, otherwise UTF-8. */
export function encodeRequestText(text: string): Buffer {
  const isLatin1 = [...text].every((character) => character.charCodeAt(0) < 0x100)
  return Buffer.from(text, isLatin1 ? 'latin1' : 'utf8')
}

/** A Bash command that sends the same bytes. */
export function toReproduceCommand(bytes: Buffer, port: number): string {
  const send = `echo ${bytes.toString('base64')} | base64 -d >&3`
  return `(exec 3<>/dev/tcp/127.0.0.1/${port}; ${send}; cat <&3)`
}
