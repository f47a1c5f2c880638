/** The pages that stand still, made when they are first asked for. */

import { endpointPage } from '../operations/pages.js'
import { PATHS } from '../operations/paths.js'
import { problemPath } from '../operations/problem-details.js'
import { OPERATIONS } from '../operations/table.js'
import { docsPage } from './docs/docs-page.js'
import { type Answers, endpointDocs } from './docs/endpoint-page.js'
import { findingsPage } from './docs/findings-page.js'
import { guidePage } from './docs/guide-page.js'
import { problemPage, problemsPage } from './docs/problems-page.js'
import type { Page } from './layout.js'
import { guideNames, guidePath, problemCodes } from './paths.js'

/** What each operation can answer, by its id. */
export type Documented = ReadonlyMap<string, Answers>

export function stillPages(documented: Documented): ReadonlyMap<string, () => Page> {
  return new Map<string, () => Page>([
    [PATHS.docs, docsPage],
    ...OPERATIONS.map((operation) => {
      const make = () => endpointDocs(operation, documented.get(operation.id))
      return [endpointPage(operation), make] as const
    }),
    [PATHS.findings, findingsPage],
    ...guideNames.map((name) => [guidePath(name), () => guidePage(name)] as const),
    [PATHS.problems, problemsPage],
    ...problemCodes.map((code) => [problemPath(code), () => problemPage(code)] as const),
  ])
}
