/** An operation as a tool, free or paid. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { isPaid, type PaidOperation, type ToolOperation } from '../operations/operation.js'
import {
  invalidInputProblem,
  type Problem,
  type ProblemLog,
  type RunOperation,
} from '../operations/run-operation.js'
import type { HandlePaidRequest } from '../payments/handle-paid-request.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import { type CurrencyOptions, describeCurrency } from '../payments/payment-terms.js'
import type { McpRequestContext, McpTool, ToolCall, ToolCallLog } from './mcp-tool.js'
import { toolDefinition } from './tool-definition.js'
import {
  MCP_PAYMENT_TRANSPORT,
  PAYMENT_RESPONSE_META_KEY,
  paymentRequiredToolResult,
  problemToolResult,
  toolResult,
} from './tool-results.js'

export interface OperationToolOptions extends CurrencyOptions {
  readonly baseUrl: string
  readonly runOperation: RunOperation
  readonly handlePaidRequest: HandlePaidRequest
  readonly offerFor: GetPaymentOffer
  readonly log: ProblemLog & ToolCallLog
}

export function createOperationTool<Report extends object>(
  operation: ToolOperation<Report>,
  options: OperationToolOptions,
): McpTool {
  const { baseUrl, runOperation, handlePaidRequest, offerFor, log } = options

  function refuse(problem: Problem, { requestId }: McpRequestContext): CallToolResult {
    log.problem(problem.code, problem.cause, requestId)
    return problemToolResult(problem, { baseUrl, requestId })
  }

  async function give({ arguments: given, context }: ToolCall): Promise<CallToolResult> {
    const refusal = await context.consumeRateLimit()
    if (refusal) return refuse(refusal, context)
    const job = operation.prepare(given)
    if (job.kind === 'invalid') return refuse(invalidInputProblem(job), context)
    const outcome = await runOperation(job, context)
    if (outcome.kind === 'problem') return refuse(outcome, context)
    return toolResult(digest(outcome.result, context), outcome.result)
  }

  /** Comes after the money: whatever goes wrong in it must not cost anybody the report. */
  function digest(report: Report, { requestId }: McpRequestContext): string {
    try {
      return operation.tool.digest(report)
    } catch (error) {
      log.fault(error, requestId)
      return 'There is no summary; the report itself is whole.'
    }
  }

  function sellAs(paid: ToolOperation<Report> & PaidOperation<Report>) {
    return async ({ arguments: given, payment, context }: ToolCall): Promise<CallToolResult> => {
      const job = paid.prepare(given)
      const result = await handlePaidRequest({
        operation: paid,
        prepared: job,
        getOffer: offerFor,
        payment,
        transport: MCP_PAYMENT_TRANSPORT,
        context,
      })
      if (result.kind === 'problem') return refuse(result, context)
      if (result.kind === 'paymentRequired') {
        const missing = job.kind === 'invalid' ? job.detail : null
        return paymentRequiredToolResult(result, paid.price, describeCurrency(options), missing)
      }
      const report = paid.parseReport(result.report)
      return {
        ...toolResult(digest(report, context), report, result.report),
        _meta: { [PAYMENT_RESPONSE_META_KEY]: result.settlement },
      }
    }
  }

  return {
    definition: toolDefinition(operation),
    call: isPaid(operation) ? sellAs(operation) : give,
  }
}
