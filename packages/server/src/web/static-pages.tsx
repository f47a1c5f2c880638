/** The pages that stand still, made when they are first asked for. */

import { OPERATIONS } from '../operations/operations.js'
import { endpointDocsPath } from '../operations/pages.js'
import { problemPagePath } from '../operations/problem-details.js'
import { PATHS } from '../operations/service-paths.js'
import { docsPage } from './docs/docs-page.js'
import { type EndpointResponses, endpointDocsPage } from './docs/endpoint-docs-page.js'
import { findingsDocsPage } from './docs/findings-docs-page.js'
import { guidePage } from './docs/guide-page.js'
import { problemDocsPage, problemsDocsPage } from './docs/problem-docs-pages.js'
import type { Page } from './layout.js'
import { GUIDE_NAMES, guidePath, PROBLEM_CODES } from './page-paths.js'

/** What each operation can answer, by its id. */
export type EndpointResponsesById = ReadonlyMap<string, EndpointResponses>

export function staticPages(documented: EndpointResponsesById): ReadonlyMap<string, () => Page> {
  return new Map<string, () => Page>([
    [PATHS.docs, docsPage],
    ...OPERATIONS.map((operation) => {
      const make = () => endpointDocsPage(operation, documented.get(operation.id))
      return [endpointDocsPath(operation), make] as const
    }),
    [PATHS.findings, findingsDocsPage],
    ...GUIDE_NAMES.map((name) => [guidePath(name), () => guidePage(name)] as const),
    [PATHS.problems, problemsDocsPage],
    ...PROBLEM_CODES.map((code) => [problemPagePath(code), () => problemDocsPage(code)] as const),
  ])
}
