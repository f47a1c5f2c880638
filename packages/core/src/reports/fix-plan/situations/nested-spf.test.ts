/** Owners whose SPF record names its senders only behind a redirect or an include of their own. */
import { expect, test } from 'vitest'
import { changesOf, checkOf, planOf, streamOf } from '../../../../test/support/expert.js'
import { GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { HUBSPOT, signedCname } from '../../../../test/support/situation-zones.js'

const SENDERS = 'include:_spf.google.com include:1234567.spf04.hubspotemail.net -all'
const KEYS = ['1', '2']
  .map((number) =>
    signedCname(`hs${number}-1234567`, `acme-test.hs0${number}.dkim.hubspotemail.net`),
  )
  .join('\n')
const WORLD = `${ON_GOOGLE}${GOOGLE_KEY}${HUBSPOT}${KEYS}
  ${policy('p=quarantine')}
`

test.each([
  ['a redirect', spfLine('redirect=_spf.acme.test') + spfLine(SENDERS, '_spf.acme.test')],
  [
    'an include of its own',
    spfLine('include:spf.acme.test -all') + spfLine(SENDERS, 'spf.acme.test'),
  ],
  [
    'a redirect to the group, which redirects again',
    spfLine('redirect=_spf.group.test') +
      spfLine('ip4:203.0.113.7 redirect=_spf2.group.test', '_spf.group.test') +
      spfLine(SENDERS, '_spf2.group.test'),
  ],
])('HubSpot signs with the number of its include, which is behind %s', async (_, spf) => {
  expect(streamOf(await checkOf(WORLD + spf), 'hubspot').dkim).toBe('aligned')
  const plan = await planOf(WORLD + spf)
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(plan.warnings.map(({ id }) => id)).not.toContain('plan.selector-taken')
})

test('HubSpot’s names are taken by keys of HubSpot: no other selectors are asked for', async () => {
  const plan = await planOf(`${WORLD}
    ${spfLine('include:_spf.group.test -all')}${spfLine(SENDERS, '_spf.group.test')}`)
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(plan.warnings.map(({ id }) => id)).not.toContain('plan.selector-taken')
})
