import type { Operation } from '../operations/operation.js'
import type { Problem } from '../operations/run-operation.js'
import type { DocumentedHeader } from './openapi-headers.js'

/** One way in which a request for an operation can end without a result. */
export interface ProblemCase {
  readonly problem: Problem
  /** What travels with it besides the body. */
  readonly headers: readonly DocumentedHeader[]
  /** Of the example: the problem's code, unless one code has several faces. */
  readonly name: string
  /** The same: the problem's title, unless it has. */
  readonly summary?: string
  /** The parameters of the request, where it is they that matter. */
  readonly query?: Operation['example']
  /** What stands in the body beside the problem's own members. */
  readonly extraFields?: object
}

export function problemCase(
  problem: Problem,
  headers: readonly DocumentedHeader[] = [],
  particulars: Partial<ProblemCase> = {},
): ProblemCase {
  return { name: problem.code, problem, headers, ...particulars }
}
