/** Every page that stands still, by its path. */

import { endpointPage } from '../operations/pages.js'
import { PATHS } from '../operations/paths.js'
import { problemPath } from '../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import { OPERATIONS } from '../operations/table.js'

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

export const guideNames = Object.keys(GUIDES) as GuideName[]
export const problemCodes = Object.keys(PROBLEMS) as ProblemCode[]

/** Without the one at `/`, which answers questions, too. */
export const STILL_PATHS: readonly string[] = [
  PATHS.docs,
  ...OPERATIONS.map(endpointPage),
  PATHS.findings,
  ...guideNames.map(guidePath),
  PATHS.problems,
  ...problemCodes.map(problemPath),
]

/** Every page that search engines may list. */
export const PAGE_PATHS: readonly string[] = ['/', ...STILL_PATHS]
