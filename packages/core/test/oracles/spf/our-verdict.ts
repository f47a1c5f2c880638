/** What our static check makes of a world, put so that it can be compared with an evaluator's result. */

import { world } from '@mailgrade/testing/world'
import { checkSpf } from '../../../src/checks/spf/check-spf.js'
import type { SpfReport } from '../../../src/checks/spf/spf-report.js'
import type { DomainName } from '../../../src/names/domain-name.js'
import type { OracleWorld } from './world.js'
import { zoneText } from './zone.js'

export type Family = 'ipv4' | 'ipv6'
export const FAMILIES: readonly Family[] = ['ipv4', 'ipv6']

export type Verdict = 'none' | 'ok' | 'permerror'

export interface OurVerdict {
  readonly verdicts: Readonly<Record<Family, Verdict>>
  readonly lookups: number
  readonly voids: Readonly<Record<Family, number>>
  /** Why it is a permanent error: ids of findings; without void lookups, which depend on the family. */
  readonly causes: readonly string[]
  /** We asked as much as we allow ourselves, so that we may have missed void lookups. */
  readonly isBudgetSpent: boolean
}

/** Address and MX questions, see spf-answers.ts. */
const BUDGET = 40

const CAUSES = [
  'spf.multiple-records',
  'spf.syntax',
  'spf.include-without-record',
  'spf.loop',
  'spf.too-many-lookups',
  'spf.mx-limit',
]

const NO_RECORD: OurVerdict = {
  verdicts: { ipv4: 'none', ipv6: 'none' },
  lookups: 0,
  voids: { ipv4: 0, ipv6: 0 },
  causes: [],
  isBudgetSpent: false,
}

export async function ourVerdict({ zone, domain }: OracleWorld): Promise<OurVerdict> {
  const dns = world(zoneText(zone))
  const checked = await checkSpf(dns, domain as DomainName)
  if (checked.kind === 'unavailable') throw new Error(JSON.stringify(checked))
  if (checked.kind === 'unknown-domain' || checked.report.records.length === 0) return NO_RECORD
  const { report } = checked
  return {
    verdicts: { ipv4: verdictOf(report, 'ipv4'), ipv6: verdictOf(report, 'ipv6') },
    lookups: report.lookupCount,
    voids: report.voidLookups,
    causes: report.issues.map(({ id }) => id).filter((id) => CAUSES.includes(id)),
    isBudgetSpent: dns.asked.filter((question) => !/^(?:TXT|SPF) /.test(question)).length >= BUDGET,
  }
}

/** Too many void lookups are no matter of `valid`, because receivers only SHOULD limit them (§4.6.4). */
export function verdictOf(report: SpfReport, family: Family): Verdict {
  if (report.records.length === 0) return 'none'
  const isBroken = !report.valid || report.voidLookups[family] > report.voidLookupLimit
  return isBroken ? 'permerror' : 'ok'
}
