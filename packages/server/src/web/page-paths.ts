/** The paths of all pages with fixed content. */
import { FINDINGS, type FindingId } from '@mailgrade/core'
import { isPaid, type Operation } from '@mailgrade/operations/operation'
import { problemPagePath } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import { endpointDocsPath, PATHS, sampleReportPath } from '@mailgrade/operations/service-paths'
import type { MechanismName } from '../content/generated/content.js'
import { MECHANISM_NAMES } from './learn/mechanisms.js'

interface Guide {
  readonly title: string
  /** What the guide answers, in one line. */
  readonly about: string
}

/** The guides in `docs/` for people and programs that call the service, by file name. */
const CALLER_GUIDES = {
  api: {
    title: 'The HTTP API',
    about: 'Parameters, guarantees, discovery, and versions.',
  },
  payments: {
    title: 'Payments',
    about: 'How to pay for a report, when you’re charged, and how to handle each error.',
  },
  'payment-extensions': {
    title: 'Payment identifiers and receipts',
    about: 'Sign again without paying twice, and prove that you paid.',
  },
  mcp: {
    title: 'MCP tools for agents',
    about: 'Add the tools to an agent and pay for calls.',
  },
  score: {
    title: 'How the score works',
    about: 'How many points each part is worth, and what costs you points.',
  },
  'email-check': {
    title: 'How we check an email address',
    about: 'Every verdict and its reasons.',
  },
  'fix-plan': {
    title: 'How we make a fix plan',
    about: 'The rules behind each record, step, and stage.',
  },
} as const satisfies Record<string, Guide>

/** The guides in `docs/` for people who run an instance of their own, by file name. */
const OPERATOR_GUIDES = {
  production: {
    title: 'The first 15 minutes in production',
    about: 'From the image to your first real payment. Start here.',
  },
  configuration: { title: 'Configuration', about: 'Every environment variable.' },
  operations: {
    title: 'Operations reference',
    about: 'Sizing, deployment, metrics, and what to do for each alert.',
  },
  accounting: {
    title: 'Accounting and refunds',
    about: 'Compare payments with the chain, and give refunds.',
  },
  security: { title: 'Security', about: 'The threat model, with a test for each threat.' },
} as const satisfies Record<string, Guide>

type CallerGuideName = keyof typeof CALLER_GUIDES
type OperatorGuideName = keyof typeof OPERATOR_GUIDES
export type GuideName = CallerGuideName | OperatorGuideName

export const GUIDES: Readonly<Record<GuideName, Guide>> = { ...CALLER_GUIDES, ...OPERATOR_GUIDES }

export function guidePath(name: GuideName): string {
  return `/docs/guides/${name}`
}

/** `/learn/mta-sts` */
export function mechanismPagePath(name: MechanismName): string {
  return `${PATHS.learn}/${name}`
}

/** `/learn/spf.too-many-lookups`; a report has the id as text. */
export function findingPagePath(id: string): string {
  return `${PATHS.learn}/${id}`
}

export const FINDING_IDS = Object.keys(FINDINGS) as FindingId[]
export const CALLER_GUIDE_NAMES = Object.keys(CALLER_GUIDES) as CallerGuideName[]
export const OPERATOR_GUIDE_NAMES = Object.keys(OPERATOR_GUIDES) as OperatorGuideName[]
export const GUIDE_NAMES: readonly GuideName[] = [...CALLER_GUIDE_NAMES, ...OPERATOR_GUIDE_NAMES]
export const PROBLEM_CODES = Object.keys(PROBLEM_TYPES) as ProblemCode[]

/** Without `/` and `/domains`, which also show check results, and samples, which change daily. */
export function staticPagePaths(operations: readonly Operation[]): string[] {
  return [
    PATHS.docs,
    ...operations.map(endpointDocsPath),
    ...(operations.some(isPaid) ? [PATHS.reports] : []),
    PATHS.findings,
    ...GUIDE_NAMES.map(guidePath),
    PATHS.operators,
    PATHS.problems,
    ...PROBLEM_CODES.map(problemPagePath),
    PATHS.learn,
    ...MECHANISM_NAMES.map(mechanismPagePath),
    ...FINDING_IDS.map(findingPagePath),
    PATHS.faq,
    PATHS.privacy,
    PATHS.terms,
  ]
}

/** Every page that search engines may list. */
export function pagePaths(operations: readonly Operation[]): string[] {
  const samples = operations.filter(isPaid).map(sampleReportPath)
  return ['/', PATHS.domains, ...samples, ...staticPagePaths(operations)]
}
