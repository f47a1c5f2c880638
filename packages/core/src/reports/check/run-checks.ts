/** Runs the four scored checks of a domain at the same time. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult, Discovery } from '../../checks/check-result.js'
import { buildDkimReport } from '../../checks/dkim/check-dkim.js'
import { discoverDkim } from '../../checks/dkim/discover-dkim.js'
import { buildDmarcReport } from '../../checks/dmarc/check-dmarc.js'
import { discoverDmarc } from '../../checks/dmarc/discover-dmarc.js'
import { buildMxReport } from '../../checks/mx/check-mx.js'
import { discoverMx } from '../../checks/mx/discover-mx.js'
import { buildSpfReport } from '../../checks/spf/check-spf.js'
import { discoverSpf } from '../../checks/spf/discover-spf.js'
import { evaluateSpf, type SpfMessage } from '../../checks/spf/evaluate-spf.js'
import type { DomainName } from '../../names/domain-name.js'
import { findStreams } from '../../streams/find-streams.js'
import { type CheckReports, type MechanismReports, sendingProfile } from './check-reports.js'

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

type CheckName = keyof MechanismReports
/** A report alone: its status may still change, its facts do not. */
export type OnChecked = (reports: Partial<MechanismReports>) => void

/** Each report is judged alone; `judgeAcrossChecks` adds findings that need several of them. */
export async function runChecks(
  dns: Dns,
  domain: DomainName,
  { randomLabel }: Random,
  { selectors, message, onChecked = () => {} }: CheckOptions = {},
): Promise<CheckResult<CheckReports>> {
  const reported = async <Name extends CheckName, Facts>(
    name: Name,
    discovery: Promise<Discovery<Facts>>,
    build: (facts: Facts) => MechanismReports[Name],
  ) => {
    const discovered = await discovery
    if (discovered.kind !== 'facts') return discovered
    const report = build(discovered.facts)
    onChecked({ [name]: report })
    return { ...discovered, report }
  }
  const [mx, spf, dmarc, dkim, evaluation] = await Promise.all([
    reported('mx', discoverMx(dns, domain), buildMxReport),
    reported('spf', discoverSpf(dns, domain), buildSpfReport),
    reported('dmarc', discoverDmarc(dns, domain), buildDmarcReport),
    reported(
      'dkim',
      discoverDkim(dns, domain, { randomLabel, alsoSelectors: selectors }),
      buildDkimReport,
    ),
    message && evaluateSpf(dns, domain, message),
  ])
  if (mx.kind !== 'facts') return mx
  if (spf.kind !== 'facts') return spf
  if (dmarc.kind !== 'facts') return dmarc
  if (dkim.kind !== 'facts') return dkim
  const facts = { domain, mx: mx.facts, spf: spf.facts, dmarc: dmarc.facts, dkim: dkim.facts }
  const reports = {
    mx: mx.report,
    spf: evaluation ? { ...spf.report, evaluation } : spf.report,
    dmarc: dmarc.report,
    dkim: dkim.report,
  }
  return { kind: 'report', report: withStreams(reports, facts) }
}

/** Every sender, judged by all checks together. */
export function withStreams(
  reports: MechanismReports,
  facts: Parameters<typeof findStreams>[0],
): CheckReports {
  const declaresNoMail = sendingProfile(reports) !== 'sending'
  return { ...reports, streams: findStreams(facts, reports.spf.senders, declaresNoMail) }
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
