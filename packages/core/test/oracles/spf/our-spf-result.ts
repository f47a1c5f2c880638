/** The result of our static check, in a form comparable with an evaluator's result. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { checkSpf } from '../../../src/checks/spf/check-spf.js'
import { MAX_ADDRESS_QUERIES } from '../../../src/checks/spf/spf-limits.js'
import type { SpfReport } from '../../../src/checks/spf/spf-report.js'
import type { DomainName } from '../../../src/names/domain-name.js'
import type { SpfTestZone } from './spf-test-zone.js'
import { toZoneFile } from './zone-data.js'

export type IpFamily = 'ipv4' | 'ipv6'
export const IP_FAMILIES: readonly IpFamily[] = ['ipv4', 'ipv6']

export type SpfVerdict = 'none' | 'ok' | 'permerror'

export interface OurSpfResult {
  readonly verdicts: Readonly<Record<IpFamily, SpfVerdict>>
  readonly lookups: number
  readonly voidLookups: Readonly<Record<IpFamily, number>>
  /** The findings behind a permanent error, without void lookups, which depend on the family. */
  readonly causes: readonly string[]
  /** The query limit was reached, so void lookups may be missing. */
  readonly isBudgetSpent: boolean
}

const CAUSES = [
  'spf.multiple-records',
  'spf.syntax',
  'spf.include-without-record',
  'spf.loop',
  'spf.too-many-lookups',
  'spf.mx-limit',
]

const NO_RECORD: OurSpfResult = {
  verdicts: { ipv4: 'none', ipv6: 'none' },
  lookups: 0,
  voidLookups: { ipv4: 0, ipv6: 0 },
  causes: [],
  isBudgetSpent: false,
}

export async function findOurSpfResult({ zone, domain }: SpfTestZone): Promise<OurSpfResult> {
  const dns = zoneDns(toZoneFile(zone))
  const checked = await checkSpf(dns, domain as DomainName)
  if (checked.kind === 'unavailable') throw new Error(JSON.stringify(checked))
  if (checked.kind === 'unknown-domain' || checked.report.records.length === 0) return NO_RECORD
  const { report } = checked
  return {
    verdicts: { ipv4: verdictOfReport(report, 'ipv4'), ipv6: verdictOfReport(report, 'ipv6') },
    lookups: report.lookupCount,
    voidLookups: report.voidLookups,
    causes: report.issues.map(({ id }) => id).filter((id) => CAUSES.includes(id)),
    isBudgetSpent:
      dns.queries.filter((query) => !/^(?:TXT|SPF) /.test(query)).length >= MAX_ADDRESS_QUERIES,
  }
}

/**
 * By the findings about the whole record: `valid` is also true where no sender reaches the error,
 * which other evaluators report at once.
 */
export function verdictOfReport(report: SpfReport, family: IpFamily): SpfVerdict {
  if (report.records.length === 0) return 'none'
  const isBroken =
    report.issues.some(({ id }) => CAUSES.includes(id)) ||
    report.voidLookups[family] > report.voidLookupLimit
  return isBroken ? 'permerror' : 'ok'
}
