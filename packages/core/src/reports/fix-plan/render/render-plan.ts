/** Renders a plan for its DNS host: records, steps, zone file and Terraform. */
import { type DnsHost, GENERIC_PANEL } from '../../../catalog/find-dns-host.js'
import type { FixPlan, RolloutStage } from '../fix-plan-report.js'
import type { PlannedRecord, Zone } from '../planned-record.js'
import { toPanelRecords, toPlanRecord } from './panel-record.js'
import { formatTerraform } from './terraform.js'
import { writeSteps } from './write-steps.js'
import { formatZoneFile } from './zone-file.js'

interface PlanInput {
  /** In the order to publish them. */
  readonly planned: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
  readonly zone: Zone
  /** Null if unknown. */
  readonly host: DnsHost | null
  readonly domain: string
  /** What to know about the published records at this host. */
  readonly pitfalls?: readonly string[]
  /** The plan fixes every finding. */
  readonly isFinished: boolean
}

export function renderPlan(plan: PlanInput): Pick<FixPlan, 'records' | 'steps' | 'exports'> {
  const { planned, zone } = plan
  // A parking service has no DNS panel.
  const isParked = plan.host?.isParking ?? false
  const host = isParked ? null : plan.host
  const panel = host?.panel ?? GENERIC_PANEL
  const records = toPanelRecords(planned, zone, panel)
  return {
    records: records.map(toPlanRecord),
    steps: writeSteps({
      ...plan,
      host,
      isParked,
      panel,
      records,
      pitfalls: plan.pitfalls ?? [],
      isKnown: host !== null,
    }),
    exports: {
      zoneFile: formatZoneFile(records),
      terraform: host ? formatTerraform(records, zone, host.id) : null,
    },
  }
}
