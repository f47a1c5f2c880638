import { expect, test } from 'vitest'
import { addressReportFromZone } from '../../../test/support/address-fixture.js'
import { summarizeAddress } from './check-address.js'

const MAIL = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
const NOT_PROBED = 'We didn’t verify the mailbox itself, because we don’t contact mail servers.'

test.each([
  ['ann@acme.test', MAIL, '“ann@acme.test” is ok: its domain accepts mail, and we found no risks.'],
  [
    'sales@acme.test',
    MAIL,
    '“sales@acme.test” is risky. The address belongs to a role, such as sales, not to a person.',
  ],
  [
    'ann@acme.test',
    'acme.test. MX 0 .',
    '“ann@acme.test” is undeliverable. The domain declares that it doesn’t accept mail.',
  ],
  [
    'ann@outloook.com',
    'outloook.com. MX 10 mx.outloook.com.\nmx.outloook.com. A 192.0.2.1',
    '“ann@outloook.com” is risky. The domain is one typo away from a large mailbox provider’s; see `suggestion`. Did you mean “ann@outlook.com”?',
  ],
  [
    'asdf@acme.test',
    MAIL,
    '“asdf@acme.test” is risky. The part before the @ looks like filler text, such as test or asdf.',
  ],
])('summarizes the report on %s', async (email, zone, text) => {
  const isDeliverable = !text.includes('undeliverable')
  expect(summarizeAddress(await addressReportFromZone(email, zone))).toBe(
    isDeliverable ? `${text} ${NOT_PROBED}` : text,
  )
})

test('says that a gateway may accept every address', async () => {
  const zone = MAIL.replaceAll('mx.acme.test', 'eu-smtp-inbound-1.mimecast.com')
  expect(summarizeAddress(await addressReportFromZone('ann@acme.test', zone))).toBe(
    `“ann@acme.test” is ok: its domain accepts mail, and we found no risks. ${NOT_PROBED} Mimecast receives the mail first and may accept every address, so contacting it wouldn’t verify the mailbox either.`,
  )
})
