/** An operation as a tool, free or paid. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { isPaid, type PaidOperation, type ToolOperation } from '../operations/operation.js'
import { invalidInput, type Perform, type Problem, type ProblemLog } from '../operations/perform.js'
import type { Sell } from '../payments/counter.js'
import { type MoneyOptions, moneyOf } from '../payments/money.js'
import type { OfferFor } from '../payments/offers.js'
import { listingOf } from './listing.js'
import { CARRIER, challengeReply, problemReply, RECEIPT, reply } from './replies.js'
import type { Call, CallLog, Tool, Visit } from './tool.js'

export interface OperationToolOptions extends MoneyOptions {
  readonly baseUrl: string
  readonly perform: Perform
  readonly sell: Sell
  readonly offerFor: OfferFor
  readonly log: ProblemLog & CallLog
}

export function operationTool(operation: ToolOperation, options: OperationToolOptions): Tool {
  const { baseUrl, perform, sell, offerFor, log } = options

  function refuse(problem: Problem, { requestId }: Visit): CallToolResult {
    log.problem(problem.code, problem.cause, requestId)
    return problemReply(problem, { baseUrl, requestId })
  }

  async function give({ given, visit }: Call): Promise<CallToolResult> {
    const refusal = await visit.takeTurn()
    if (refusal) return refuse(refusal, visit)
    const job = operation.prepare(given)
    if (job.kind === 'invalid') return refuse(invalidInput(job), visit)
    const outcome = await perform(job, visit)
    if (outcome.kind === 'problem') return refuse(outcome, visit)
    return reply(digest(outcome.result, visit), outcome.result)
  }

  /** Comes after the money: whatever goes wrong in it must not cost anybody the report. */
  function digest(report: object, { requestId }: Visit): string {
    try {
      return operation.tool.digest(report)
    } catch (error) {
      log.fault(error, requestId)
      return 'There is no summary; the report itself is whole.'
    }
  }

  function sellAs(paid: ToolOperation & PaidOperation) {
    return async ({ given, payment, visit }: Call): Promise<CallToolResult> => {
      const job = paid.prepare(given)
      const bargain = await sell({
        operation: paid,
        job,
        offerFor,
        payment,
        carrier: CARRIER,
        visitor: visit,
      })
      if (bargain.kind === 'problem') return refuse(bargain, visit)
      if (bargain.kind === 'challenge') {
        const missing = job.kind === 'invalid' ? job.detail : null
        return challengeReply(bargain, paid.price, moneyOf(options), missing)
      }
      const report = JSON.parse(bargain.report)
      return {
        ...reply(digest(report, visit), report, bargain.report),
        _meta: { [RECEIPT]: bargain.receipt },
      }
    }
  }

  return { listing: listingOf(operation), call: isPaid(operation) ? sellAs(operation) : give }
}
