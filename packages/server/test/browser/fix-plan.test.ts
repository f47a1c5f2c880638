/** A bought plan: what to do when, copying, progress, downloads and printing. */
import { readdirSync, readFileSync } from 'node:fs'
import type { FixPlan } from '@mailgrade/core'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { buyPlan, openBuyerPage, waitForReport } from './buyer-page.js'
import { visibleText, visibleTexts } from './page-text.js'
import { buyPageOverHttp, buyReportOverHttp } from './sandbox-revenue.js'

const environment = setUpBrowser()
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }
const DEMO_DOMAINS = readdirSync('packages/server/zones')
  .filter((file) => file.endsWith('.test.zone'))
  .map((file) => file.replace(/\.zone$/, ''))

function fetchPlan(domain: string): Promise<FixPlan> {
  return buyReportOverHttp(`${environment.url}/v1/fix-plan?domain=${domain}`)
}

/** The numbers of the steps below each heading. */
async function readSections(report: Locator): Promise<Record<string, number[]>> {
  const parts = await report
    .locator('h3, .checklist > li')
    .evaluateAll((elements) =>
      elements.map((element) => element.getAttribute('value') ?? element.textContent ?? ''),
    )
  const sections: Record<string, number[]> = {}
  let steps: number[] = []
  for (const part of parts) {
    if (/^\d+$/.test(part)) {
      steps.push(Number(part))
      continue
    }
    steps = []
    sections[part] = steps
  }
  return sections
}

const group = (report: Locator, title: string) =>
  report.locator('.step-group').filter({ has: report.page().locator(`h4:text-is("${title}")`) })

test('plans for the services that people choose by name', async () => {
  const page = await openBuyerPage(environment, '/reports/fix-plan?domain=monitoring.test')
  await page.getByText('Tell us more for a better plan').click()
  const used = page.getByLabel('Services you use to send mail')
  await used.selectOption([{ label: 'Mailchimp' }, { label: 'Postmark' }])
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  const report = await waitForReport(page, 'fixPlan')
  expect(await visibleTexts(report.locator('.step-group h4'))).toEqual([
    'Mailchimp: 2 records',
    'Postmark: 1 record',
  ])
})

