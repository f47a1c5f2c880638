import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { findUnsafe } from '@mailgrade/testing/unsafe-characters'
import { expect, test } from 'vitest'
import { modernToolCall, postMcpMessage } from '../support/mcp-message.js'
import { createTestApp } from '../support/test-app.js'

test('a result has no unsafe character of a record, and is the same data', async () => {
  const app = createTestApp(
    zoneDns(`acme.test. MX 10 mx.acme.test.
_dmarc.acme.test. TXT "v=DMARC1; p=none; x=\\194\\155\\226\\128\\174"`),
  )
  const { message, headers } = modernToolCall('check_domain_email_security', {
    domain: 'acme.test',
  })
  const response = await postMcpMessage(app, message, headers)
  const json = await response.text()
  expect(findUnsafe(json)).toEqual([])
  const { dmarc } = JSON.parse(json).result.structuredContent
  expect(dmarc.record).toBe('v=DMARC1; p=none; x=\u009b\u202e')
})
