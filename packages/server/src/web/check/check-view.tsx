/** The combined check as a page: the verdict, what to mend, and what lies behind it. */

import type { DomainReport } from '@mailgrade/core'
import { findingsBySeverity, isActionable } from '@mailgrade/core'
import type { ReportMeta } from '../../operations/meta.js'
import { FindingList } from '../parts/finding-list.js'
import { formatUtc } from '../parts/format-utc.js'
import { StatusBadge } from '../parts/status-badge.js'
import { DkimSection } from './dkim-section.js'
import { DmarcSection } from './dmarc-section.js'
import { MxSection } from './mx-section.js'
import { SpfSection } from './spf-section.js'
import { SummaryTiles } from './summary-tiles.js'
import { TransportSection } from './transport-section.js'

export function CheckView({ report }: { report: DomainReport & { meta: ReportMeta } }) {
  const { domain, unicodeDomain, status, summary, meta } = report
  return (
    <>
      <section class={`verdict ${status}`} aria-labelledby="verdict">
        <h1 id="verdict">
          {unicodeDomain ?? domain} <StatusBadge status={status} />
        </h1>
        {unicodeDomain && (
          <p>
            <code>{domain}</code>
          </p>
        )}
        <p class="summary">{withoutName(summary, domain)}</p>
      </section>
      <SummaryTiles report={report} />
      <WhatToMend report={report} />
      <SpfSection report={report.spf} />
      <DmarcSection report={report.dmarc} />
      <DkimSection report={report.dkim} />
      <MxSection report={report.mx} />
      <TransportSection report={report.transport} />
      <p class="meta">
        Looked up {formatUtc(meta.checkedAt)} with {meta.dnsQueries} DNS questions in{' '}
        {meta.durationMs} ms, answered by {meta.resolvers.join(', ')}.
      </p>
    </>
  )
}

function WhatToMend({ report }: { report: DomainReport }) {
  const findings = findingsBySeverity(report)
  const faults = findings.filter(isActionable)
  const notes = [...findings.filter((found) => !isActionable(found)), ...report.transport.issues]
  return (
    <section aria-labelledby="mend">
      <h2 id="mend">What to mend</h2>
      {faults.length === 0 ? <p>Nothing.</p> : <FindingList findings={faults} />}
      {notes.length > 0 && (
        <details class="notes">
          <summary>Worth knowing ({notes.length})</summary>
          <FindingList findings={notes} />
        </details>
      )}
    </section>
  )
}

/** The heading has it already. */
function withoutName(summary: string, domain: string): string {
  const rest = summary.startsWith(`${domain}: `) ? summary.slice(domain.length + 2) : summary
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}