describe('the length of a plan', () => {
  test('covers every demo domain', () => {
    expect(DEMO_DOMAINS).toEqual([
      'good.test',
      'locked.test',
      'lookups.test',
      'monitoring.test',
      'nothing.test',
      'parked.test',
      'selector.test',
    ])
  })

  test.each(DEMO_DOMAINS)(
    '%s is at most 6,200 px on a desktop, 12,700 px on a phone',
    async (domain) => {
      const { page } = await buyPlan(environment, domain)
      for (const [width, limit] of [
        [1280, 6_200],
        [360, 12_700],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
        expect(height, `${width} px`).toBeLessThanOrEqual(limit)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      }
    },
  )
})

describe('what to do when', () => {
  test('starts with the grades, the summary and the effort', async () => {
    const { report } = await buyPlan(environment, 'lookups.test')
    const { summary, effort } = await fetchPlan('lookups.test')
    expect(await visibleText(report.locator('> .score'))).toBe('F 54 today → A 98 after all steps')
    expect(await visibleText(report.locator('> .plan-text'))).toBe(summary)
    expect(await visibleTexts(report.locator('.plan-facts > div'))).toEqual([
      'Today about 90 minutes',
      `Earliest finish ${effort.earliestEnd}`,
      'DNS host not recognized',
      'Mailboxes Google Workspace',
      'Other senders Microsoft 365 / Exchange Online (unsure), Twilio SendGrid (unsure), Mailchimp (unsure), Zendesk (likely), Salesforce (likely), Mailchimp Transactional (unsure)',
    ])
  })

  test('separates today, later and optional', async () => {
    const { report } = await buyPlan(environment, 'lookups.test')
    expect(await readSections(report)).toEqual({
      'Before you start': [],
      'Do today': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18],
      Later: [19],
      Optional: [20, 21, 22],
      Downloads: [],
    })
  })

  test('dates the later stages, and shows all conditions without opening anything', async () => {
    const { report } = await buyPlan(environment, 'lookups.test')
    const { rollout, steps, records } = await fetchPlan('lookups.test')
    const stages = await visibleTexts(report.locator('.timeline > li'))
    expect(stages).toHaveLength(rollout.length)
    for (const [index, { proceedWhen, rollback, record }] of rollout.entries()) {
      for (const text of [...proceedWhen, rollback, record.value]) {
        expect(stages[index]).toContain(text)
      }
    }
    expect(await visibleTexts(report.locator('.timeline h4'))).toEqual([
      'Stage 1: failing mail goes to spam (already published)',
      expect.stringMatching(/^Stage 2: test rejection \(\d{4}-\d\d-\d\d at the earliest\)$/),
      expect.stringMatching(
        /^Stage 3: failing mail is rejected \(\d{4}-\d\d-\d\d at the earliest\)$/,
      ),
    ])
    const shown = await visibleText(report)
    for (const { onlyIf } of steps) expect(shown).toContain(onlyIf ?? '')
    for (const { token } of records.flatMap(({ placeholders }) => placeholders)) {
      expect(shown).toContain(token)
    }
  })

  test('says once per service when its steps apply', async () => {
    const { report } = await buyPlan(environment, 'lookups.test')
    const texts = await visibleTexts(group(report, 'Mailchimp: 2 records').locator('p'))
    expect(texts.filter((text) => text.startsWith('Only if: '))).toEqual([
      'Only if: You still use Mailchimp. If you don’t, skip this step. Next time you get a plan, mark Mailchimp as no longer used, and the plan will remove what’s left of it.',
    ])
  })

  test('explains the records of a service once', async () => {
    const { report } = await buyPlan(environment, 'lookups.test')
    const why = group(report, 'Mailchimp: 2 records').locator('details')
    await why.locator('summary').click()
    expect(await visibleTexts(why.locator('p'))).toEqual([
      'Mailchimp signs with this key, so mail passes DMARC even when it’s forwarded.',
    ])
  })

  test('says what to watch until when if there is nothing to publish today', async () => {
    const { report } = await buyPlan(environment, 'monitoring.test')
    const { effort, exports } = await fetchPlan('monitoring.test')
    const [, year, month, day] =
      /UID:stage-2[\s\S]*?DATE:(\d{4})(\d\d)(\d\d)/.exec(exports.calendar ?? '') ?? []
    const text = await visibleText(report)
    expect(text).toContain(
      'Do today You don’t need to publish anything today. Watch the DMARC reports that arrive at dmarc@monitoring.test.',
    )
    expect(text).toContain(
      `Keep watching until you meet all the conditions of stage 1 below. Then publish stage 2, no earlier than ${year}-${month}-${day}. You can reach the last stage as early as ${effort.earliestEnd}.`,
    )
    expect(text).not.toContain('Nothing has to change')
  })

  test.each([
    [
      'good.test',
      'Watch the DMARC reports that arrive at dmarc@good.test for as long as you own good.test. New services that send for you show up there first. Get a new plan before you add a service that sends mail or switch mail providers.',
    ],
    [
      'locked.test',
      'Watch the DMARC reports that arrive at dmarc@good.test for as long as you own locked.test. They show who’s trying to send as this domain. Get a new plan before you use the domain to send or receive mail.',
    ],
  ])('says what to watch if %s needs nothing at all', async (domain, expected) => {
    const { report } = await buyPlan(environment, domain)
    expect(await visibleText(report)).toContain(expected)
    expect(await report.locator('progress').count()).toBe(0)
  })
})

