/** A realistic situation: a zone, what an expert expects of its plan, and what holds for every plan. */
import { ED25519, ED25519_SPKI, PKCS1, SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { MAILBOX_PROVIDERS } from '../../src/catalog/mail-services.js'
import type { DomainName } from '../../src/names/domain-name.js'
import {
  type FixPlan,
  fixPlanSchema,
  type PlanRecord,
} from '../../src/reports/fix-plan/fix-plan-report.js'
import type { PlanOptions } from '../../src/reports/fix-plan/plan-context.js'
import { planDomain } from '../../src/reports/fix-plan/plan-domain.js'
import { recordLines } from './plan-fixture.js'

interface Situation {
  readonly name: string
  /** The expectation in words; it is part of the test title. */
  readonly expert: string
  readonly zone: string
  readonly domain?: string
  readonly options?: Pick<PlanOptions, 'uses' | 'unused' | 'rua' | 'selectors'>
  /** A key that no record of the plan shows: below the domain, or at an unknown selector. */
  readonly signsElsewhere?: true
  readonly expect: (plan: FixPlan) => void
}

export function situation({ name, expert, ...given }: Situation): void {
  test(`${name}. ${expert}`, async () => {
    const plan = await planSituation(given)
    checkInvariants(plan, given)
    given.expect(plan)
  })
}

type Given = Pick<Situation, 'zone' | 'domain' | 'options' | 'signsElsewhere'>

async function planSituation({ zone, domain = 'acme.test', options }: Given): Promise<FixPlan> {
  let count = 0
  const random = { randomLabel: () => `made-up-${++count}` }
  const checked = await planDomain(zoneDns(zone), domain as DomainName, random, {
    ...options,
    baseUrl: 'https://mailgrade.test',
    now: new Date('2026-11-16T09:00:00Z'),
  })
  if (checked.kind !== 'report') throw new Error(`no plan but ${checked.kind}`)
  fixPlanSchema.strict().parse(checked.report)
  return checked.report
}

/** The lines of all records that are not kept. */
export function changes(plan: FixPlan): string[] {
  return recordLines({ ...plan, records: plan.records.filter(({ action }) => action !== 'keep') })
}

/** Like `changes`, for one purpose. */
export function changesFor(plan: FixPlan, purpose: PlanRecord['purpose']): string[] {
  const records = plan.records.filter((record) => record.purpose === purpose)
  return changes({ ...plan, records })
}

export function recordAt(plan: FixPlan, name: string, type = 'TXT'): PlanRecord {
  const found = plan.records.find(
    (record) => record.name === name && record.type === type && record.action !== 'delete',
  )
  if (!found) throw new Error(`no ${type} record at ${name} in:\n${recordLines(plan).join('\n')}`)
  return found
}

export function spfOf(plan: FixPlan): PlanRecord {
  const found = plan.records.find(({ purpose, name }) => purpose === 'spf' && name === plan.domain)
  if (!found) throw new Error('no SPF record in the plan')
  return found
}

export function titles({ steps }: FixPlan): string[] {
  return steps.map(({ title }) => title)
}

/** The titles of the steps that are not optional. */
export function requiredTitles({ steps }: FixPlan): string[] {
  return steps.filter(({ optional }) => !optional).map(({ title }) => title)
}

export function stepNamed(plan: FixPlan, part: string): FixPlan['steps'][number] {
  const found = plan.steps.find(({ title }) => title.includes(part))
  if (!found) throw new Error(`no step "${part}" in:\n${titles(plan).join('\n')}`)
  return found
}

export function warningIds({ warnings }: FixPlan): string[] {
  return warnings.map(({ id }) => id)
}

/** `google yes signed`, one line a sender. */
export function senderLines({ senders }: FixPlan): string[] {
  const words = { yes: 'signed', no: 'unsigned', unknown: 'unknown' }
  return senders.map(({ id, inUse, signs }) => `${id} ${inUse} ${words[signs]}`)
}

/** The stages as `none`, `quarantine test`, `quarantine`, `reject test`, `reject`. */
export function ladder({ rollout }: FixPlan): string[] {
  return rollout.map(({ record }) => {
    const { p = '', t } = dmarcTags(record.value)
    return t === 'y' ? `${p} test` : p
  })
}

export const FULL_LADDER = ['none', 'quarantine test', 'quarantine', 'reject test', 'reject']

/** `v=DMARC1; p=none` as `{v: 'DMARC1', p: 'none'}`. */
export function dmarcTags(value: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    value.split(';').flatMap((tag) => {
      const [name = '', ...rest] = tag.split('=')
      return name.trim() === '' ? [] : [[name.trim(), rest.join('=').trim()]]
    }),
  )
}

