/** Renders a plan for its DNS host: records, steps, zone file, Terraform and calendar. */
import { type DnsHost, GENERIC_PANEL } from '../../../catalog/dns-hosts.js'
import { toVisibleText } from '../../visible-text.js'
import type { FixPlan, RolloutStage } from '../fix-plan-report.js'
import type { PlannedRecord, Zone } from '../planned-record.js'
import { addDays, daysUntilStage } from '../write-summary.js'
import { closingSteps } from './closing-steps.js'
import {
  nameRelativeToZone,
  type PanelRecord,
  toPanelRecords,
  toPlanRecord,
} from './panel-record.js'
import { describePanel } from './record-steps.js'
import type { StepsInput } from './step-draft.js'
import { formatTerraform } from './terraform.js'
import { writeSteps } from './write-steps.js'
import { formatZoneFile } from './zone-file.js'

export interface PlanInput extends Partial<PlanDetails> {
  readonly domain: string
  /** In the order to publish them. */
  readonly planned: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
  readonly zone: Zone
  /** Null if unknown. */
  readonly host: DnsHost | null
  readonly now: Date
}

/** What only some plans have. */
interface PlanDetails
  extends Pick<
    StepsInput,
    | 'pitfalls'
    | 'toTurnOn'
    | 'toConfirm'
    | 'keySteps'
    | 'proxied'
    | 'crowdedSpf'
    | 'hasHiddenKeys'
    | 'newMailbox'
    | 'mailboxProvider'
    | 'urgent'
    | 'isExact'
    | 'faults'
    | 'baseUrl'
  > {
  readonly unicodeDomain: string | null
  readonly sendsMail: boolean
  readonly hasLogo: boolean
  /** The mail servers for an MTA-STS policy; empty if none should be published. */
  readonly mtaStsHosts: readonly string[]
  /** The policy that receivers apply today. */
  readonly policy: string
}

const NO_DETAILS: PlanDetails = {
  pitfalls: [],
  toTurnOn: [],
  toConfirm: [],
  keySteps: [],
  proxied: [],
  crowdedSpf: null,
  hasHiddenKeys: false,
  newMailbox: null,
  mailboxProvider: null,
  urgent: { streams: new Set(), isSpfNeeded: false, isUnsigned: false, isPolicyNeeded: false },
  isExact: false,
  faults: [],
  baseUrl: null,
  unicodeDomain: null,
  sendsMail: false,
  hasLogo: true,
  mtaStsHosts: [],
  policy: 'none',
}

/** Days until a key that was replaced may be deleted. */
const KEY_REMOVAL_DAYS = 7

export function renderPlan(
  given: PlanInput,
): Pick<FixPlan, 'records' | 'steps' | 'rollout' | 'exports'> & { readonly earliestEnd: string } {
  const isPublished = isFirstStagePublished(given.rollout, given.planned)
  const rollout = withElapsedTime(given.rollout, isPublished)
  const plan = { ...NO_DETAILS, ...given, rollout }
  const { planned, zone, domain, now, unicodeDomain } = plan
  // A parking service has no DNS panel.
  const isParked = plan.host?.isParking ?? false
  const host = isParked ? null : plan.host
  const panel = host?.panel ?? GENERIC_PANEL
  const records = toPanelRecords(planned, zone, panel)
  const dates = stageDates(rollout, isPublished, now)
  const policyPlace = describePolicyPlace(rollout, zone)
  const panelName = host ? describePanel(host, panel, false) : 'your DNS host'
  const closing = closingSteps({ ...plan, host, dates, isPublished, policyPlace, panelName })
  const displayName = unicodeDomain ? `${unicodeDomain} (${domain})` : domain
  const isKnown = host !== null
  const steps = writeSteps({
    ...plan,
    panel,
    isKnown,
    records,
    host,
    displayName,
    isParked,
    closing,
    removalDate: addDays(now, KEY_REMOVAL_DAYS),
  })
  return {
    records: records.map(toPlanRecord),
    steps,
    rollout,
    exports: {
      zoneFile: formatZoneFile(records),
      terraform: host ? formatTerraform(records, zone, host.id) : null,
      calendar: formatCalendar(domain, listEvents(domain, rollout, records, dates, now), now),
    },
    earliestEnd: dates.get(rollout.length) ?? addDays(now, 0),
  }
}

