import type { Address } from 'viem'

export interface SandboxChainOptions {
  readonly chainId: number
  /** Where the test USDC is to be: at the real one's address, clients need not be told. */
  readonly token: Address
}

export interface SandboxChain {
  readonly chainId: number
  readonly token: Address
  /** As in EIP-1193, so that viem's `custom(chain)` is a transport. Rejects with `code`, `data`, `details`. */
  request(call: { method: string; params?: unknown }): Promise<unknown>
  /** A JSON-RPC request or a batch of them as text, answered as text. */
  handleJsonRpc(text: string): Promise<string>
  /** From now on every request is refused. */
  close(): void
}
