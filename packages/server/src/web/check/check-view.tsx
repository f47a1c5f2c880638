/** The combined check as a page: the verdict, what to mend, and what lies behind it. */

import type { DomainReport } from '@mailgrade/core'
import { findingsOf, isFault } from '@mailgrade/core'
import type { Meta } from '../../operations/meta.js'
import { Findings } from '../parts/findings.js'
import { moment } from '../parts/moment.js'
import { Status } from '../parts/status.js'
import { DkimSection } from './dkim-section.js'
import { DmarcSection } from './dmarc-section.js'
import { MxSection } from './mx-section.js'
import { SpfSection } from './spf-section.js'
import { Tiles } from './tiles.js'
import { TransportSection } from './transport-section.js'

export function CheckView({ report }: { report: DomainReport & { meta: Meta } }) {
  const { domain, unicodeDomain, status, summary, meta } = report
  return (
    <>
      <section class={`verdict ${status}`} aria-labelledby="verdict">
        <h1 id="verdict">
          {unicodeDomain ?? domain} <Status status={status} />
        </h1>
        {unicodeDomain && (
          <p>
            <code>{domain}</code>
          </p>
        )}
        <p class="summary">{withoutName(summary, domain)}</p>
      </section>
      <Tiles report={report} />
      <WhatToMend report={report} />
      <SpfSection report={report.spf} />
      <DmarcSection report={report.dmarc} />
      <DkimSection report={report.dkim} />
      <MxSection report={report.mx} />
      <TransportSection report={report.transport} />
      <p class="meta">
        Looked up {moment(meta.checkedAt)} with {meta.dnsQueries} DNS questions in {meta.durationMs}{' '}
        ms, answered by {meta.resolvers.join(', ')}.
      </p>
    </>
  )
}

function WhatToMend({ report }: { report: DomainReport }) {
  const findings = findingsOf(report)
  const faults = findings.filter(isFault)
  const notes = [...findings.filter((found) => !isFault(found)), ...report.transport.issues]
  return (
    <section aria-labelledby="mend">
      <h2 id="mend">What to mend</h2>
      {faults.length === 0 ? <p>Nothing.</p> : <Findings findings={faults} />}
      {notes.length > 0 && (
        <details class="notes">
          <summary>Worth knowing ({notes.length})</summary>
          <Findings findings={notes} />
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
