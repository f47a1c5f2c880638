/** The verdict on an email address, with every reason. */
import { describeAddress, type EmailReport } from '@mailgrade/core'
import { DocumentView } from '../document-view.js'
import { StatusBadge } from '../parts/status-badge.js'

export function EmailCheckView({ report }: { report: EmailReport }) {
  const { title, status, blocks } = describeAddress(report)
  return (
    <>
      <p class="summary">
        <code>{title}</code> <StatusBadge status={status ?? 'unknown'} word={report.verdict} />
      </p>
      <DocumentView blocks={blocks} />
    </>
  )
}
