/** The pages of paid reports: the offer, the sample, and the report with its receipt. */

import { emailCheck } from '@mailgrade/operations/email-check'
import { fixPlan } from '@mailgrade/operations/fix-plan'
import { isPaid, type Operation } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { score } from '@mailgrade/operations/score'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createDemoReports, createDemoSample } from '../../src/demo/demo-dns.js'
import { createSitePages } from '../../src/web/site-pages.js'
import { planZone } from '../support/plan-fixtures.js'
import { testServiceInfo } from '../support/service-info-fixture.js'
import { createTestApp } from '../support/test-app.js'

const BROWSER = { accept: 'text/html' }
const app = createTestApp(zoneDns('acme.test. TXT "v=spf1 -all"'))
const sample = await createDemoSample()()
const NOW = new Date('2027-03-01T12:00:00Z')

const readPage = async (path: string) => (await app.get(path, BROWSER)).text()

const toText = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')

function render(operation: Operation, report: object, isSandbox = false): string {
  if (!isPaid(operation)) throw new Error(`${operation.id} has no price`)
  const site = { ...testServiceInfo(), isSandbox, operations: OPERATIONS, assets: '/assets/x' }
  const pages = createSitePages(site, { documented: new Map(), sample })
  const settlement = {
    success: true,
    transaction: '0xabc',
    network: 'eip155:8453',
    payer: '0x1',
  } as const
  const meta = { checkedAt: NOW.toISOString() }
  const json = JSON.stringify({ ...report, meta })
  return pages.deliveredReport({ operation, report: json, settlement })
}

const makeReport = async (operation: Operation, example: Record<string, string>) =>
  createDemoReports('https://mailgrade.example')({ ...operation, example }, NOW)

describe('the offer', () => {
  test.each([
    ['fix-plan', 'Fix plan', '1.00', 'You get every DNS record to publish, change, or delete'],
    ['score', 'Score', '0.01', 'You get a score from 0 to 100 and a grade'],
    ['email-check', 'Email check', '0.01', 'so we can’t see whether the mailbox exists.'],
  ])('%s says what it is, what it costs and when nothing is charged', async (...row) => {
    const [path, name, price, contents] = row
    const html = await readPage(`/reports/${path}`)
    expect(html).toContain(`<h1 id="offer">${name}</h1>`)
    expect(html).toMatch(`<title>${name}`)
    const text = toText(html)
    expect(text).toContain(contents)
    expect(text).toContain(
      `You pay ${price} USD once and don’t need an account. If we can’t make the report, for example because DNS doesn’t answer, you won’t be charged.`,
    )
  })

  test('lets people choose services by name, and sends their ids', async () => {
    const path = '/reports/fix-plan?domain=acme.test&uses=mailchimp&uses=sendgrid&unused=hubspot'
    const response = await app.get(path, BROWSER)
    const html = await response.text()
    expect(response.status).toBe(402)
    expect(html).toContain('<summary>Tell us more for a better plan (optional)</summary>')
    const chosen = [...html.matchAll(/<select name="(\w+)"[\s\S]*?<\/select>/g)].map(
      ([options, name]) => [
        name,
        ...[...options.matchAll(/<option value="([\w-]+)" selected="">([^<]+)</g)].map((option) =>
          option.slice(1).join(': '),
        ),
      ],
    )
    expect(chosen).toEqual([
      ['uses', 'mailchimp: Mailchimp', 'sendgrid: Twilio SendGrid'],
      ['unused', 'hubspot: HubSpot'],
    ])
    expect(html).toContain('uses=mailchimp&amp;uses=sendgrid&amp;unused=hubspot')
  })

  test('lists may be repeated, and what is no list may not', async () => {
    const path = '/v1/fix-plan?domain=acme.test&uses=mailchimp&uses=sendgrid&rua=a@acme.test'
    expect((await app.get(path)).status).toBe(402)
    const response = await app.get(`${path}&rua=b@acme.test`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      detail: 'You sent the parameter rua twice. Send it once.',
    })
  })
})

