/** Owners of Brevo’s first key, at `mail`, a selector that own servers use, too. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { checkOf, planOf, streamOf } from '../../../../test/support/expert.js'
import { GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { ON_GOOGLE } from '../../../../test/support/service-zones.js'

const TOKEN = 'acme.test. TXT "brevo-code:9f1b7c2e4d6a8890b1c2d3e4f5a60718"'
const KEY = txtZoneLine('mail._domainkey.acme.test', `v=DKIM1; k=rsa; p=${SPKI[1024]}`)

const zone = (spf = '') =>
  `${ON_GOOGLE}${GOOGLE_KEY}${TOKEN}
    ${KEY}${spfLine(`${spf}include:_spf.google.com ~all`)}${policy('p=none')}`

const keyAt = async (text: string, options = {}) => {
  const plan = await planOf(text, { options })
  return plan.records.find(({ name }) => name === 'mail._domainkey.acme.test')
}

test('where no server of the owner sends, the key is Brevo’s and goes once it signs anew', async () => {
  for (const options of [{}, { uses: ['brevo'] }]) {
    const key = await keyAt(zone(), options)
    expect(key).toMatchObject({ service: 'brevo', action: 'delete' })
    expect(key?.onlyIf).toContain('Brevo')
    expect(key?.onlyIf).toContain('brevo1')
    expect(key?.why).not.toContain('None of the services')
  }
  expect(streamOf(await checkOf(zone()), 'brevo').dkim).toBe('aligned')
})

test('an owner who names Brevo gets its keys', async () => {
  const plan = await planOf(zone().replace(TOKEN, ''), { options: { uses: ['brevo'] } })
  const created = plan.records.filter(({ action }) => action === 'create').map(({ name }) => name)
  expect(created).toEqual(
    expect.arrayContaining(['brevo1._domainkey.acme.test', 'brevo2._domainkey.acme.test']),
  )
})

test('a server in SPF may sign with it, so it isn’t Brevo’s', async () => {
  const key = await keyAt(zone('ip4:203.0.113.9 '), { uses: ['brevo'] })
  expect(key?.service).not.toBe('brevo')
})