describe('copying', () => {
  test('copies all records of a service as lines of a zone file', async () => {
    const { page, report } = await buyPlan(environment, 'lookups.test', CLIPBOARD)
    const name = 'all 2 records of Zendesk as zone file lines'
    await report.getByRole('button', { name: `Copy ${name}` }).click()
    await report.getByRole('button', { name: `Copied ${name}` }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'zendesk1._domainkey.lookups.test. 3600 IN CNAME zendesk1._domainkey.zendesk.com.\n' +
        'zendesk2._domainkey.lookups.test. 3600 IN CNAME zendesk2._domainkey.zendesk.com.\n',
    )
  })

  test('says what to fill in first instead of copying placeholders', async () => {
    const { report } = await buyPlan(environment, 'lookups.test', CLIPBOARD)
    const sendgrid = group(report, 'Twilio SendGrid: 3 records')
    expect(await visibleTexts(sendgrid.locator('p').filter({ hasText: 'Fill in' }))).toEqual([
      'Fill in first: {sendgrid-account}, {sendgrid-number}. Then copy the records one by one.',
    ])
    expect(await visibleTexts(sendgrid.locator('button.copy:visible'))).toEqual([
      'Copy name',
      'Copy name',
      'Check now (step 3)',
    ])
    const all = await visibleTexts(
      report
        .locator('.group-heading')
        .filter({ has: report.page().locator('button') })
        .locator('h4'),
    )
    expect(all).toEqual([
      'Mailchimp: 2 records',
      'Mailchimp Transactional: 2 records',
      'Zendesk: 2 records',
    ])
  })

  test('shows the label again in a report that was saved right after copying', async () => {
    const { page, report } = await buyPlan(environment, 'parked.test', CLIPBOARD)
    await report.getByRole('button', { name: 'Copy value' }).first().click()
    await report.getByRole('button', { name: 'Copied value' }).waitFor()
    await report.getByRole('checkbox').first().check()
    await page.reload()
    await waitForReport(page, 'fixPlan')
    expect(await report.getByRole('button', { name: 'Copied' }).count()).toBe(0)
  })
})

describe('progress', () => {
  const progressOf = async (report: Locator) => [
    await visibleText(report.locator('[data-progress]')),
    await report.locator('progress').getAttribute('value'),
    await report.locator('progress').getAttribute('max'),
  ]

  test('a stage that is published is ticked', async () => {
    const { report } = await buyPlan(environment, 'monitoring.test')
    const box = (stage: number) => report.getByRole('checkbox', { name: `Stage ${stage}:` })
    expect(await box(1).isChecked()).toBe(true)
    expect(await visibleText(report.locator('.timeline h4').first())).toBe(
      'Stage 1: monitor only (already published)',
    )
    for (const stage of [2, 3, 4, 5]) expect(await box(stage).isChecked()).toBe(false)
    expect(await progressOf(report)).toEqual(['0 of 1 step done, 1 of 5 stages', '1', '6'])
  })

  test('counts as many steps and stages as it numbers', async () => {
    const { report } = await buyPlan(environment, 'lookups.test')
    const required = await report.locator('.checklist > li:has([data-counted])').all()
    expect(await required.at(-1)?.getAttribute('value')).toBe('19')
    expect(await progressOf(report)).toEqual(['0 of 19 steps done, 1 of 3 stages', '1', '22'])
    await report.getByRole('checkbox', { name: 'Stage 2:' }).check()
    expect(await progressOf(report)).toEqual(['0 of 19 steps done, 2 of 3 stages', '2', '22'])
  })

  test('counts what is needed, and survives a reload', async () => {
    const { page, report } = await buyPlan(environment, 'monitoring.test')
    await report.getByRole('checkbox', { name: '1. Read the reports' }).check()
    await report.getByRole('checkbox', { name: '4. Show your logo' }).check()
    expect(await progressOf(report)).toEqual(['1 of 1 step done, 1 of 5 stages', '2', '6'])
    await page.reload()
    await waitForReport(page, 'fixPlan')
    expect(await progressOf(report)).toEqual(['1 of 1 step done, 1 of 5 stages', '2', '6'])
    expect(
      await report
        .locator('input:checked')
        .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('name'))),
    ).toEqual(['step-1', 'stage-1', 'step-4'])
    await report.getByRole('checkbox', { name: '1. Read the reports' }).uncheck()
    await page.reload()
    expect(await progressOf(report)).toEqual(['0 of 1 step done, 1 of 5 stages', '1', '6'])
  })
})

