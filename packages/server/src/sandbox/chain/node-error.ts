/** EDR's errors in the words of the nodes that serve Base: clients know what went wrong by these. */
import type { NodeRpcError } from './sandbox-json-rpc.js'

const METHOD_NOT_SUPPORTED = -32_004
const METHOD_NOT_FOUND = -32_601
const EXECUTION_REVERTED = 3

const SAYINGS: readonly (readonly [edr: RegExp, node: string])[] = [
  [/^Known transaction: .*/, 'already known'],
  [/^Transaction nonce too low\b/, 'nonce too low'],
  [/^Replacement transaction underpriced\b/, 'replacement transaction underpriced'],
  [/^Sender doesn't have enough funds to send tx\b/, 'insufficient funds for gas * price + value'],
]

export function toNodeError({ code, message, data }: NodeRpcError): NodeRpcError {
  if (isRevert(data))
    return { code: EXECUTION_REVERTED, message: revertText(message), data: data.data }
  // EDR's data is the request as it came; whoever sent it has it.
  if (code === METHOD_NOT_SUPPORTED) return { code: METHOD_NOT_FOUND, message }
  return { code, message: SAYINGS.reduce((text, [edr, node]) => text.replace(edr, node), message) }
}

interface Revert {
  readonly reason: { readonly Revert: string }
  readonly data: string
}

function isRevert(data: unknown): data is Revert {
  return typeof (data as Revert | null | undefined)?.reason?.Revert === 'string'
}

function revertText(message: string): string {
  const reason = /^reverted with reason string '(.*)'$/s.exec(message)?.[1]
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}
