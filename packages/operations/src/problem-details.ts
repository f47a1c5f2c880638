/** Problem details (RFC 9457), the same object on every surface. */
import { z } from 'zod'
import { PROBLEM_TYPES, type ProblemCode, REPORT_CONDITIONS } from './problem-types.js'
import { CHARGED, type Problem } from './run-operation.js'
import { PATHS } from './service-paths.js'

export const problemSchema = z
  .object({
    type: z.url().describe('The page about this type of problem'),
    title: z.string().describe('The type of problem in a few words'),
    status: z.int().describe('The HTTP status'),
    code: z
      .enum(Object.keys(PROBLEM_TYPES) as [ProblemCode, ...ProblemCode[]])
      .describe('The type of problem, for programs'),
    detail: z.string().describe('What went wrong this time, and what to do next'),
    parameter: z.string().optional().describe('The parameter that is missing or not valid'),
    condition: z.enum(REPORT_CONDITIONS).optional().describe('With `report_not_ready`'),
    charged: z
      .enum(CHARGED)
      .optional()
      .describe(
        'Present if we checked a payment but there is no report. `no`: you were not charged for this request. `unknown`: send the same payment again, and never sign a new one',
      ),
    retryAfterSeconds: z.int().optional().describe('When to try again'),
    requestId: z.string().describe('The same ID as in the X-Request-Id header'),
  })
  .meta({ id: 'Problem', description: 'Why there is no result (RFC 9457)' })

export type ProblemDetails = z.infer<typeof problemSchema>

export type ProblemFields = Omit<Problem, 'kind' | 'code' | 'cause'>

const PAGE_PATHS = new Map(
  Object.keys(PROBLEM_TYPES).map((code) => [
    code,
    `${PATHS.problems}/${code.replaceAll('_', '-')}`,
  ]),
)

/** The page about a type of problem: `invalid_input` → `/problems/invalid-input`. */
export function problemPagePath(code: ProblemCode): string {
  return PAGE_PATHS.get(code) ?? PATHS.problems
}

/** RFC 9457 §4.2.1: the type of a problem without a page. */
const NO_PAGE = 'about:blank'

/** `baseUrl` is null without a service. */
export function createProblemDetails(
  code: ProblemCode,
  { detail, parameter, condition, charged, retryAfterSeconds }: ProblemFields,
  { baseUrl, requestId }: { readonly baseUrl: string | null; readonly requestId: string },
): ProblemDetails {
  const { status, title } = PROBLEM_TYPES[code]
  const type = baseUrl === null ? NO_PAGE : baseUrl + problemPagePath(code)
  // JSON leaves out what is undefined. Spreading what is defined costs more, and 402 and 429
  // responses are the most frequent.
  return {
    type,
    title,
    status,
    code,
    detail,
    parameter,
    condition,
    charged,
    retryAfterSeconds: retryAfterSeconds || undefined,
    requestId,
  }
}
