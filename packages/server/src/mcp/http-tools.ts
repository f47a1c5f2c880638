/**
 * Operations as MCP tools over HTTP. Free ones share the rate limit of the free endpoints; a call of a
 * paid one carries the payment.
 */
import type { NameOptions } from '@mailgrade/core'
import {
  loggedProblemResult,
  type McpTool,
  problemToolResult,
  type ToolCall,
  type ToolReplyOptions,
  textContent,
  toolDefinition,
  toolResult,
  withNote,
} from '@mailgrade/operations/mcp/mcp-tool'
import {
  createOperationTool,
  type OperationToolOptions,
  summarizeReport,
  withKnownArguments,
} from '@mailgrade/operations/mcp/operation-tool'
import type { PaidOperation, ToolOperation } from '@mailgrade/operations/operation'
import { internalProblem, type Problem } from '@mailgrade/operations/run-operation'
import { outlineSchema } from '@mailgrade/operations/schema-fields'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HandlePaidRequest, PaidRequestContext } from '../payments/handle-paid-request.js'
import type { PaymentRequiredResult } from '../payments/payment-flow.js'
import { type GetPaymentOffer, paymentRequiredSchema } from '../payments/payment-offer.js'
import {
  chargedBy,
  describePaymentError,
  type PaymentTransport,
} from '../payments/payment-problems.js'
import { PAYMENT_META_KEY, PAYMENT_RESPONSE_META_KEY } from './server-card.js'

/** The HTTP request that carries a call. */
export interface McpRequestContext extends PaidRequestContext {
  /** Counts a free call; returns the problem if it exceeds the limit. */
  consumeRateLimit(): Promise<Problem | null>
}

export type HttpTool = McpTool<McpRequestContext>

export function createFreeTool(operation: ToolOperation, options: OperationToolOptions): HttpTool {
  const { definition, call } = createOperationTool(operation, options)
  return withRateLimit({ definition: withNote(definition, 'Free.'), call }, options)
}

export function withRateLimit(tool: McpTool, options: ToolReplyOptions): HttpTool {
  return {
    definition: tool.definition,
    async call(call) {
      const rateLimited = await call.context.consumeRateLimit()
      return rateLimited ? loggedProblemResult(rateLimited, options, call.context) : tool.call(call)
    },
  }
}

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
      [
        `Costs ${operation.price} USD in USDC, paid with x402 in the call. Without a payment, it returns the price.`,
        ...(operation.paymentNote ? [operation.paymentNote] : []),
        'You are charged only for a report.',
      ].join(' '),
    ),
    call: (toolCall) =>
      toolCall.meta[PAYMENT_META_KEY] === undefined ? call(toolCall) : callWithPayment(toolCall),
  }
  // Before the price, as any other mistake in the arguments.
  return withKnownArguments(tool, options)
}

const MCP_PAYMENT_TRANSPORT: PaymentTransport = {
  howToSend: `call the tool again with it in params._meta["${PAYMENT_META_KEY}"]`,
  formatHint: `Put the payload itself, as an object and not in base64, into params._meta["${PAYMENT_META_KEY}"].`,
}

/**
 * x402 requires the PaymentRequired object first in the text; the explanation follows it. `warning`
 * names a problem that a payment would not solve.
 */
function paymentRequiredToolResult(
  { reason, paymentRequired, settlement, detail }: PaymentRequiredResult,
  price: string,
  money: string | null,
  warning: string | null,
): CallToolResult {
  const [offer] = paymentRequired.accepts
  const charged = chargedBy(reason)
  const content = charged ? { ...paymentRequired, charged } : paymentRequired
  const sentences = [
    ...(warning === null ? [] : [warning]),
    `This tool costs ${price} USD in ${money} (amount ${offer?.amount}, 6 decimals).`,
    detail ?? describePaymentError(reason, MCP_PAYMENT_TRANSPORT),
    'If you cannot pay with x402, show the user the price.',
  ]
  return {
    content: [textContent(JSON.stringify(content)), textContent(sentences.join(' '))],
    structuredContent: { ...content },
    isError: true,
    ...(settlement && { _meta: { [PAYMENT_RESPONSE_META_KEY]: settlement } }),
  }
}