/** The name of the record that the later stages change, if it is not in the zone of the domain. */
function describePolicyPlace([, next]: readonly RolloutStage[], zone: Zone): string | null {
  if (!next || nameRelativeToZone(next.record.name, zone) !== null) return null
  return next.record.name
}

/** Time counts only if mail is authenticated as it will be: reports on the past say little then. */
function isFirstStagePublished(
  [first]: readonly RolloutStage[],
  planned: readonly PlannedRecord[],
): boolean {
  const changes = planned.filter(
    ({ action, isLater, isOptional, isSpare, successorOf, isFirstKey }) =>
      action !== 'keep' && !isLater && !isOptional && !isSpare && (!successorOf || isFirstKey),
  )
  return !changes.some(
    ({ name, purpose }) =>
      purpose === 'spf' ||
      purpose === 'dkim' ||
      (purpose === 'dmarc' && name === first?.record.name),
  )
}

/** DNS does not show how long a record has been published, so the days are a condition. */
function withElapsedTime(rollout: readonly RolloutStage[], isPublished: boolean): RolloutStage[] {
  return rollout.map((stage) => {
    if (stage.stage !== 1 || !isPublished) return stage
    const elapsed = `It’s been at least ${stage.minimumDays} days since you published the stage 1 record.`
    return { ...stage, proceedWhen: [elapsed, ...stage.proceedWhen] }
  })
}

/** The earliest day of each stage. */
function stageDates(
  rollout: readonly RolloutStage[],
  isPublished: boolean,
  now: Date,
): Map<number, string> {
  return new Map(
    rollout.map(({ stage }) => [stage, addDays(now, daysUntilStage(rollout, stage, isPublished))]),
  )
}

function listEvents(
  domain: string,
  rollout: readonly RolloutStage[],
  records: readonly PanelRecord[],
  dates: ReadonlyMap<number, string>,
  now: Date,
): CalendarEvent[] {
  const stages = rollout.slice(1).map(({ stage, record, dashboard, rollback }) => ({
    id: `stage-${stage}`,
    date: dates.get(stage) ?? addDays(now, 0),
    title: `${domain}: DMARC stage ${stage} of ${rollout.length}`,
    text: [
      'Go ahead only if:',
      ...(rollout[stage - 2]?.proceedWhen ?? []).map((each) => `- ${each}`),
      dashboard
        ? `Then set this policy in ${dashboard.service}: "${record.value}"`
        : `Then publish: ${record.name} TXT "${record.value}"`,
      `If you lose legitimate mail: ${rollback}`,
    ].join('\n'),
  }))
  const removals = records
    .filter(({ isLater }) => isLater)
    .map(({ order, type, name, onlyIf }) => ({
      id: `remove-${order}`,
      date: addDays(now, KEY_REMOVAL_DAYS),
      title: `${domain}: delete the old DKIM key ${name.replace(/\._domainkey\..*$/, '')}`,
      text: [`Only if: ${onlyIf}`, `Delete the ${type} record at ${name}.`].join('\n'),
    }))
  return [...stages, ...removals]
}

export interface CalendarEvent {
  /** Unique within the calendar. */
  readonly id: string
  /** `2027-01-15`. */
  readonly date: string
  readonly title: string
  readonly text: string
}

/** Null without events. */
export function formatCalendar(
  domain: string,
  events: readonly CalendarEvent[],
  now: Date,
): string | null {
  if (events.length === 0) return null
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Mailgrade//Fix plan//EN',
    ...events.flatMap(({ id, date, title, text }) => [
      'BEGIN:VEVENT',
      `UID:${id}.${domain}@mailgrade`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`,
      `SUMMARY:${escapeText(title)}`,
      `DESCRIPTION:${escapeText(text)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return `${lines.map(foldLine).join('\r\n')}\r\n`
}

/** §3.3.11. */
function escapeText(text: string): string {
  return toVisibleText(text.replaceAll('\r\n', '\n'))
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

/** §3.1. */
const MAX_LINE_OCTETS = 75

/** A continued line starts with a space. Never splits a character. */
function foldLine(line: string): string {
  const folded: string[] = []
  let current = ''
  let octets = 0
  for (const character of line) {
    const size = utf8Octets(character)
    if (octets + size > MAX_LINE_OCTETS) {
      folded.push(current)
      current = ' '
      octets = 1
    }
    current += character
    octets += size
  }
  return [...folded, current].join('\r\n')
}

function utf8Octets(character: string): number {
  return character < '\x80' ? 1 : Buffer.byteLength(character)
}
