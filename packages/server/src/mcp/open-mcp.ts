/** The service over MCP: its tools from the operation table, and the server that offers them. */
import { hasTool, isPaid, type Operation } from '../operations/operation.js'
import { identityOf, type Service } from './identity.js'
import { createMcp, type Mcp } from './mcp.js'
import { type OperationToolOptions, operationTool } from './operation-tool.js'
import { type PricingOptions, pricingTool } from './pricing-tool.js'
import type { Tool } from './tool.js'

export interface OpenMcpOptions extends OperationToolOptions, PricingOptions, Service {
  readonly operations: readonly Operation[]
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export function openMcp(options: OpenMcpOptions): Mcp {
  return createMcp({ ...options, identity: identityOf(options), tools: toolsOf(options) })
}

/** What costs nothing first, and always in this order, so that a model's cache of them holds. */
function toolsOf(options: OpenMcpOptions): Tool[] {
  const operations = options.operations.filter(hasTool)
  const toolOf = (operation: (typeof operations)[number]) => operationTool(operation, options)
  return [
    ...operations.filter((operation) => !isPaid(operation)).map(toolOf),
    pricingTool(operations, options),
    ...operations.filter(isPaid).map(toolOf),
  ]
}
