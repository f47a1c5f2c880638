/** The free check as a page. While DNS is slow, the page shows each check as it finishes. */
import type { DomainReport, MechanismReports } from '@mailgrade/core'
import { check } from '@mailgrade/operations/check'
import {
  type ErrorLog,
  internalProblem,
  invalidInputProblem,
  type OperationOutcome,
  type Problem,
} from '@mailgrade/operations/run-operation'
import type { Context } from 'hono'
import type { RouteHandler } from '../http/add-route.js'
import { createHtmlProblemSender, sendHtml, streamHtml } from '../http/html-response.js'
import { readFormValues } from '../http/query-parameters.js'
import {
  type FreeReportOptions,
  logAndSendProblem,
  prepareRequest,
} from '../http/report-handlers.js'
import { type HttpEnv, prepareProblemDetails, type SendProblem } from '../http/respond.js'
import type { CheckInPieces, SitePages } from '../web/site-pages.js'

export type LoadPages = () => Promise<SitePages>

export interface CheckPageOptions extends FreeReportOptions {
  readonly loadPages: LoadPages
  /** Waits as long as a person waits before wondering whether anything happens. */
  readonly waitBeforeProgress: () => Promise<unknown>
  readonly log: FreeReportOptions['log'] & ErrorLog
}

type Outcome = OperationOutcome<DomainReport>

export function checkPageProblemSender(loadPages: LoadPages): SendProblem {
  return createHtmlProblemSender(async (c, problem) =>
    (await loadPages()).checkProblem(problem, readFormValues(c.req.url, check)),
  )
}

export function checkPageHandler(options: CheckPageOptions): RouteHandler {
  const { runOperation, readRequestContext, log, loadPages, waitBeforeProgress } = options
  const { allowPrivateNames } = options
  const sendProblem = checkPageProblemSender(loadPages)
  return async function handleCheckPage(c) {
    const prepared = prepareRequest(c, check, { isForm: true, allowPrivateNames })
    if (prepared.kind === 'invalid') {
      return logAndSendProblem(c, invalidInputProblem(prepared), log, sendProblem)
    }
    const progress = createProgressChannel<FinishedChecks>()
    const running = runOperation(prepared, { ...readRequestContext(c), onChecked: progress.add })
    running.then(progress.end, progress.end)
    // The status of the response is open until one check is there: the domain may not exist.
    const firstCheck = progress.reader.read()
    // A HEAD response has no body to wait with.
    const outcome =
      c.req.method === 'HEAD'
        ? await running
        : await Promise.race([running, waitBeforeProgress().then(() => firstCheck)])
    const pages = await loadPages()
    const values = readFormValues(c.req.url, check)
    if ('done' in outcome) {
      const pieces = pages.checkInPieces(prepared.subject, values)
      return streamHtml(c, writePieces(pieces, firstCheck, progress.reader, finish(pieces)))
    }
    return outcome.kind === 'result'
      ? sendHtml(c, pages.checkResult(outcome.result, values))
      : logAndSendProblem(c, outcome, log, sendProblem)

    function finish(pieces: CheckInPieces): () => Promise<string> {
      return async () => {
        const last = await running.catch((error): Problem => {
          log.error(error, c.get('requestId'))
          return internalProblem(false)
        })
        return lastPiece(c, pieces, last, log)
      }
    }
  }
}

type FinishedChecks = Partial<MechanismReports>

/** `first` is the step that was waited for already. */
export async function* writePieces<Step>(
  pieces: { readonly start: string; finished(step: Step): string },
  first: ReturnType<ReadableStreamDefaultReader<Step>['read']>,
  reader: ReadableStreamDefaultReader<Step>,
  finish: () => Promise<string>,
): AsyncGenerator<string> {
  yield pieces.start
  for (let next = await first; !next.done; next = await reader.read()) {
    yield pieces.finished(next.value)
  }
  yield await finish()
}

function lastPiece(
  c: Context<HttpEnv>,
  pieces: CheckInPieces,
  outcome: Outcome,
  log: FreeReportOptions['log'],
): string {
  if (outcome.kind === 'result') return pieces.result(outcome.result)
  const { code, cause, ...fields } = outcome
  log.problem(code, cause, c.get('requestId'))
  return pieces.problem(prepareProblemDetails(c, code, fields))
}

/** Passes what has finished from the checks to the page that is being sent. */
export function createProgressChannel<Step>() {
  let controller: ReadableStreamDefaultController<Step> | undefined
  const stream = new ReadableStream<Step>({
    start(it) {
      controller = it
    },
  })
  return {
    reader: stream.getReader(),
    add: (step: Step) => controller?.enqueue(step),
    end: () => controller?.close(),
  }
}
