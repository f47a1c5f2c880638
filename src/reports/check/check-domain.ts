/** The combined check: all checks of a domain at once, and what they show together. */
import type { Checked } from '../../checks/checked.js'
import { checkDkim } from '../../checks/dkim/check-dkim.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import { STATUSES } from '../../checks/finding.js'
import { checkMx } from '../../checks/mx/check-mx.js'
import { checkSpf } from '../../checks/spf/check-spf.js'
import { subjectOf } from '../../checks/subject.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { Dns } from '../../dns/dns.js'
import type { DomainName } from '../../names/domain-name.js'
import type { DomainReport } from './domain-report.js'
import { judgeTogether } from './judge-together.js'
import { type Parts, profileOf } from './parts.js'
import { summarize } from './summary.js'

export async function checkDomain(
  dns: Dns,
  domain: DomainName,
  { randomLabel }: { readonly randomLabel: () => string },
): Promise<Checked<DomainReport>> {
  const [mx, spf, dmarc, dkim, transport] = await Promise.all([
    checkMx(dns, domain),
    checkSpf(dns, domain),
    checkDmarc(dns, domain),
    checkDkim(dns, domain, { randomLabel }),
    checkTransport(dns, domain),
  ])
  if (mx.kind !== 'report') return mx
  if (spf.kind !== 'report') return spf
  if (dmarc.kind !== 'report') return dmarc
  if (dkim.kind !== 'report') return dkim
  if (transport.kind !== 'report') return transport

  const parts = judgeTogether({
    mx: mx.report,
    spf: spf.report,
    dmarc: dmarc.report,
    dkim: dkim.report,
  })
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