function checkInvariants(plan: FixPlan, given: Given): void {
  keepsEveryPass(plan)
  rejectsOnlySignedMail(plan, given)
  namesPlaceholdersByService(plan)
  repeatsConditions(plan)
  authorizesSomeone(plan)
  keepsRelaxedAlignment(plan, given.zone)
  keepsLiveKeys(plan)
  mentionsEveryChange(plan)
  tightensOnly(plan)
  explainsPlaceholders(plan)
  agreesWithItself(plan)
}

function keepsEveryPass({ safety }: FixPlan): void {
  const lost = safety.tested.filter(({ before, after }) => before === 'pass' && after !== 'pass')
  expect(lost, 'senders that lose their SPF pass').toEqual([])
}

/** Without `dkim`, which own mail servers use as well. */
const FORWARDER_SELECTORS = new Set(
  MAILBOX_PROVIDERS.filter(({ kind }) => kind === 'forwarder')
    .flatMap(({ selectors }) => selectors)
    .filter((selector) => selector !== 'dkim'),
)

function isSigningKey({ purpose, action, name, value }: PlanRecord): boolean {
  const selector = name.slice(0, name.indexOf('._domainkey'))
  const isRevoked = /\bp=\s*(?:;|$)/.test(value)
  return (
    purpose === 'dkim' && action !== 'delete' && !isRevoked && !FORWARDER_SELECTORS.has(selector)
  )
}

function rejectsOnlySignedMail(plan: FixPlan, { signsElsewhere }: Given): void {
  const { records, rollout, sendsMail } = plan
  const hasKey = signsElsewhere || records.some(isSigningKey)
  if (!sendsMail || hasKey || warningIds(plan).includes('plan.no-sender-seen')) return
  const published = records.filter(
    ({ purpose, name, action }) =>
      purpose === 'dmarc' && name.startsWith('_dmarc.') && action !== 'delete',
  )
  const isRejecting = (value: string) => dmarcTags(value).p === 'reject'
  const wasRejecting = published.some(
    ({ action, value, replaces }) =>
      isRejecting(value) && (action === 'keep' || replaces.some(isRejecting)),
  )
  if (wasRejecting) return
  const values = [...published, ...rollout.map(({ record }) => record)].map(({ value }) => value)
  expect(values.filter(isRejecting), 'p=reject without a DKIM key').toEqual([])
}

function namesPlaceholdersByService({ records }: FixPlan): void {
  const owners = new Map<string, Set<string>>()
  for (const { placeholders, service, purpose } of records) {
    for (const { token, whereToFind } of placeholders) {
      owners.set(token, (owners.get(token) ?? new Set()).add(service ?? purpose))
      expect(whereToFind, `where to find ${token}`).not.toBe('')
    }
  }
  const shared = [...owners].filter(([, services]) => services.size > 1)
  expect(shared, 'placeholders shared by services').toEqual([])
  const named = records.flatMap(({ name, value, placeholders }) => {
    const tokens = `${name} ${value}`.match(/(?<!%)\{[a-z\d-]+\}/gi) ?? []
    return tokens.filter((token) => !placeholders.some((each) => each.token === token))
  })
  expect(named, 'tokens without an explanation').toEqual([])
}

function repeatsConditions({ records, exports, steps }: FixPlan): void {
  const conditions = records.flatMap(({ onlyIf, order }) => (onlyIf ? [{ onlyIf, order }] : []))
  for (const { onlyIf, order } of conditions) {
    expect(exports.zoneFile).toContain(onlyIf)
    if (exports.terraform !== null) expect(exports.terraform).toContain(onlyIf)
    const step = steps.find((each) => each.records.includes(order))
    expect(step?.onlyIf, `the condition of record ${order} in its step`).toContain(onlyIf)
  }
}

