/** The verdict on an email address, with every reason. */
import { describeAddress, type EmailReport } from '@mailgrade/core'
import { DocumentView } from '../document-view.js'
import { Badge } from '../parts/status-badge.js'

export function EmailCheckView({ report }: { report: EmailReport }) {
  const { title, status, result, blocks } = describeAddress(report)
  return (
    <>
      <p class="summary">
        <code>{title}</code> <Badge tone={status ?? 'info'} word={result} />
      </p>
      <DocumentView blocks={blocks} />
    </>
  )
}
