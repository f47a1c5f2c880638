/** JSON-RPC 2.0 as text, on top of a function that handles one method call. */

export interface NodeRpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type NodeRpcResponse = { readonly result: unknown } | { readonly error: NodeRpcError }

export type NodeRpcRequest = (
  method: string,
  params: readonly unknown[],
) => Promise<NodeRpcResponse>

const PARSE_ERROR = { code: -32700, message: 'Parse error' }
const INVALID_REQUEST = { code: -32600, message: 'Invalid request' }

/** Handles a single request or a batch. */
export async function handleJsonRpcText(call: NodeRpcRequest, text: string): Promise<string> {
  const parsed = parseJson(text)
  if (parsed === undefined) return JSON.stringify(envelope(null, { error: PARSE_ERROR }))
  const response = Array.isArray(parsed)
    ? await Promise.all(parsed.map((request) => handleOne(call, request)))
    : await handleOne(call, parsed)
  return JSON.stringify(response)
}

async function handleOne(call: NodeRpcRequest, request: unknown) {
  const { id = null, method, params = [] } = (request ?? {}) as Record<string, unknown>
  const isRequest = typeof method === 'string' && Array.isArray(params)
  return envelope(id, isRequest ? await call(method, params) : { error: INVALID_REQUEST })
}

function envelope(id: unknown, response: NodeRpcResponse) {
  return { jsonrpc: '2.0', id, ...response }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
