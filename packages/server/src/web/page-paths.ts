/** Every page that stands still, by its path. */

import { OPERATIONS } from '../operations/operations.js'
import { endpointDocsPath } from '../operations/pages.js'
import { problemPagePath } from '../operations/problem-details.js'
import { PROBLEM_TYPES, type ProblemCode } from '../operations/problem-types.js'
import { PATHS } from '../operations/service-paths.js'

/** The guides in `docs/`, by the names of their files. */
export const GUIDES = {
  payments: 'Payments',
  mcp: 'Tools for agents: MCP',
  score: 'How the score comes about',
  'email-check': 'How an address is judged',
  'fix-plan': 'How a fix plan is made',
  production: 'In production',
  security: 'Security',
} as const

export type GuideName = keyof typeof GUIDES

export function guidePath(name: GuideName): string {
  return `/docs/guides/${name}`
}

export const GUIDE_NAMES = Object.keys(GUIDES) as GuideName[]
export const PROBLEM_CODES = Object.keys(PROBLEM_TYPES) as ProblemCode[]

/** Without the one at `/`, which answers questions, too. */
export const STATIC_PAGE_PATHS: readonly string[] = [
  PATHS.docs,
  ...OPERATIONS.map(endpointDocsPath),
  PATHS.findings,
  ...GUIDE_NAMES.map(guidePath),
  PATHS.problems,
  ...PROBLEM_CODES.map(problemPagePath),
]

/** Every page that search engines may list. */
export const PAGE_PATHS: readonly string[] = ['/', ...STATIC_PAGE_PATHS]
