/** The reports that were bought in this tab, and what else is for sale. */
import type { Page } from './layout.js'
import { PaidReportList } from './paid-reports.js'

export function savedReportsPage(): Page {
  return {
    title: 'My reports in this tab',
    description: 'The reports you bought in this browser tab.',
    body: (
      <>
        <h1>My reports in this tab</h1>
        <p data-without-reports>
          No reports yet. We don’t store reports: they stay in the browser tab where you bought them
          until you close it. This list needs JavaScript.
        </p>
        <div id="purchased-reports" data-all />
        <PaidReportList />
      </>
    ),
  }
}