describe('downloads', () => {
  async function download(page: Page, report: Locator, label: string) {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      report.locator('.downloads').getByRole('link', { name: label, exact: true }).click(),
    ])
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }

  test('holds the plan in every format', async () => {
    const { page, report } = await buyPlan(environment, 'monitoring.test')
    const expected = await fetchPlan('monitoring.test')
    const json = await download(page, report, 'JSON')
    expect(json.name).toBe('monitoring.test-fix-plan.json')
    const plan: FixPlan = JSON.parse(json.text)
    expect(plan.records).toEqual(expected.records)
    expect(plan.steps).toEqual(expected.steps)
    expect(plan.rollout).toEqual(expected.rollout)
    expect((await download(page, report, 'Zone file')).text).toBe(expected.exports.zoneFile)
    expect((await download(page, report, 'Terraform')).text).toBe(expected.exports.terraform)
    const calendar = await download(page, report, 'Calendar')
    expect(calendar).toEqual({ name: 'monitoring.test-fix-plan.ics', text: plan.exports.calendar })
    expect(calendar.text.split('\r\n').slice(0, 2)).toEqual(['BEGIN:VCALENDAR', 'VERSION:2.0'])

    const csv = await download(page, report, 'CSV')
    const [headings, ...rows] = csv.text.replace('\ufeff', '').trimEnd().split('\r\n')
    expect(headings?.split(',').slice(0, 6)).toEqual([
      'order',
      'action',
      'type',
      'name',
      'value',
      'ttl',
    ])
    expect(rows.map((row) => row.split(',').slice(0, 6))).toEqual(
      expected.records.map(({ order, action, type, name, value, ttl }) => [
        `${order}`,
        action,
        type,
        name,
        value,
        `${ttl}`,
      ]),
    )
  })

  test('works without JavaScript, with a link for each check', async () => {
    const html = await buyPageOverHttp(`${environment.url}/reports/fix-plan?domain=parked.test`)
    const page = await environment.openPage('/docs', NO_JAVASCRIPT)
    await page.setContent(html)
    const report = page.locator('[data-report]')
    expect(await report.locator('button:visible').count()).toBe(0)
    const { text } = await download(page, report, 'Zone file')
    expect(text).toBe((await fetchPlan('parked.test')).exports.zoneFile)
    const link = report.getByRole('link', { name: 'Check now' }).first()
    expect(await link.getAttribute('href')).toBe('/?domain=parked.test')
    expect(await visibleText(report.locator('[data-progress]'))).toBe('0 of 3 steps done')
  })
})

describe('printed', () => {
  test('the button prints', async () => {
    const { page, report } = await buyPlan(environment, 'parked.test')
    await page.evaluate('window.print = () => { window.printed = (window.printed ?? 0) + 1 }')
    await report.getByRole('button', { name: 'Print or save as PDF' }).click()
    expect(await page.evaluate('printed')).toBe(1)
  })

  test.each(['lookups.test', 'monitoring.test', 'good.test'])(
    '%s has every step and record, no controls and no empty heading',
    async (domain) => {
      const { page, report } = await buyPlan(environment, domain)
      const { steps, records } = await fetchPlan(domain)
      await page.emulateMedia({ media: 'print' })
      await page.evaluate('dispatchEvent(new Event("beforeprint"))')
      const text = await visibleText(report)
      for (const action of steps.flatMap(({ actions }) => actions)) {
        expect(text).toContain(action.replaceAll('`', '').replace(/\s+/g, ' '))
      }
      for (const { why } of records) expect(text).toContain(why)
      for (const hidden of [
        'button',
        '.downloads',
        '.check a',
        'progress',
        'details:not([open])',
      ]) {
        expect(await report.locator(`${hidden}:visible`).count(), hidden).toBe(0)
      }
      const headings = await visibleTexts(page.locator('h1:visible, h2:visible, h3:visible'))
      expect(headings[0]).toBe(`Fix plan for ${domain}`)
      const empty = await report.evaluate((element) =>
        [...element.querySelectorAll('h3')]
          .filter((heading) => heading.checkVisibility())
          .filter((heading) => !heading.nextElementSibling?.checkVisibility())
          .map((heading) => heading.textContent),
      )
      expect(empty).toEqual([])
    },
  )
})
