import { expect, test } from 'vitest'
import { addressReportFromZone } from '../../../test/support/address-fixture.js'
import { summarizeAddress } from './check-address.js'

const MAIL = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
const NOT_PROBED = 'No mail server was asked, so whether the mailbox exists is not known.'

test.each([
  [
    'ann@acme.test',
    MAIL,
    'ann@acme.test is ok: its domain takes mail, and nothing speaks against the address.',
  ],
  [
    'sales@acme.test',
    MAIL,
    'sales@acme.test is risky. The address belongs to a function, such as sales, and not to one person.',
  ],
  [
    'ann@acme.test',
    'acme.test. MX 0 .',
    'ann@acme.test is undeliverable. The domain declares that it accepts no mail.',
  ],
  [
    'ann@outloook.com',
    'outloook.com. MX 10 mx.outloook.com.\nmx.outloook.com. A 192.0.2.1',
    'ann@outloook.com is risky. The domain is one slip away from a large mailbox provider; see `suggestion`. Probably meant: ann@outlook.com.',
  ],
])('%s', async (email, zone, words) => {
  const isProbable = !words.includes('undeliverable')
  expect(summarizeAddress(await addressReportFromZone(email, zone))).toBe(
    isProbable ? `${words} ${NOT_PROBED}` : words,
  )
})
