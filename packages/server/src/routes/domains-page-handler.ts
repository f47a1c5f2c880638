/** Checks the domains of a list and shows them in one table. */
import {
  applyRateLimit,
  type CheckedDomain,
  checkDomains,
  type DomainEntry,
  MAX_DOMAINS,
  parseDomainList,
  problemOfAll,
} from '@mailgrade/operations/check-domains'
import { PROBLEM_TYPES } from '@mailgrade/operations/problem-types'
import { internalProblem } from '@mailgrade/operations/run-operation'
import type { Context } from 'hono'
import { z } from 'zod'
import type { RouteHandler } from '../http/add-route.js'
import { createHtmlProblemSender, sendHtml, streamHtml } from '../http/html-response.js'
import { readFormValues } from '../http/query-parameters.js'
import type { ConsumeRateLimit } from '../http/rate-limit.js'
import { type HttpEnv, prepareProblemDetails } from '../http/respond.js'
import { SORT_ORDERS, type SortOrder } from '../web/domains/domain-rows.js'
import type { SitePages } from '../web/site-pages.js'
import {
  type CheckPageOptions,
  createProgressChannel,
  type LoadPages,
  writePieces,
} from './check-page-handler.js'

interface DomainsPageOptions extends Omit<CheckPageOptions, 'loadPages'> {
  readonly consumeRateLimit: ConsumeRateLimit
}

const PARAMETERS = {
  input: z.object({ domains: z.string(), sort: z.string() }),
  repeatable: ['domains', 'sort'],
}

export function domainsPageHandler(
  loadPages: LoadPages,
  options: DomainsPageOptions,
): RouteHandler {
  const { runOperation, consumeRateLimit, readRequestContext, log, waitBeforeProgress } = options
  const { allowPrivateNames } = options
  const sendProblem = createHtmlProblemSender(async (c, problem) =>
    (await loadPages()).domainsProblem(problem, readDomainList(c)),
  )
  return async function handleDomainsPage(c) {
    const entries = parseDomainList(readDomainList(c), { allowPrivateNames })
    const refusal = refuseList(entries)
    // A list without a domain is a request too.
    const limited = refusal || !hasDomain(entries) ? await consumeRateLimit(c) : null
    if (limited) return sendProblem(c, limited.code, limited)
    if (refusal) return sendProblem(c, 'invalid_input', { detail: refusal, parameter: 'domains' })
    const accepted = await applyRateLimit(entries, () => consumeRateLimit(c))
    const context = readRequestContext(c)
    const progress = createProgressChannel<CheckedDomain>()
    const running = checkDomains(accepted, {
      run: (request) => runOperation(request, context),
      onChecked(domain) {
        const { outcome } = domain
        if (outcome.kind === 'problem') log.problem(outcome.code, outcome.cause, context.requestId)
        progress.add(domain)
      },
      signal: context.signal(),
    })
    running.then(progress.end, progress.end)
    // A HEAD response has no body to wait with. Without a domain to check, the status is an error.
    const maySendPieces = c.req.method !== 'HEAD' && hasDomain(accepted)
    const checked = maySendPieces
      ? await Promise.race([running, waitBeforeProgress().then(() => null)])
      : await running
    const pages = await loadPages()
    if (checked) return sendResult(c, checked, pages)
    const pieces = pages.domainsInPieces(accepted, readSortOrder(c))
    return streamHtml(c, writePieces(pieces, progress.reader.read(), progress.reader, finish))

    async function finish(): Promise<string> {
      try {
        return pieces.result(await running)
      } catch (error) {
        log.error(error, context.requestId)
        const { code, cause, ...fields } = internalProblem(false)
        log.problem(code, cause, context.requestId)
        return pieces.problem(prepareProblemDetails(c, code, fields))
      }
    }
  }
}

async function sendResult(
  c: Context<HttpEnv>,
  checked: readonly CheckedDomain[],
  pages: SitePages,
): Promise<Response> {
  const problem = problemOfAll(checked)
  if (problem) prepareProblemDetails(c, problem.code, problem)
  const html = pages.domainsResult(checked, readSortOrder(c))
  return sendHtml(c, html, problem ? PROBLEM_TYPES[problem.code].status : 200)
}

function hasDomain(entries: readonly DomainEntry[]): boolean {
  return entries.some(({ request }) => request.kind === 'prepared')
}

function refuseList({ length }: readonly DomainEntry[]): string | null {
  if (length === 0) return 'You didn’t enter a domain. Enter domain names, such as example.com.'
  return length > MAX_DOMAINS
    ? `You entered ${length} domains; the limit is ${MAX_DOMAINS}. We didn’t check any. Check up to ${MAX_DOMAINS} here, or use mailgrade scan.`
    : null
}

/** What the person entered. */
export function readDomainList(c: Context<HttpEnv>): string {
  return readFormValues(c.req.url, PARAMETERS).domains?.join('\n') ?? ''
}

/** The worst first, unless the link says otherwise. */
function readSortOrder(c: Context<HttpEnv>): SortOrder {
  const given = readFormValues(c.req.url, PARAMETERS).sort?.[0]
  return SORT_ORDERS.find((order) => order === given) ?? 'verdict'
}
