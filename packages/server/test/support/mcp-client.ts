/** The official MCP clients: the current major version, with either handshake, and the previous one. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as PreviousTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import type { PrivateKeyAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'

/** Each client with the protocol revision it negotiates. */
export const MCP_CLIENTS = [
  ['current', '2026-07-28'],
  ['current, by the older handshake', '2025-11-25'],
  ['previous', '2025-11-25'],
] as const
export type McpClientKind = (typeof MCP_CLIENTS)[number][0]

export interface McpToolResult {
  readonly isError?: boolean
  readonly texts: string[]
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  readonly structuredContent: any
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  readonly paymentResponse: any
}

export interface McpClient {
  readonly client: Client | PreviousClient
  readonly protocolVersion: string | undefined
  /** Sends `payment` unchanged. */
  callTool(name: string, input?: Record<string, unknown>, payment?: unknown): Promise<McpToolResult>
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export async function connectMcpClient(
  kind: McpClientKind,
  url: string,
  fetch?: Fetch,
): Promise<McpClient> {
  const { client, revision } = await open(kind, new URL('/mcp', url), fetch ? { fetch } : {})
  onTestFinished(() => client.close())
  return {
    client,
    protocolVersion: revision,
    async callTool(name, input = {}, payment) {
      const _meta = payment === undefined ? {} : { 'x402/payment': payment }
      const result = await client.callTool({ name, arguments: input, _meta })
      const content = result.content as { type: string; text: string }[]
      return {
        ...(result.isError === true && { isError: true }),
        texts: content.map(({ text }) => text),
        structuredContent: result.structuredContent,
        paymentResponse: result._meta?.['x402/payment-response'] ?? null,
      }
    },
  }
}

async function open(kind: McpClientKind, url: URL, options: { fetch?: Fetch }) {
  const info = { name: 'test-client', version: '1.0.0' }
  if (kind === 'previous') {
    const client = new PreviousClient(info)
    const transport = new PreviousTransport(url, options)
    await client.connect(transport as Parameters<PreviousClient['connect']>[0])
    return { client, revision: transport.protocolVersion }
  }
  const mode = kind === 'current' ? 'auto' : 'legacy'
  const client = new Client(info, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url, options))
  return { client, revision: client.getNegotiatedProtocolVersion() }
}

/** Signs a payment with the x402 client. */
export function createPaymentSigner(account: PrivateKeyAccount) {
  const wallet = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  return (required: PaymentRequired) => wallet.createPaymentPayload(required)
}
