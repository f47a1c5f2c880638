/** The paths of all pages with fixed content. */
import type { Operation } from '../operations/operation.js'
import { problemPagePath } from '../operations/problem-details.js'
import { PROBLEM_TYPES, type ProblemCode } from '../operations/problem-types.js'
import { endpointDocsPath, PATHS } from '../operations/service-paths.js'

/** The guides in `docs/`, by file name. */
export const GUIDES = {
  api: 'The HTTP API',
  payments: 'Payments',
  'payment-extensions': 'Payment identifiers and receipts',
  mcp: 'MCP tools for agents',
  score: 'How the score works',
  'email-check': 'How an email address is checked',
  'fix-plan': 'How a fix plan is made',
  configuration: 'Configuration',
  production: 'The first 15 minutes in production',
  operations: 'Operations reference',
  accounting: 'Accounting and refunds',
  security: 'Security',
} as const

export type GuideName = keyof typeof GUIDES

export function guidePath(name: GuideName): string {
  return `/docs/guides/${name}`
}

export const GUIDE_NAMES = Object.keys(GUIDES) as GuideName[]
export const PROBLEM_CODES = Object.keys(PROBLEM_TYPES) as ProblemCode[]

/** Without `/`, which also shows check results. */
export function staticPagePaths(operations: readonly Operation[]): string[] {
  return [
    PATHS.docs,
    ...operations.map(endpointDocsPath),
    PATHS.findings,
    ...GUIDE_NAMES.map(guidePath),
    PATHS.problems,
    ...PROBLEM_CODES.map(problemPagePath),
  ]
}

/** Every page that search engines may list. */
export function pagePaths(operations: readonly Operation[]): string[] {
  return ['/', ...staticPagePaths(operations)]
}
