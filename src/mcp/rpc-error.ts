/** An error of JSON-RPC as an HTTP response, for what never becomes a message. */
export const INVALID_REQUEST = -32_600
export const PARSE_ERROR = -32_700
/** The first of those that JSON-RPC leaves to servers. */
export const REFUSED = -32_000

export function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })
}
