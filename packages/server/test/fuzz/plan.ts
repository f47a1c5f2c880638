/** A request that is going to be made: everything that chance decides about it. */

/** Whose answer it is, and so which rules it must keep. */
type Kind = 'operation' | 'mcp' | 'page' | 'elsewhere' | 'raw'

export type PayPlan =
  /** As an honest wallet would. */
  | { readonly how: 'honest' }
  /** One that was sent before, perhaps for something else. */
  | { readonly how: 'again'; readonly which: number }
  /** A signed one with one member changed. */
  | { readonly how: 'bent'; readonly path: readonly string[]; readonly value: unknown }
  /** A signed one with this much more in it. */
  | { readonly how: 'heavy'; readonly characters: number }
  /** No payment at all, where one is meant to be. */
  | { readonly how: 'nonsense'; readonly text: string }

export type Header = readonly [name: string, value: string]

export interface Plan {
  readonly kind: Kind
  /** What the counts call it, such as `GET /v1/score`. */
  readonly label: string
  readonly method: string
  /** As it stands in the request line. */
  readonly target: string
  readonly headers: readonly Header[]
  readonly pay: PayPlan | null
  /** The operation by its path, or the tool by its name. */
  readonly asks: string | null
  /** A body to send, given the payment that goes with it. */
  readonly body: ((payment: unknown) => string) | null
  /** The same octets on so many connections at once. */
  readonly copies: number
}

/** The octets, from whatever text: what is no Latin-1 goes out as UTF-8. */
export function octetsOf(text: string): Buffer {
  const isNarrow = [...text].every((character) => character.charCodeAt(0) < 0x100)
  return Buffer.from(text, isNarrow ? 'latin1' : 'utf8')
}

/** For Bash, whatever the octets are. */
export function asCommand(octets: Buffer, port: number): string {
  const send = `echo ${octets.toString('base64')} | base64 -d >&3`
  return `(exec 3<>/dev/tcp/127.0.0.1/${port}; ${send}; cat <&3)`
}
