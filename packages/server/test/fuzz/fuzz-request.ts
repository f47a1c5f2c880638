/** A request that is going to be made: everything that chance decides about it. */

/** Whose answer it is, and so which rules it must keep. */
type Kind = 'operation' | 'mcp' | 'page' | 'elsewhere' | 'raw'

export type PaymentVariant =
  /** As an honest wallet would. */
  | { readonly kind: 'honest' }
  /** One that was sent before, perhaps for something else. */
  | { readonly kind: 'again'; readonly index: number }
  /** A signed one with one member changed. */
  | { readonly kind: 'bent'; readonly path: readonly string[]; readonly value: unknown }
  /** A signed one with this much more in it. */
  | { readonly kind: 'heavy'; readonly characters: number }
  /** No payment at all, where one is meant to be. */
  | { readonly kind: 'nonsense'; readonly text: string }

export type FuzzHeader = readonly [name: string, value: string]

export interface FuzzRequest {
  readonly kind: Kind
  /** What the counts call it, such as `GET /v1/score`. */
  readonly label: string
  readonly method: string
  /** As it stands in the request line. */
  readonly target: string
  readonly headers: readonly FuzzHeader[]
  readonly payment: PaymentVariant | null
  /** The operation by its path, or the tool by its name. */
  readonly resource: string | null
  /** A body to send, given the payment that goes with it. */
  readonly body: ((payment: unknown) => string) | null
  /** The same octets on so many connections at once. */
  readonly copies: number
}

/** The octets, from whatever text: what is no Latin-1 goes out as UTF-8. */
export function encodeRequestText(text: string): Buffer {
  const isNarrow = [...text].every((character) => character.charCodeAt(0) < 0x100)
  return Buffer.from(text, isNarrow ? 'latin1' : 'utf8')
}

/** For Bash, whatever the octets are. */
export function toReproduceCommand(octets: Buffer, port: number): string {
  const send = `echo ${octets.toString('base64')} | base64 -d >&3`
  return `(exec 3<>/dev/tcp/127.0.0.1/${port}; ${send}; cat <&3)`
}
