/** What an expert for deliverability looks at in a check, a score and a plan. */
import type { Dns, FailureReason, RecordType } from '@mailgrade/doh/dns'
import { failed, toQueryMethod } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect } from 'vitest'
import type { DomainName } from '../../src/names/domain-name.js'
import { checkDomain } from '../../src/reports/check/check-domain.js'
import type { DomainReport } from '../../src/reports/check/domain-report.js'
import type { FixPlan, PlanRecord, PlanStep } from '../../src/reports/fix-plan/fix-plan-report.js'
import type { PlanOptions } from '../../src/reports/fix-plan/plan-context.js'
import { planDomain } from '../../src/reports/fix-plan/plan-domain.js'
import { scoreDomain } from '../../src/reports/score/score-domain.js'
import type { ScoreReport } from '../../src/reports/score/score-report.js'
import { dmarcTags } from './situation.js'

export type StepKind =
  | 'publish'
  | 'get-values'
  | 'turn-on-signing'
  | 'verify'
  | 'rollout'
  | 'remove'
  | 'monitor'

export interface ExpertStep extends PlanStep {
  readonly kind: StepKind
  /** The id of the stream that it is about. */
  readonly stream: string | null
  readonly when: 'today' | 'later' | 'optional'
  readonly notBefore: string | null
}

export interface ExpertPlan extends Omit<FixPlan, 'steps'> {
  readonly steps: readonly ExpertStep[]
}

export type ExpertCheck = DomainReport

type Stream = DomainReport['streams'][number]

interface World {
  readonly domain?: string
  /** Queries that fail, such as `TXT spf.vendor.test`. */
  readonly failing?: Readonly<Record<string, FailureReason>>
  /** The name servers of this name and all names below it don't answer. */
  readonly deadBelow?: string
}

type Answers = Partial<Pick<PlanOptions, 'uses' | 'unused' | 'rua' | 'selectors' | 'evidence'>>

export async function planOf(
  zone: string,
  { options = {}, domain = 'acme.test', ...world }: World & { readonly options?: Answers } = {},
): Promise<ExpertPlan> {
  const checked = await planDomain(dnsOf(zone, world), domain as DomainName, countingRandom(), {
    now: new Date('2026-11-16T09:00:00Z'),
    baseUrl: 'https://mailgrade.test',
    ...options,
  })
  if (checked.kind !== 'report') throw new Error(`no plan but ${checked.kind}`)
  const plan = as<ExpertPlan>(checked.report)
  const lost = plan.safety.tested.filter(
    ({ before, after }) => before === 'pass' && after !== before,
  )
  expect(lost, 'senders that lose their SPF pass').toEqual([])
  return plan
}

export async function checkOf(
  zone: string,
  { domain = 'acme.test', ...world }: World = {},
): Promise<ExpertCheck> {
  const checked = await checkDomain(dnsOf(zone, world), domain as DomainName, countingRandom())
  if (checked.kind !== 'report') throw new Error(`no check but ${checked.kind}`)
  return checked.report
}

export async function scoreOf(
  zone: string,
  { domain = 'acme.test', ...world }: World = {},
): Promise<ScoreReport> {
  const checked = await scoreDomain(dnsOf(zone, world), domain as DomainName, countingRandom())
  if (checked.kind !== 'report') throw new Error(`no score but ${checked.kind}`)
  return checked.report
}

function countingRandom() {
  let count = 0
  return { randomLabel: () => `made-up-${++count}` }
}

function dnsOf(zone: string, { failing, deadBelow }: Omit<World, 'domain'>): Dns {
  const dns = zoneDns(zone, failing)
  if (deadBelow === undefined) return dns
  const query = async (name: string, type: RecordType) =>
    name === deadBelow || name.endsWith(`.${deadBelow}`)
      ? failed('servfail', `${type} ${name} has no server`)
      : dns.query(name, type)
  return { query: toQueryMethod(query) }
}

/** For fields that the report's type doesn't have. */
export function as<T>(value: unknown): T {
  return value as T
}

export function streamOf(check: ExpertCheck, id: string): Stream {
  const found = check.streams.find((stream) => stream.id === id)
  if (!found) throw new Error(`no stream ${id} in ${JSON.stringify(check.streams)}`)
  return found
}

