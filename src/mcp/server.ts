/** The protocol's side of a request: a server that lives as long as it. */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { Identity } from './identity.js'
import { PAYMENT, problemReply } from './replies.js'
import type { Call, Tool, Visit } from './tool.js'

/** The list changes with a release only. */
const AN_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const

const INSTRUCTIONS =
  'Mailgrade reads the live DNS and tells whether a domain’s email can be forged, and what to publish against it. Begin with check_domain_email_security, which is free. The paid tools answer a call without a payment with their price and are paid for by x402 with the call itself; ask whoever pays before you spend, and pricing for all prices. An error costs nothing. After an error that says so, send the same payment again rather than sign a new one.'

export interface ServerOptions {
  readonly identity: Identity
  readonly tools: readonly Tool[]
  readonly baseUrl: string
  readonly log: FaultLog
}

export interface FaultLog {
  /** A fault of ours, which the caller sees as an error without details. */
  fault(error: unknown, requestId: string): void
}

export type OpenServer = (visit: Visit) => Server

/** Nothing outlives a request, so that any instance can answer the next one. */
export function serverOpener({ identity, tools, baseUrl, log }: ServerOptions): OpenServer {
  const listings = tools.map(({ listing }) => listing)
  const byName = new Map(tools.map((tool) => [tool.listing.name, tool]))

  async function callTool(tool: Tool, call: Call) {
    try {
      return await tool.call(call)
    } catch (error) {
      const { requestId } = call.visit
      log.fault(error, requestId)
      const detail = 'The fault is ours. Try again in a moment.'
      return problemReply({ code: 'internal', detail }, { baseUrl, requestId })
    }
  }

  return function openServer(visit) {
    // The deprecation is a nudge towards schemas that the SDK checks: it would put its own words in
    // place of our problems, and make every schema anew for every request.
    const server = new Server(identity, {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': AN_HOUR, 'server/discover': AN_HOUR },
    })
    server.setRequestHandler('tools/list', () => ({ tools: listings }))
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const tool = byName.get(params.name)
      if (!tool) {
        const names = [...byName.keys()].join(', ')
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool of this name; there are ${names}.`,
        )
      }
      return callTool(tool, {
        given: params.arguments ?? {},
        payment: mcpReq._meta?.[PAYMENT],
        visit,
      })
    })
    return server
  }
}
