/** All pages of the site, as text. */

import { isPaid, type PaidOperation } from '../operations/operation.js'
import type { Result } from '../operations/perform.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import { OPERATIONS } from '../operations/table.js'
import { checkPage, uncheckedPage } from './check-page.js'
import { homePage } from './home.js'
import { renderPage } from './layout.js'
import { lostPage } from './lost-page.js'
import { plainSoldPage, type Sold, soldPage, unsoldPage, VIEWS } from './report-page.js'
import type { Site } from './site.js'
import { type Documented, stillPages } from './still-pages.js'

export interface Pages {
  home(): string
  /** One that stands still, by its path. */
  still(path: string): string
  checked(result: Result): string
  unchecked(problem: ProblemDetails, given: string): string
  sold(sold: Sold): string
  /** Without a view of its own. */
  soldPlain(sold: Sold): string
  unsold(operation: PaidOperation, given: string, problem: ProblemDetails | null): string
  lost(problem: ProblemDetails): string
}

export function openSite(site: Site, documented: Documented): Pages {
  const still = stillPages(documented)
  const unseen = OPERATIONS.filter(isPaid).find(({ id }) => !(id in VIEWS))
  // Found out before anybody pays for it.
  if (unseen) throw new Error(`${unseen.id} has no view`)
  return {
    home: () => renderPage(homePage(), site),
    still(path) {
      const make = still.get(path)
      if (!make) throw new Error(`there is no page at ${path}`)
      return renderPage(make(), site)
    },
    checked: (result) => renderPage(checkPage(result), site),
    unchecked: (problem, given) => renderPage(uncheckedPage(problem, given), site),
    sold: (sold) => renderPage(soldPage(sold), site),
    soldPlain: (sold) => renderPage(plainSoldPage(sold), site),
    unsold: (...sale) => renderPage(unsoldPage(...sale), site),
    lost: (problem) => renderPage(lostPage(problem), site),
  }
}
