/** Owners of a website whose contact form may send as the domain; DNS can't say. */
import { expect, test } from 'vitest'
import {
  dmarcAt,
  type ExpertPlan,
  planOf,
  policiesIn,
  rolloutConditions,
  spfAt,
  stepWith,
} from '../../../../test/support/expert.js'
import { GOOGLE_DONE, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE } from '../../../../test/support/service-zones.js'
import { AT_NAMECHEAP } from '../../../../test/support/situation-zones.js'

const WEBSITE = `${AT_CLOUDFLARE}
  acme.test. A 192.0.2.80
  www.acme.test. A 192.0.2.80
`

/** What must be true for each change that a form's mail would not survive. */
function conditionsOfForm(plan: ExpertPlan): (string | null)[] {
  const spf = spfAt(plan)
  const dmarc = dmarcAt(plan)
  const locks = policiesIn(dmarc.value).domain !== 'none'
  return [
    ...(spf.action === 'keep' ? [] : [spf.onlyIf, stepWith(plan, spf).onlyIf]),
    ...(locks && dmarc.action !== 'keep' ? [dmarc.onlyIf, stepWith(plan, dmarc).onlyIf] : []),
    ...rolloutConditions(plan),
  ]
}

test('a website without any mail record: who skips the SPF step skips the policy too', async () => {
  const plan = await planOf(WEBSITE)
  const spf = spfAt(plan)
  const dmarc = dmarcAt(plan)
  expect(spf.value).toBe('v=spf1 -all')
  expect(policiesIn(dmarc.value).domain).toBe('reject')
  expect(spf.onlyIf).not.toBeNull()
  expect(dmarc.onlyIf).toContain(spf.onlyIf)
  expect(stepWith(plan, dmarc).onlyIf).toBe(dmarc.onlyIf)
})

test('the null MX refuses replies only and doesn’t depend on the form', async () => {
  const plan = await planOf(WEBSITE)
  const mx = plan.records.find(({ type }) => type === 'MX')
  expect(mx?.onlyIf).not.toBe(spfAt(plan).onlyIf)
})

test('the same website with an address over IPv6 only has the same doubt', async () => {
  const plan = await planOf(`${AT_NAMECHEAP}
    acme.test. AAAA 2001:db8::80`)
  expect(spfAt(plan).onlyIf).not.toBeNull()
  expect(dmarcAt(plan).onlyIf).toContain(spfAt(plan).onlyIf)
})

test('a website in monitoring mode: the stricter record has the form’s condition', async () => {
  const plan = await planOf(`${WEBSITE}${policy('p=none')}`)
  const conditions = conditionsOfForm(plan)
  expect(conditions.length).toBeGreaterThan(1)
  const [first] = conditions
  expect(first).toEqual(expect.any(String))
  for (const condition of conditions) expect(condition).toContain(first)
})

test('a website under quarantine: reject has the condition that SPF has', async () => {
  const plan = await planOf(`${WEBSITE}${policy('p=quarantine')}`)
  const [first, ...others] = conditionsOfForm(plan)
  expect(first).toEqual(expect.any(String))
  for (const condition of others) expect(condition).toContain(first)
})

test('the website’s server in SPF under reject: SPF, policy and stages keep one condition', async () => {
  const plan = await planOf(`${WEBSITE}${spfLine('a -all')}${policy('p=reject')}`)
  expect(spfAt(plan).value).toContain(' a ')
  const conditions = plan.records
    .filter(({ action, purpose }) => action !== 'keep' && /^(?:spf|dmarc)$/.test(purpose))
    .map(({ onlyIf }) => onlyIf)
  expect(new Set([...conditions, ...rolloutConditions(plan)]).size).toBeLessThanOrEqual(1)
})

test('a form’s condition is in the zone file and in Terraform at each record', async () => {
  const { exports, records } = await planOf(WEBSITE)
  const spf = records.find(({ purpose }) => purpose === 'spf')
  const condition = spf?.onlyIf ?? 'no condition'
  for (const text of [exports.zoneFile, exports.terraform ?? '']) {
    expect(text.split(condition).length - 1).toBeGreaterThanOrEqual(2)
  }
})

test('mailboxes at Google settle who sends, so no record waits for an answer about forms', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=none')}
    acme.test. A 192.0.2.80`)
  const required = plan.records.filter(({ action, optional }) => action !== 'keep' && !optional)
  expect(required.filter(({ onlyIf }) => onlyIf !== null)).toEqual([])
})
