/** JSON-RPC 2.0 as text, over something that answers one method at a time. */

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

/** Answers a request or a batch of them. */
export async function handleJsonRpcText(ask: NodeRpcRequest, text: string): Promise<string> {
  const parsed = parse(text)
  if (parsed === undefined) return JSON.stringify(envelope(null, { error: PARSE_ERROR }))
  const answer = Array.isArray(parsed)
    ? await Promise.all(parsed.map((request) => answerOne(ask, request)))
    : await answerOne(ask, parsed)
  return JSON.stringify(answer)
}

async function answerOne(ask: NodeRpcRequest, request: unknown) {
  const { id = null, method, params = [] } = (request ?? {}) as Record<string, unknown>
  const isRequest = typeof method === 'string' && Array.isArray(params)
  return envelope(id, isRequest ? await ask(method, params) : { error: INVALID_REQUEST })
}

function envelope(id: unknown, answer: NodeRpcResponse) {
  return { jsonrpc: '2.0', id, ...answer }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
