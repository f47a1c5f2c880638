/** What the documents are derived from. */
import type { Operation } from '../operations/operation.js'
import type { ServiceInfo } from '../service-info.js'

export interface DiscoverySource {
  readonly operations: readonly Operation[]
  readonly service: ServiceInfo
  /** What the service is for, in a line. */
  readonly summary: string
  /** What is paid in, in words. */
  readonly money: string
  readonly mcp: McpSurface
}

/** The same operations as tools: what is to be known of that surface elsewhere. */
interface McpSurface {
  readonly path: string
  readonly cardPath: string
  readonly cardType: string
  readonly catalogPath: string
  /** The one tool that is no operation. */
  readonly pricingTool: string
  /** Under which key of `_meta` a payment comes in, and its receipt goes out. */
  readonly paymentKey: string
  readonly receiptKey: string
}