function authorizesSomeone({ records, sendsMail, domain }: FixPlan): void {
  const spf = records.find(({ purpose, name }) => purpose === 'spf' && name === domain)
  if (!sendsMail || !spf || spf.action === 'keep') return
  const terms = spf.value.split(' ').filter((term) => !/^v=spf1$|^[+?~-]?all$/i.test(term))
  expect(terms.length, `senders in "${spf.value}"`).toBeGreaterThan(0)
}

function keepsRelaxedAlignment({ records, rollout }: FixPlan, zone: string): void {
  const values = [...records, ...rollout.map(({ record }) => record)].map(({ value }) => value)
  for (const tag of ['adkim', 'aspf']) {
    const isStrict = (text: string) => new RegExp(`\\b${tag}=s\\b`).test(text)
    if (!isStrict(zone)) expect(values.filter(isStrict), `new ${tag}=s`).toEqual([])
  }
}

const LIVE_KEYS: ReadonlySet<string> = new Set([
  ...Object.values(SPKI),
  ...Object.values(PKCS1),
  ED25519,
  ED25519_SPKI,
])

function keepsLiveKeys({ records }: FixPlan): void {
  const keyIn = (value: string) => /\bp=([^;]*)/.exec(value)?.[1]?.trim() ?? ''
  const overwritten = records
    .filter(({ purpose }) => purpose === 'dkim')
    .flatMap(({ value, replaces }) => replaces.map((old) => ({ old: keyIn(old), value })))
    .filter(({ old, value }) => LIVE_KEYS.has(old) && keyIn(value) !== old)
  expect(overwritten, 'live keys that are overwritten').toEqual([])
  const deleted = records.filter(
    ({ purpose, action, value, onlyIf }) =>
      purpose === 'dkim' && action === 'delete' && LIVE_KEYS.has(keyIn(value)) && onlyIf === null,
  )
  expect(deleted, 'live keys that are deleted at once').toEqual([])
}

/** Each change is in exactly one step, and in the zone file. */
function mentionsEveryChange({ records, steps, exports }: FixPlan): void {
  const changed = records.filter(({ action }) => action !== 'keep')
  const inSteps = steps.flatMap((step) => step.records)
  expect([...inSteps].sort((one, other) => one - other)).toEqual(changed.map(({ order }) => order))
  for (const { name } of changed) expect(exports.zoneFile).toContain(name)
  expect(steps.filter(({ actions }) => actions.length === 0)).toEqual([])
}

/** A step says where each value comes from, before or where it is entered. */
function explainsPlaceholders({ records, steps }: FixPlan): void {
  for (const { order, placeholders } of records) {
    const last = steps.findIndex((step) => step.records.includes(order))
    const actions = steps.slice(0, last + 1).flatMap((step) => step.actions)
    const unexplained = placeholders.filter(
      ({ token }) =>
        !actions.some(
          (action) => /^(?:In the next step|Fill in)\b/.test(action) && action.includes(token),
        ),
    )
    expect(unexplained, 'values that no step explains').toEqual([])
  }
}

/** Links to checks are complete, and no warning contradicts the last stage. */
function agreesWithItself({ steps, rollout, warnings, domain }: FixPlan): void {
  for (const { verify } of steps) {
    const selector = verify.url && new URL(verify.url).searchParams.get('selector')
    if (selector) expect(selector, verify.url ?? '').not.toContain(domain.slice(0, -1))
  }
  const last = dmarcTags(rollout.at(-1)?.record.value ?? '')
  const ids = warnings.map(({ id }) => id)
  if (last.p === 'reject') expect(ids).not.toContain('dmarc.reject-without-dkim')
}

const STRENGTH = ['none', 'quarantine', 'reject']

function tightensOnly({ rollout }: FixPlan): void {
  const levels = rollout.map(({ record }) => STRENGTH.indexOf(dmarcTags(record.value).p ?? ''))
  expect(levels, 'the policies of the stages').toEqual([...levels].sort())
  for (const { record } of rollout.slice(1)) {
    const { t, pct } = dmarcTags(record.value)
    // Receivers that do not know `t=y` still read `pct`.
    if (t === 'y') expect(pct, record.value).toBe('0')
  }
}
