import { describe, expect, test } from 'vitest'
import { scanHtml } from './scan-html.js'
import type { ScanRow } from './scan-row.js'
import { createScanSummary, MAX_ROWS } from './scan-summary.js'

function checked(domain: string, row: Partial<Extract<ScanRow, { status: string }>> = {}): ScanRow {
  return {
    domain,
    status: 'pass',
    verdict: 'Protected',
    answer: 'Forged mail is refused.',
    spoofable: 'no',
    policy: 'reject',
    spf: '1 of 10 lookups',
    dkim: '1 key: 2048 bits',
    dmarc: 'Policy reject',
    mx: '1 server',
    fixFirst: null,
    findings: [],
    checkedAt: '2026-11-17T12:00:00.000Z',
    ...row,
  }
}

const EXPOSED = { status: 'fail', verdict: 'Exposed', policy: null } as const
const unavailable = (domain: string): ScanRow => ({
  domain,
  error: { code: 'dns_timeout', detail: 'No resolver answered in time.' },
})

function summaryOf(rows: readonly ScanRow[]) {
  const summary = createScanSummary('high')
  for (const row of rows) summary.add(row)
  return summary
}

describe('the summary', () => {
  const summary = summaryOf([
    checked('a.test'),
    checked('b.test', { ...EXPOSED, findings: ['dmarc.missing', 'spf.missing'] }),
    checked('c.test', { ...EXPOSED, findings: ['dmarc.missing', 'dmarc.missing'] }),
    unavailable('d.test'),
  ])

  test('counts verdicts, policies and findings, the most frequent first, then by name', () => {
    expect(summary.verdicts()).toEqual([
      { name: 'Exposed', count: 2 },
      { name: 'DNS unavailable', count: 1 },
      { name: 'Protected', count: 1 },
    ])
    expect(summary.policies()).toEqual([
      { name: 'no policy', count: 2 },
      { name: 'reject', count: 1 },
    ])
    expect(summary.findings()).toEqual([
      { name: 'dmarc.missing', count: 2 },
      { name: 'spf.missing', count: 1 },
    ])
  })

  test('counts names that objects have by themselves like any other', () => {
    const strange = summaryOf([
      checked('a.test', { findings: ['constructor', '__proto__'] }),
      { domain: 'b.test', error: { code: 'toString', detail: '' } },
    ])
    expect(strange.findings().map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
    expect(strange.verdicts().map(({ name }) => name)).toEqual(['Protected', 'toString'])
    expect(strange.exitCode()).toBe(3)
  })

  test('has the worst domains first', () => {
    const order = ['b.test', 'c.test', 'd.test', 'a.test']
    expect(summary.worstRows().map(({ domain }) => domain)).toEqual(order)
  })

  test('keeps a limited number of domains, which are the worst', () => {
    const good = Array.from({ length: 3 * MAX_ROWS }, (_, index) => checked(`g${index}.test`))
    const all = summaryOf([checked('first.test', EXPOSED), ...good, checked('last.test', EXPOSED)])
    expect(all.domains).toBe(3 * MAX_ROWS + 2)
    expect(all.worstRows()).toHaveLength(MAX_ROWS)
    expect(
      all
        .worstRows()
        .slice(0, 2)
        .map(({ domain }) => domain),
    ).toEqual(['first.test', 'last.test'])
    expect(scanHtml(all, new Date(0))).toContain('the 2,000 worst of 6,002 domains.')
  })
})

test('every value in the HTML report is escaped', () => {
  const evil = `<img src=x onerror="alert('1')">&\u202e`
  const texts = { spf: evil, dkim: evil, dmarc: evil, mx: evil, fixFirst: evil, verdict: evil }
  const html = scanHtml(
    summaryOf([
      checked(evil, { ...texts, findings: [evil] }),
      { domain: evil, error: { code: evil, detail: evil } },
    ]),
    new Date(0),
  )
  const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;⟨U+202E⟩'
  expect(html).not.toContain('<img')
  // Seven in one row, three in the other, and one each in the tables of verdicts and findings.
  expect(html.split(escaped)).toHaveLength(1 + 7 + 3 + 1 + 1)
})
