/** Findings as a list of links to their pages. */
import { FINDINGS, type FindingId } from '@mailgrade/core'
import { findingPagePath } from '../page-paths.js'
import { Badge, SEVERITY_TONES } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'

export function FindingLinks({ ids }: { ids: readonly FindingId[] }) {
  const link = useLink()
  return (
    <ul class="finding-links">
      {ids.map((id) => (
        <li>
          <Badge tone={SEVERITY_TONES[FINDINGS[id].severity]} word={FINDINGS[id].severity} />
          <a href={link(findingPagePath(id))}>{FINDINGS[id].title}</a>
        </li>
      ))}
    </ul>
  )
}
