import type { Dns, FailureReason } from '@mailgrade/doh/dns'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { MAILBOX_PROVIDERS, SENDERS } from '../../src/catalog/mail-services.js'
import type { DomainName } from '../../src/names/domain-name.js'
import { type FixPlan, fixPlanSchema } from '../../src/reports/fix-plan/fix-plan-report.js'
import type { PlanOptions } from '../../src/reports/fix-plan/plan-context.js'
import { planDomain } from '../../src/reports/fix-plan/plan-domain.js'
import type { ZoneLine } from './random-zones.js'

interface PlanFixtureOptions {
  readonly domain?: string
  readonly failing?: Record<string, FailureReason>
  readonly options?: Partial<PlanOptions>
}

const NOW = new Date('2026-11-16T12:00:00Z')
const BASE_URL = 'https://mailgrade.test'

export async function runPlan(
  zone: string,
  { domain = 'acme.test', failing = {}, options = {} }: PlanFixtureOptions = {},
) {
  const dns = zoneDns(zone, failing)
  const checked = await planFor(dns, domain, options)
  return { checked, queries: dns.queries }
}

export async function planFromZone(
  zone: string,
  options: PlanFixtureOptions = {},
): Promise<FixPlan> {
  const { checked } = await runPlan(zone, options)
  if (checked.kind !== 'report') throw new Error(`no plan but ${checked.kind}`)
  fixPlanSchema.strict().parse(checked.report)
  return checked.report
}

function planFor(dns: Dns, domain: string, options: Partial<PlanOptions>) {
  let count = 0
  const random = { randomLabel: () => `made-up-${++count}` }
  return planDomain(dns, domain as DomainName, random, { now: NOW, baseUrl: BASE_URL, ...options })
}

/** One line a record: `create TXT acme.test v=spf1 …`. */
export function recordLines({ records }: FixPlan): string[] {
  return records.map(({ action, type, name, value }) => `${action} ${type} ${name} ${value}`)
}

type Planned = Pick<FixPlan['records'][number], 'action' | 'type' | 'name' | 'value' | 'replaces'>

/** What the owner fills in, by token. */
const PLACEHOLDER_VALUES: readonly (readonly [RegExp, string])[] = [
  // Differs from every key in the random zones.
  [/\{[a-z\d-]*public-key\}/g, `${SPKI[2048]}; n=new`],
  [/^\{[a-z\d-]*record(?:-\d+)?\}$/g, `v=DKIM1; k=rsa; p=${SPKI[2048]}; n=new`],
  [/\{report-mailbox\}/g, 'reports@reports.example'],
  // Of another company: an own server would be news to the next plan.
  [/\{your-senders\}/g, 'include:neutral.test'],
  [/\{[a-z\d-]*spf-host\}/g, 'neutral.test'],
  // A target that only the service knows.
  [/^(\d+ )?\{[a-z\d-]+\}$/g, '$1keeper.example'],
  [/(?<!%)\{[a-z\d-]+\}/g, 'filled'],
]

/** The zone after the plan: placeholders filled in, and keys published behind CNAMEs. */
export function applyPlan(zone: readonly ZoneLine[], records: readonly Planned[]): ZoneLine[] {
  return records.reduce<ZoneLine[]>((before, record) => applyRecord(before, record), [...zone])
}

function applyRecord(
  zone: readonly ZoneLine[],
  { action, type, name, value, replaces }: Planned,
): ZoneLine[] {
  const isAt = ({ owner, type: other, data }: ZoneLine, removed: string) =>
    owner === name && other === type && plain(type, data) === removed
  if (action === 'keep' || name.includes('{')) return [...zone]
  if (action === 'delete') return zone.filter((line) => !isAt(line, value))
  const others = zone.filter((line) => !replaces.some((old) => isAt(line, fillIn(old))))
  const filled = fillIn(type === 'CNAME' ? fillTarget(value) : value)
  if (type === 'TXT') {
    // A rollout stage may replace a CNAME; for records to publish now the plan deletes it first.
    const isStage = action === 'replace'
    const free = others.filter((line) => !isStage || line.owner !== name || line.type !== 'CNAME')
    return [...free, { owner: name, type, data: filled }]
  }
  const record = { owner: name, type, data: filled === '0 .' ? filled : `${filled}.` }
  const behind = type === 'CNAME' ? keyAt(filled) : serverAt(filled.replace(/^\d+ /, ''))
  const exists = others.some(({ owner }) => owner === behind.owner) || behind.owner === '.'
  return [...others, record, ...(exists ? [] : [behind])]
}

/** The host of a service for a target that only the service knows. */
function fillTarget(value: string): string {
  const service = [...MAILBOX_PROVIDERS, ...SENDERS].find(({ id }) => value.startsWith(`{${id}-`))
  const [host] = service?.dkimTargets ?? []
  return host && /^\{[a-z\d-]+\}$/.test(value) ? `filled.${host.replace('*', 'filled')}` : value
}

function keyAt(owner: string): ZoneLine {
  return { owner, type: 'TXT', data: `v=DKIM1; k=rsa; p=${SPKI[2048]}` }
}

function serverAt(owner: string): ZoneLine {
  return { owner, type: 'A', data: '192.0.2.1' }
}

function fillIn(value: string): string {
  return PLACEHOLDER_VALUES.reduce((text, [token, filling]) => text.replace(token, filling), value)
}

function plain(type: string, data: string): string {
  return type === 'TXT' || data === '0 .' ? data : data.replace(/\.$/, '')
}
