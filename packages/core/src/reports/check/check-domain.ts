/** The combined check: all checks of a domain at once, and what they show together. */

import type { Dns } from '@mailgrade/doh/dns'
import type { Checked } from '../../checks/checked.js'
import { STATUSES } from '../../checks/finding.js'
import { subjectOf } from '../../checks/subject.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { DomainName } from '../../names/domain-name.js'
import type { Chance } from './chance.js'
import type { DomainReport } from './domain-report.js'
import { gatherParts } from './gather-parts.js'
import { judgeTogether } from './judge-together.js'
import { type Parts, profileOf } from './parts.js'
import { summarize } from './summary.js'

export async function checkDomain(
  dns: Dns,
  domain: DomainName,
  chance: Chance,
): Promise<Checked<DomainReport>> {
  const [gathered, transport] = await Promise.all([
    gatherParts(dns, domain, chance),
    checkTransport(dns, domain),
  ])
  if (gathered.kind !== 'report') return gathered
  if (transport.kind !== 'report') return transport

  const parts = judgeTogether(gathered.report)
  return {
    kind: 'report',
    report: {
      ...subjectOf(domain),
      status: worstOf(parts),
      summary: summarize(parts),
      profile: profileOf(parts),
      ...parts,
      transport: transport.report,
    },
  }
}

function worstOf({ mx, spf, dmarc, dkim }: Parts): DomainReport['status'] {
  const ranks = [mx, spf, dmarc, dkim].map(({ status }) => STATUSES.indexOf(status))
  return STATUSES[Math.max(...ranks)] ?? 'fail'
}
