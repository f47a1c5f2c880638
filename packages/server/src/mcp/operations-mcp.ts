/** The service over MCP: its tools from the operation table, and the server that offers them. */
import { hasTool, isPaid, type Operation } from '../operations/operation.js'
import { createMcpRequestHandler, type McpRequestHandler } from './mcp-request-handler.js'
import type { McpTool } from './mcp-tool.js'
import { createOperationTool, type OperationToolOptions } from './operation-tool.js'
import { createPricingTool, type PricingToolOptions } from './pricing-tool.js'
import { type McpServiceInfo, serverIdentity } from './server-identity.js'

export interface OperationsMcpOptions
  extends OperationToolOptions,
    PricingToolOptions,
    McpServiceInfo {
  readonly operations: readonly Operation[]
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export function createOperationsMcp(options: OperationsMcpOptions): McpRequestHandler {
  return createMcpRequestHandler({
    ...options,
    identity: serverIdentity(options),
    tools: toolsOf(options),
  })
}

/** What costs nothing first, and always in this order, so that a model's cache of them holds. */
function toolsOf(options: OperationsMcpOptions): McpTool[] {
  const operations = options.operations.filter(hasTool)
  const toolOf = (operation: (typeof operations)[number]) => createOperationTool(operation, options)
  return [
    ...operations.filter((operation) => !isPaid(operation)).map(toolOf),
    createPricingTool(operations, options),
    ...operations.filter(isPaid).map(toolOf),
  ]
}
