/** An error of JSON-RPC as an HTTP response, for what never reaches a tool. */
export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const INVALID_PARAMS = -32_602
export const INTERNAL_ERROR = -32_603
/** The first of those that JSON-RPC leaves to servers. */
export const SERVER_ERROR = -32_000

export function jsonRpcErrorResponse(
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}
