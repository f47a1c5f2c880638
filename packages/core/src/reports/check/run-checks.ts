/** The four checks that make up the picture of a domain, run at once. */
import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { checkDkim } from '../../checks/dkim/check-dkim.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import { checkMx } from '../../checks/mx/check-mx.js'
import { checkSpf } from '../../checks/spf/check-spf.js'
import type { DomainName } from '../../names/domain-name.js'
import type { CheckReports } from './check-reports.js'

/** Each as it stands alone; `judgeTogether` adds what they show side by side. */
export async function runChecks(
  dns: Dns,
  domain: DomainName,
  { randomLabel }: Random,
): Promise<CheckResult<CheckReports>> {
  const [mx, spf, dmarc, dkim] = await Promise.all([
    checkMx(dns, domain),
    checkSpf(dns, domain),
    checkDmarc(dns, domain),
    checkDkim(dns, domain, { randomLabel }),
  ])
  if (mx.kind !== 'report') return mx
  if (spf.kind !== 'report') return spf
  if (dmarc.kind !== 'report') return dmarc
  if (dkim.kind !== 'report') return dkim
  return {
    kind: 'report',
    report: { mx: mx.report, spf: spf.report, dmarc: dmarc.report, dkim: dkim.report },
  }
}

/** Randomness, handed down. */
export interface Random {
  readonly randomLabel: () => string
}

/** The same labels each time, so that looking once more asks nothing new. */
export function createRepeatableRandom({ randomLabel }: Random): () => Random {
  const drawn: string[] = []
  return () => {
    let next = 0
    return {
      randomLabel() {
        const label = drawn[next] ?? randomLabel()
        drawn[next] = label
        next += 1
        return label
      },
    }
  }
}
