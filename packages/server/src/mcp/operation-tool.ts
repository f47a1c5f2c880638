/** An operation as an MCP tool, free or paid. */

import { isPaid, type PaidOperation, type ToolOperation } from '@mailgrade/operations/operation'
import {
  invalidInputProblem,
  type Problem,
  type ProblemLog,
  type RunOperation,
} from '@mailgrade/operations/run-operation'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HandlePaidRequest } from '../payments/handle-paid-request.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import {
  type McpRequestContext,
  type McpTool,
  type ToolCall,
  type ToolCallLog,
  toolDefinition,
} from './mcp-tool.js'
import {
  MCP_PAYMENT_TRANSPORT,
  PAYMENT_RESPONSE_META_KEY,
  paymentRequiredToolResult,
  problemToolResult,
  toolResult,
} from './tool-results.js'

export interface OperationToolOptions {
  readonly baseUrl: string
  /** The currency in words; null when nothing is for sale. */
  readonly money: string | null
  readonly runOperation: RunOperation
  readonly handlePaidRequest: HandlePaidRequest
  readonly offerFor: GetPaymentOffer
  readonly log: ProblemLog & ToolCallLog
}

export function createOperationTool<Report extends object>(
  operation: ToolOperation<Report>,
  options: OperationToolOptions,
): McpTool {
  const { baseUrl, money, runOperation, handlePaidRequest, offerFor, log } = options

  function logProblem(problem: Problem, { requestId }: McpRequestContext): CallToolResult {
    log.problem(problem.code, problem.cause, requestId)
    return problemToolResult(problem, { baseUrl, requestId })
  }

  async function callFree({ arguments: input, context }: ToolCall): Promise<CallToolResult> {
    const rateLimited = await context.consumeRateLimit()
    if (rateLimited) return logProblem(rateLimited, context)
    const prepared = operation.prepare(input)
    if (prepared.kind === 'invalid') return logProblem(invalidInputProblem(prepared), context)
    const outcome = await runOperation(prepared, context)
    if (outcome.kind === 'problem') return logProblem(outcome, context)
    return toolResult(summarize(outcome.result, context), outcome.result)
  }

  /** Runs after settlement, so an error here must not lose the report. */
  function summarize(report: Report, { requestId }: McpRequestContext): string {
    try {
      return operation.tool.digest(report)
    } catch (error) {
      log.error(error, requestId)
      return 'The summary is not available. The report itself is complete.'
    }
  }

  function createPaidCall(paid: ToolOperation<Report> & PaidOperation<Report>) {
    return async ({ arguments: input, payment, context }: ToolCall): Promise<CallToolResult> => {
      const prepared = paid.prepare(input)
      const result = await handlePaidRequest({
        operation: paid,
        prepared,
        getOffer: offerFor,
        payment,
        transport: MCP_PAYMENT_TRANSPORT,
        context,
      })
      if (result.kind === 'problem') return logProblem(result, context)
      if (result.kind === 'paymentRequired') {
        const missing = prepared.kind === 'invalid' ? prepared.detail : null
        return paymentRequiredToolResult(result, paid.price, money, missing)
      }
      const report = paid.parseReport(result.report)
      return {
        ...toolResult(summarize(report, context), report, result.report),
        _meta: { [PAYMENT_RESPONSE_META_KEY]: result.settlement },
      }
    }
  }

  return {
    definition: toolDefinition(operation),
    call: isPaid(operation) ? createPaidCall(operation) : callFree,
  }
}