/** Whether a stream of this name is there at all. */
export function hasStream(check: ExpertCheck, id: string): boolean {
  return check.streams.some((stream) => stream.id === id)
}

/** `create TXT acme.test v=spf1 …` for each record that isn't kept, of one purpose or all. */
export function changesOf({ records }: ExpertPlan, purpose?: PlanRecord['purpose']): string[] {
  return records
    .filter((record) => record.action !== 'keep' && (!purpose || record.purpose === purpose))
    .map(({ action, type, name, value }) => `${action} ${type} ${name} ${value}`)
}

/** The SPF record that the plan leaves at a name. */
export function spfAt({ records, domain }: ExpertPlan, name: string = domain): PlanRecord {
  const found = records.find(
    (record) => record.purpose === 'spf' && record.name === name && record.action !== 'delete',
  )
  if (!found) throw new Error(`no SPF record at ${name}`)
  return found
}

/** The DMARC record that the plan leaves at a name. */
export function dmarcAt({ records, domain }: ExpertPlan, name = `_dmarc.${domain}`): PlanRecord {
  const found = records.find(
    (record) => record.type === 'TXT' && record.name === name && record.action !== 'delete',
  )
  if (!found) throw new Error(`no DMARC record at ${name}`)
  return found
}

export function stepsOf({ steps }: ExpertPlan, kind: StepKind, stream?: string): ExpertStep[] {
  return steps.filter((step) => step.kind === kind && (!stream || step.stream === stream))
}

/** The step that publishes or deletes a record. */
export function stepWith({ steps }: ExpertPlan, { order }: PlanRecord): ExpertStep {
  const found = steps.find(({ records }) => records.includes(order))
  if (!found) throw new Error(`no step for record ${order}`)
  return found
}

/** Everything that a step says. */
export function wordsOf(steps: readonly ExpertStep[]): string {
  return steps
    .flatMap(({ title, where, actions, verify }) => [title, where, ...actions, verify.text])
    .join('\n')
}

export interface Policies {
  readonly domain: string
  readonly subdomains: string
  readonly testing: boolean
}

/** What each stage asks for, at the domain and below it. */
export function stagesOf({ rollout }: ExpertPlan): Policies[] {
  return rollout.map(({ record }) => policiesIn(record.value))
}

export function policiesIn(value: string): Policies {
  const { p = 'none', sp = p, t } = dmarcTags(value)
  return { domain: p, subdomains: sp, testing: t === 'y' }
}

/** Every DMARC value that the plan asks to publish, at any time. */
export function dmarcValues({ records, rollout }: ExpertPlan): string[] {
  const now = records.filter(({ purpose, action }) => purpose === 'dmarc' && action !== 'delete')
  return [...now.map(({ value }) => value), ...rollout.map(({ record }) => record.value)]
}

/** The condition of each change, stage and rollout step that can cost the mail of one stream. */
export function rolloutConditions({ steps }: ExpertPlan): (string | null)[] {
  return steps.filter(({ kind }) => kind === 'rollout').map(({ onlyIf }) => onlyIf)
}

/** Records that vanish without a question. */
export function unconditionalDeletes({ records }: ExpertPlan): string[] {
  return records
    .filter(({ action, onlyIf }) => action === 'delete' && onlyIf === null)
    .map(({ type, name }) => `${type} ${name}`)
}

/** Warnings that come before everything else and name a service. */
export function severeWarnings({ warnings }: ExpertPlan, service: string): string[] {
  return warnings
    .filter(({ severity }) => severity === 'critical' || severity === 'high')
    .filter(({ title, detail }) => `${title} ${detail}`.includes(service))
    .map(({ id }) => id)
}

/** Whether the plan asks the owner to start signing at a service before any stage begins. */
export function signsBeforeRollout({ steps }: ExpertPlan, stream: string): boolean {
  const signing = steps.find((step) => step.kind === 'turn-on-signing' && step.stream === stream)
  const rollout = steps.find(({ kind }) => kind === 'rollout')
  return signing !== undefined && (!rollout || signing.order < rollout.order)
}

/** Steps of today without those that only some owners want. */
export function urgentSteps({ steps }: ExpertPlan): ExpertStep[] {
  return steps.filter(({ when }) => when === 'today')
}
