/** A plan as it is handed out: records and steps for the DNS host at hand, and files to import. */
import { type DnsHost, GENERIC_PANEL } from '../../catalog/dns-hosts.js'
import { terraform } from './exports/terraform.js'
import { zoneFile } from './exports/zone-file.js'
import type { FixPlan, Stage } from './fix-plan-report.js'
import type { PlannedRecord, Zone } from './planned-record.js'
import { stepsFor } from './steps/steps-for.js'
import { planRecordOf, writeRecords } from './written-record.js'

interface Plan {
  /** In the order in which they are to be published. */
  readonly planned: readonly PlannedRecord[]
  readonly rollout: readonly Stage[]
  readonly zone: Zone
  /** Null when it is nobody we know. */
  readonly host: DnsHost | null
  readonly domain: string
  /** No finding is left once it is carried out. */
  readonly isFinished: boolean
}

export function writePlan(plan: Plan): Pick<FixPlan, 'records' | 'steps' | 'exports'> {
  const { planned, zone } = plan
  // Where domains are parked there is no panel to speak of.
  const isParked = plan.host?.isParking ?? false
  const host = isParked ? null : plan.host
  const panel = host?.panel ?? GENERIC_PANEL
  const records = writeRecords(planned, zone, panel)
  return {
    records: records.map(planRecordOf),
    steps: stepsFor({ ...plan, host, isParked, panel, records, isKnown: host !== null }),
    exports: {
      zoneFile: zoneFile(records),
      terraform: host ? terraform(records, zone, host.id) : null,
    },
  }
}
