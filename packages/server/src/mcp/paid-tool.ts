/** An operation with a price as an MCP tool: the call carries the payment. */
import type { NameOptions } from '@mailgrade/core'
import { internalProblem } from '@mailgrade/operations/internal-problem'
import { withKnownArguments } from '@mailgrade/operations/mcp/known-arguments'
import { type ToolCall, toolDefinition, withNote } from '@mailgrade/operations/mcp/mcp-tool'
import { summarizeReport } from '@mailgrade/operations/mcp/operation-tool'
import {
  loggedProblemResult,
  problemToolResult,
  type ToolReplyOptions,
  toolResult,
} from '@mailgrade/operations/mcp/tool-results'
import type { PaidOperation, ToolOperation } from '@mailgrade/operations/operation'
import { outlineSchema } from '@mailgrade/operations/schema-fields'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HandlePaidRequest } from '../payments/handle-paid-request.js'
import { type GetPaymentOffer, paymentRequiredSchema } from '../payments/payment-offer.js'
import type { HttpTool, McpRequestContext } from './free-tool.js'
import {
  MCP_PAYMENT_TRANSPORT,
  PAYMENT_META_KEY,
  PAYMENT_RESPONSE_META_KEY,
  paymentRequiredToolResult,
} from './payment-results.js'

export interface PaidToolOptions extends ToolReplyOptions, NameOptions {
  /** The currency in words; null when nothing is for sale. */
  readonly money: string | null
  readonly handlePaidRequest: HandlePaidRequest
  readonly offerFor: GetPaymentOffer
}

export function createPaidTool<Report extends object>(
  operation: ToolOperation<Report> & PaidOperation<Report>,
  options: PaidToolOptions,
): HttpTool {
  const { baseUrl, money, handlePaidRequest, offerFor, log, allowPrivateNames } = options

  async function call({
    arguments: input,
    meta,
    context,
  }: ToolCall<McpRequestContext>): Promise<CallToolResult> {
    const prepared = operation.prepare(input, { allowPrivateNames })
    const result = await handlePaidRequest({
      operation,
      prepared,
      getOffer: offerFor,
      payment: meta[PAYMENT_META_KEY],
      transport: MCP_PAYMENT_TRANSPORT,
      context,
    })
    if (result.kind === 'problem') return loggedProblemResult(result, options, context)
    if (result.kind === 'paymentRequired') {
      const missing = prepared.kind === 'invalid' ? prepared.detail : null
      return paymentRequiredToolResult(result, operation.price, money, missing)
    }
    const report = operation.parseReport(result.report)
    const summary = summarizeReport(operation, report, options, context)
    return {
      ...toolResult(summary, report, result.report),
      _meta: { [PAYMENT_RESPONSE_META_KEY]: result.settlement },
    }
  }

  /** With a payment, an unexpected error may have happened after the charge. */
  async function callWithPayment(toolCall: ToolCall<McpRequestContext>): Promise<CallToolResult> {
    try {
      return await call(toolCall)
    } catch (error) {
      const { requestId } = toolCall.context
      log.error(error, requestId)
      return problemToolResult(internalProblem(true), { baseUrl, requestId })
    }
  }

  const tool: HttpTool = {
    definition: withNote(
      toolDefinition(operation, options, outlineSchema(paymentRequiredSchema)),
      `Costs ${operation.price} USD in USDC, paid with x402 in the call. Without a payment it returns the price. You are charged only for a report.`,
    ),
    call: (toolCall) =>
      toolCall.meta[PAYMENT_META_KEY] === undefined ? call(toolCall) : callWithPayment(toolCall),
  }
  // Before the price, as any other mistake in the arguments.
  return withKnownArguments(tool, options)
}
