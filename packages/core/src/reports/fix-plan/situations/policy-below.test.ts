/** Owners of a subdomain with a DMARC record of its own, which overrides that of the domain. */
import { expect, test } from 'vitest'
import { type ExpertPlan, planOf, stepsOf, wordsOf } from '../../../../test/support/expert.js'
import { GOOGLE_DONE, policy, SIGNED_BELOW } from '../../../../test/support/expert-zones.js'

const zone = (own: string, tags = 'p=reject') =>
  `${GOOGLE_DONE}${SIGNED_BELOW}${policy(tags)}
   _dmarc.mg.acme.test. TXT "v=DMARC1; ${own}"`

const warning = ({ warnings }: ExpertPlan) => warnings.find(({ id }) => id === 'plan.policy-below')

test('a subdomain with p=none under reject can be forged, and no one gets reports on it', async () => {
  const plan = await planOf(zone('p=none'))
  expect(warning(plan)?.title).toContain('mg.acme.test')
  const said = wordsOf(stepsOf(plan, 'verify'))
  expect(said).toContain('rua=')
  expect(said).toContain('_dmarc.mg.acme.test')
  expect(plan.summary).not.toContain('don’t need to change anything today')
})

test('with reports of its own, only the policy is left to tighten or to delete', async () => {
  const plan = await planOf(zone('p=none; rua=mailto:mg@acme.test'))
  expect(warning(plan)?.fix).not.toContain('rua=')
  expect(warning(plan)?.fix).toContain('delete')
})

test('a stage that tightens the domain’s policy doesn’t reach it either', async () => {
  expect(warning(await planOf(zone('p=none', 'p=none')))).toBeDefined()
})

test('a policy that is as strict is right', async () => {
  for (const tags of ['p=reject', 'p=reject; rua=mailto:mg@acme.test']) {
    expect(warning(await planOf(zone(tags)))).toBeUndefined()
  }
})
