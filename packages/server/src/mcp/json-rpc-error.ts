/** JSON-RPC errors as HTTP responses. Free of the MCP SDK, which is loaded on demand. */
export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const INTERNAL_ERROR = -32_603
/** The first of the codes that JSON-RPC reserves for servers. */
export const SERVER_ERROR = -32_000

export function jsonRpcErrorResponse(
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}
