import { isPaid, type PaidOperation } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { score } from '@mailgrade/operations/score'
import { expect, test } from 'vitest'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'
import { createDemoSample } from '../demo/demo-dns.js'
import { createSitePages } from './site-pages.js'

const site = createSitePages(
  { ...testServiceInfo(), operations: OPERATIONS, assets: '/assets/x' },
  { documented: new Map(), sample: await createDemoSample()() },
)
const settlement = {
  success: true,
  transaction: '0xabc',
  network: 'eip155:8453',
  payer: '0x1',
} as const

test('shows a report without a view as JSON, with the receipt', () => {
  if (!isPaid(score)) throw new Error('the score has no price')
  const operation: PaidOperation = { ...score, id: 'without-view' }
  const report = JSON.stringify({
    domain: 'acme.test',
    score: 7,
    note: '<b>\u202e',
    meta: { checkedAt: '2026-01-02T03:04:05.678Z' },
  })
  expect(() => site.deliveredReport({ operation, report, settlement })).toThrow(
    'without-view has no view',
  )
  const html = site.deliveredReportJson({ operation, report, settlement })
  expect(html).toContain('data-report="without-view"')
  expect(html).toContain('&quot;score&quot;: 7')
  expect(html).toContain('&lt;b&gt;⟨U+202E⟩')
  expect(html).toContain('2026-01-02 03:04 UTC. Paid 0.01 USD, transaction')
  expect(html).toContain('https://basescan.org/tx/0xabc')
})

test('says that a paid report is about the domain behind a www. name', () => {
  if (!isPaid(score)) throw new Error('the score has no price')
  const report = JSON.stringify({
    domain: 'acme.test',
    requested: 'www.acme.test',
    meta: { checkedAt: '2026-01-02T03:04:05.678Z' },
  })
  const html = site.deliveredReportJson({ operation: score, report, settlement })
  expect(html).toContain('You entered www.acme.test. This is the report for acme.test.')
  expect(html).toContain('href="/reports/score?domain=www.acme.test&amp;exact=true"')
})