describe('the sample', () => {
  test('is dated today, and again tomorrow', async () => {
    let time = NOW.getTime()
    const dated = createTestApp(zoneDns(''), { wallClock: () => time })
    const read = async () =>
      toText(await (await dated.get('/reports/fix-plan/sample', BROWSER)).text())
    expect(await read()).toContain(
      'Stage 3: failing mail goes to spam (2027-03-08 at the earliest)',
    )
    time += 86_400_000
    expect(await read()).toContain(
      'Stage 3: failing mail goes to spam (2027-03-09 at the earliest)',
    )
  })

  test('is named after the report and its domain', async () => {
    const html = await readPage('/reports/fix-plan/sample')
    expect(html).toContain('<h1>Sample: Fix plan</h1>')
    expect(html).toContain('<h2>Fix plan for monitoring.test</h2>')
  })
})

describe('a bought report', () => {
  test.each([
    [score, { domain: 'good.test' }, 'Score for good.test', '0.01'],
    [emailCheck, { email: 'ann@good.test' }, 'Email check for ann@good.test', '0.01'],
    [fixPlan, { domain: 'good.test' }, 'Fix plan for good.test', '1.00'],
  ] as const)('$id is named after its subject', async (operation, example, title, price) => {
    const report = await makeReport(operation as Operation, example)
    const html = render(operation as Operation, report)
    expect(html).toMatch(`<title>${title}`)
    expect(html).toContain(`<h2 tabindex="-1">${title}</h2>`)
    expect(toText(html)).toContain(`2027-03-01 12:00 UTC. Paid ${price} USD, transaction 0xabc.`)
    expect(toText(render(operation as Operation, report, true))).toContain(
      `Paid ${price} USD (play money), transaction 0xabc.`,
    )
  })

  test('a score names the findings that cost points', async () => {
    const report = await makeReport(score as Operation, { domain: 'monitoring.test' })
    const rows = [...render(score as Operation, report).matchAll(/<tr>([\s\S]*?)<\/tr>/g)]
    expect(rows.map(([, row = '']) => toText(row).trim())).toEqual([
      'PartPointsDeductions',
      'SPF 27 of 30−3: SPF ends in “~all”, but no DMARC policy enforces it spf.softfail-without-dmarc',
      'DKIM 25 of 25none',
      'DMARC 9 of 40−31: The DMARC policy is “none”, so forged mail can reach the inbox dmarc.policy-none',
      'MX 5 of 5none',
    ])
  })

  test('an email check promises no mailbox', async () => {
    const report = await makeReport(emailCheck as Operation, { email: 'ann@good.test' })
    const text = toText(render(emailCheck as Operation, report))
    expect(text).toContain(
      'The domain accepts mail, and we found no risks. Only its mail server knows whether the mailbox exists.',
    )
    expect(text).not.toMatch(/deliverable/i)
  })

  test.each([
    ['ada.ns.cloudflare.com', 'The Terraform code only works with Cloudflare.'],
    [
      'ns1.unknown.test',
      'There’s no Terraform code for a DNS host we don’t recognize. We write it for ',
    ],
  ])('a plan says where its files apply: %s', async (nameServer, terraform) => {
    const plan = await planZone(`acme.test. NS ${nameServer}.\nacme.test. MX 1 mx.acme.test.
      mx.acme.test. A 192.0.2.1`)
    const text = toText(render(fixPlan as Operation, plan))
    expect(text).toContain(
      'Use the zone file with BIND, or with a DNS host that can import zone files.',
    )
    expect(text).toContain(terraform)
  })

  test('a plan counts steps and stages by the numbers that it shows', async () => {
    const plan = await planZone(`acme.test. MX 1 mx.acme.test.\nmx.acme.test. A 192.0.2.1`)
    const html = render(fixPlan as Operation, plan)
    const required = plan.steps.filter(({ optional }) => !optional)
    expect(required.map(({ order }) => order)).toEqual(required.map((_, index) => index + 1))
    expect(toText(html)).toContain(
      `0 of ${required.length} steps done, 0 of ${plan.rollout.length} stages`,
    )
    expect(html.match(/<input[^>]* data-counted=""/g)).toHaveLength(required.length)
    expect(html.match(/<input[^>]* data-stage=""/g)).toHaveLength(plan.rollout.length)
  })

  test('texts for people name no path of the API', async () => {
    for (const domain of ['selector.test', 'lookups.test']) {
      const report = await makeReport(score as Operation, { domain })
      expect(toText(render(score as Operation, report))).not.toContain('/v1/')
    }
  })
})
