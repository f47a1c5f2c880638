/** Runs the four scored checks of a domain at the same time. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { checkDkim } from '../../checks/dkim/check-dkim.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import { checkMx } from '../../checks/mx/check-mx.js'
import { checkSpf } from '../../checks/spf/check-spf.js'
import type { SpfMessage } from '../../checks/spf/evaluate-spf.js'
import type { DomainName } from '../../names/domain-name.js'
import type { CheckReports } from './check-reports.js'

/** The caller's source of randomness; core has none of its own. */
export interface Random {
  /** Returns an unpredictable DNS label. */
  readonly randomLabel: () => string
}

/** What the caller knows and DNS does not list. */
export interface CheckOptions {
  /** DKIM selectors to query besides the usual ones; a key there counts like any other. */
  readonly selectors?: readonly string[] | undefined
  /** A message to evaluate SPF for. */
  readonly message?: SpfMessage | null | undefined
  /** Called as each check finishes, before all are judged together, to show progress. */
  readonly onChecked?: OnChecked | undefined
}

type CheckName = keyof CheckReports
/** A report alone: its status may still change, its facts do not. */
export type OnChecked = (reports: Partial<CheckReports>) => void

/** Each report is judged alone; `judgeAcrossChecks` adds findings that need several of them. */
export async function runChecks(
  dns: Dns,
  domain: DomainName,
  { randomLabel }: Random,
  { selectors, message, onChecked = () => {} }: CheckOptions = {},
): Promise<CheckResult<CheckReports>> {
  const reported = async <Name extends CheckName>(
    name: Name,
    check: Promise<CheckResult<CheckReports[Name]>>,
  ) => {
    const checked = await check
    if (checked.kind === 'report') onChecked({ [name]: checked.report })
    return checked
  }
  const [mx, spf, dmarc, dkim] = await Promise.all([
    reported('mx', checkMx(dns, domain)),
    reported('spf', checkSpf(dns, domain, message)),
    reported('dmarc', checkDmarc(dns, domain)),
    reported('dkim', checkDkim(dns, domain, { randomLabel, alsoSelectors: selectors })),
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

/** Every call starts the same sequence of labels again, so a second run needs no new DNS queries. */
export function createRepeatableRandom({ randomLabel }: Random): () => Random {
  const labels: string[] = []
  return () => {
    let next = 0
    return {
      randomLabel() {
        const label = labels[next] ?? randomLabel()
        labels[next] = label
        next += 1
        return label
      },
    }
  }
}
