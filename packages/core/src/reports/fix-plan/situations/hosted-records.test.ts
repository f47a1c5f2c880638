/** Owners whose records another company keeps for them. */
import { expect, test } from 'vitest'
import {
  changesOf,
  type ExpertPlan,
  planOf,
  spfAt,
  stepsOf,
  wordsOf,
} from '../../../../test/support/expert.js'
import { GOOGLE_DONE, GOOGLE_KEY, spfLine } from '../../../../test/support/expert-zones.js'
import { MICROSOFT, ON_GOOGLE } from '../../../../test/support/service-zones.js'

const EASYDMARC = '_dmarc.acme_test._d.dmarcprotect.me'
const SENDMARC = '_san0y8lcc.sdmarc.net'

function hostedAt(target: string, tags: string): string {
  return `_dmarc.acme.test. CNAME ${target}.
    ${target}. TXT "v=DMARC1; ${tags}; rua=mailto:d@acme.test"`
}

/** The owner changes the policy at the host of the record, never beside its CNAME. */
function expectDashboard(plan: ExpertPlan, host: string): void {
  const atDmarc = plan.records.filter(
    ({ name, action }) => name === '_dmarc.acme.test' && action !== 'keep',
  )
  expect(atDmarc).toEqual([])
  const rollout = stepsOf(plan, 'rollout')
  expect(rollout.length).toBeGreaterThan(0)
  expect(rollout.flatMap(({ records }) => records)).toEqual([])
  expect(wordsOf(rollout)).toContain(host)
}

test('EasyDMARC hosts the policy none: each stage is set in its dashboard', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${hostedAt(EASYDMARC, 'p=none')}`)
  expectDashboard(plan, 'EasyDMARC')
  expect(plan.rollout.at(-1)?.record.value).toContain('p=reject')
})

test('Sendmarc hosts the policy quarantine: the last stages are set in its dashboard', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${hostedAt(SENDMARC, 'p=quarantine')}`)
  expectDashboard(plan, 'Sendmarc')
})

test('Valimail has _dmarc delegated to it: no record there could reach anyone', async () => {
  const plan = await planOf(`${GOOGLE_DONE}
    _dmarc.acme.test. NS ns.vali.email.
    _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:dmarc_agg@vali.email"
    acme.test._report._dmarc.vali.email. TXT "v=DMARC1"
    vali.email. MX 10 mx.vali.email.
    mx.vali.email. A 198.51.100.25`)
  expectDashboard(plan, 'Valimail')
})

test('a hosted policy that rejects already needs no step and no record', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${hostedAt(EASYDMARC, 'p=reject')}`)
  expect(changesOf(plan, 'dmarc')).toEqual([])
  expect(stepsOf(plan, 'rollout')).toEqual([])
  expect(plan.rollout).toEqual([])
})

test('a hosted policy isn’t exported as a zone file line of the owner', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${hostedAt(SENDMARC, 'p=none')}`)
  expect(plan.exports.zoneFile).not.toMatch(/^_dmarc\S*\s+.*TXT\s+"v=DMARC1/m)
  if (plan.exports.terraform) expect(plan.exports.terraform).not.toContain('v=DMARC1; p=')
})

test('OnDMARC’s dynamic SPF stays an include and is never written out', async () => {
  const host = '_u.acme.test._spf.smart.ondmarc.com'
  const plan = await planOf(`${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}
    ${spfLine(`include:${host} ~all`)}
    ${host}. TXT "v=spf1 ip4:203.0.113.0/28 exists:%{i}._i.acme.test._spf.smart.ondmarc.com ~all"
    ${hostedAt('acme.test._dmarc.smart.ondmarc.com', 'p=none')}`)
  expect(spfAt(plan).value).toContain(`include:${host}`)
  expect(spfAt(plan).value).not.toContain('ip4:203.0.113.0/28')
})
