/** Problem details (RFC 9457), the same object on every surface. */
import { z } from 'zod'
import { PATHS } from './paths.js'
import { CHARGED, type Problem } from './perform.js'
import { PROBLEMS, type ProblemCode, REPORT_CONDITIONS } from './problems.js'

export const problemSchema = z
  .object({
    type: z.url().describe('Leads to a page about this type of problem'),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    detail: z.string().describe('What is wrong this time, and what to do next'),
    parameter: z.string().optional(),
    condition: z.enum(REPORT_CONDITIONS).optional().describe('With `report_not_ready`'),
    charged: z
      .enum(CHARGED)
      .optional()
      .describe(
        'Where a payment was looked at and there is no report: `no`, nothing was charged by this request; `unknown`, send the same payment again and never sign a new one',
      ),
    retryAfterSeconds: z.int().optional().describe('When it is worth asking again'),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' })

export type ProblemDetails = z.infer<typeof problemSchema>

export type ProblemWords = Omit<Problem, 'kind' | 'code' | 'cause'>

const PAGE_PATHS = new Map(
  Object.keys(PROBLEMS).map((code) => [code, `${PATHS.problems}/${code.replaceAll('_', '-')}`]),
)

/** Where the page about a type of problem stands: `invalid_input` → `/problems/invalid-input`. */
export function problemPath(code: ProblemCode): string {
  return PAGE_PATHS.get(code) ?? PATHS.problems
}

export function problemDetails(
  code: ProblemCode,
  { detail, parameter, condition, charged, retryAfterSeconds }: ProblemWords,
  { baseUrl, requestId }: { readonly baseUrl: string; readonly requestId: string },
): ProblemDetails {
  const { status, title } = PROBLEMS[code]
  const type = baseUrl + problemPath(code)
  const details: Partial<ProblemDetails> = { type, title, status, code, detail }
  if (parameter !== undefined) details.parameter = parameter
  if (condition) details.condition = condition
  if (charged) details.charged = charged
  if (retryAfterSeconds) details.retryAfterSeconds = retryAfterSeconds
  details.requestId = requestId
  return details as ProblemDetails
}
