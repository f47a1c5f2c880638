/** A plan as it is handed out: records and steps for the DNS host at hand, and files to import. */
import { type DnsHost, GENERIC_PANEL } from '../../../catalog/find-dns-host.js'
import type { FixPlan, RolloutStage } from '../fix-plan-report.js'
import type { PlannedRecord, Zone } from '../planned-record.js'
import { toPanelRecords, toPlanRecord } from './panel-record.js'
import { formatTerraform } from './terraform.js'
import { writeSteps } from './write-steps.js'
import { formatZoneFile } from './zone-file.js'

interface Plan {
  /** In the order in which they are to be published. */
  readonly planned: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
  readonly zone: Zone
  /** Null when it is nobody we know. */
  readonly host: DnsHost | null
  readonly domain: string
  /** No finding is left once it is carried out. */
  readonly isFinished: boolean
}

export function renderPlan(plan: Plan): Pick<FixPlan, 'records' | 'steps' | 'exports'> {
  const { planned, zone } = plan
  // Where domains are parked there is no panel to speak of.
  const isParked = plan.host?.isParking ?? false
  const host = isParked ? null : plan.host
  const panel = host?.panel ?? GENERIC_PANEL
  const records = toPanelRecords(planned, zone, panel)
  return {
    records: records.map(toPlanRecord),
    steps: writeSteps({ ...plan, host, isParked, panel, records, isKnown: host !== null }),
    exports: {
      zoneFile: formatZoneFile(records),
      terraform: host ? formatTerraform(records, zone, host.id) : null,
    },
  }
}
