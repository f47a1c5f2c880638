import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeCheck, domainReportSchema, fixPlanSchema } from '@mailgrade/core'
import { createZoneDns } from '@mailgrade/doh/zone'
import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import { findUnsafe, UNSAFE_TEXT } from '@mailgrade/testing/unsafe-characters'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeService } from '../../test/support/fake-service.js'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { createTestContext } from '../../test/support/test-context.js'
import { checkText } from '../commands/domain-commands.js'
import { runReports } from '../commands/run-reports.js'
import { checkDomain, planDomain } from '../library.js'
import { scanHtml } from '../scan/scan-html.js'
import { createStreamOutput, openFileOutput, openFolderOutput } from '../scan/scan-output.js'
import { toScanRow } from '../scan/scan-row.js'
import { createScanSummary, summaryTable } from '../scan/scan-summary.js'
import { REPORT_FORMATS, type ReportFormat } from './document-formats.js'

const dns = createZoneDns(
  'zone',
  `acme.test. MX 10 mail.acme.test.
acme.test. TXT "v=spf1 include:gone.test ~all"
_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:reports@other.test"
s1._domainkey.acme.test. TXT "v=DKIM1; p=x"
`,
)

interface Schema<Report> {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: Report }
}

/** The report with a text added to every text that its schema leaves open. */
function poison<Report extends object>(
  report: Report,
  schema: Schema<Report>,
  nextText: () => string,
): Report {
  const copy = structuredClone(report)
  const visit = (parent: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(parent)) {
      if (typeof value === 'object' && value !== null) visit(value as Record<string, unknown>)
      // Every name of a report is checked, or else it is a path.
      if (typeof value !== 'string' || key === 'domain' || key === 'meta') continue
      parent[key] = value + nextText()
      if (!schema.safeParse(copy).success) parent[key] = value
    }
  }
  visit(copy as Record<string, unknown>)
  return copy
}

async function domainReport() {
  const result = await checkDomain('acme.test', { dns, selectors: ['s1'] })
  if (result.kind !== 'report') throw new Error('No report')
  return result
}

let checked: Promise<Pick<Awaited<ReturnType<typeof domainReport>>, 'report' | 'meta'>> | undefined

/** All characters in one finding, and some in every other text. */
async function poisonedCheck(text = UNSAFE_TEXT) {
  checked ??= domainReport().then(({ report, meta }) => ({
    report: poison(report, domainReportSchema, () => '\u009b\u202e\u2028\ud800\u200b'),
    meta,
  }))
  const { report, meta } = await checked
  const poisoned = structuredClone(report)
  const [finding] = poisoned.dmarc.issues
  if (!finding) throw new Error('No finding')
  finding.title = text
  finding.record = { type: 'TXT', name: '_dmarc.acme.test', value: text }
  return { kind: 'report', report: poisoned, meta } as const
}

async function print(format: ReportFormat, result: Awaited<ReturnType<typeof poisonedCheck>>) {
  const context = createTestContext()
  await runReports(
    [`acme.test`],
    {
      request: async () => result,
      text: checkText,
      document: describeCheck,
      findings: ({ dmarc, spf }) => [...dmarc.issues, ...spf.issues],
      mechanisms: ['spf', 'dkim', 'dmarc', 'mx', 'transport'],
    },
    { format },
    context,
  )
  return context.output()
}

test.each(REPORT_FORMATS)('%s has no unsafe character of a report', async (format) => {
  const result = await poisonedCheck()
  const output = await print(format, result)
  expect(findUnsafe(output)).toEqual([])
  if (format.endsWith('json')) {
    expect(JSON.parse(output)).toEqual({ ...result.report, meta: result.meta })
  }
})

test('no format has an unsafe character of any text', async () => {
  const text = fc.string({ unit: fc.oneof(anyCharacter, fc.constantFrom(...UNSAFE_TEXT)) })
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom(...REPORT_FORMATS), async (written, format) => {
      const result = await poisonedCheck(written)
      const output = await print(format, result)
      expect(findUnsafe(output)).toEqual([])
      if (format === 'json') expect(JSON.parse(output).dmarc).toEqual(result.report.dmarc)
      if (format === 'sarif') JSON.parse(output)
    }),
    { numRuns: propertyRuns(300) },
  )
})

test.each(['ndjson', 'csv'] as const)('a scan as %s has none', async (format) => {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-unsafe-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const outcome = { subject: 'acme.test', result: await poisonedCheck() }
  const refused = { kind: 'invalid-input', detail: UNSAFE_TEXT } as const
  const failed = { subject: UNSAFE_TEXT, result: refused }
  const { output, stdout } = { output: createTestContext(), stdout: createTestContext() }
  const file = join(folder, 'results')
  for (const target of [
    createStreamOutput(stdout.stdout, { format, brief: false }),
    createStreamOutput(output.stdout, { format, brief: true }),
    openFileOutput(file, 0, { format, brief: false }),
    openFolderOutput(folder, 0, false),
  ]) {
    for (const it of [outcome, failed]) {
      await target.write({
        outcome: it,
        row: toScanRow(it),
        domain: it === outcome ? 'acme.test' : null,
      })
    }
    target.close()
  }
  const summary = createScanSummary('high')
  for (const it of [outcome, failed]) summary.add(toScanRow(it))
  // As a file of an earlier run may have it.
  summary.add({ ...toScanRow(failed), error: { code: UNSAFE_TEXT, detail: '' } })
  const html = scanHtml(summary, new Date(0))
  const table = summaryTable(summary, { columns: 80, style: (_, text) => text })
  expect(findUnsafe(html + table)).toEqual([])
  const written = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  const report = readFileSync(join(folder, 'acme.test.json'), 'utf8')
  expect(findUnsafe([stdout.output(), output.output(), written, report].join('\n'))).toEqual([])
  expect(JSON.parse(report)).toMatchObject(outcome.result.report)
})

/** Its texts have each 100 of the unsafe characters in turn. */
async function startHostileService() {
  const checked = await domainReport()
  const planned = await planDomain('acme.test', { dns })
  if (planned.kind !== 'report') throw new Error('No report')
  let at = 0
  const nextText = () => {
    at = (at + 100) % UNSAFE_TEXT.length
    return UNSAFE_TEXT.slice(at, at + 100)
  }
  return startFakeService((request) => {
    const body = request.url?.startsWith('/v1/check')
      ? poison(checked.report, domainReportSchema, nextText)
      : poison(planned.report, fixPlanSchema, nextText)
    return { status: 200, body: { ...body, meta: checked.meta } }
  })
}

test.each([
  ['check', ['--format', 'text']],
  ['check', ['--format', 'json']],
  ['plan', ['--format', 'text']],
  ['plan', ['--format', 'json']],
  ['watch', ['--format', 'text']],
  ['watch', ['--format', 'json']],
  ['watch', ['--format', 'ndjson']],
])('%s of a hostile service has none with %j', async (command, options) => {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-unsafe-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const state = ['--state', join(folder, 'state.json')]
  const { url } = await startHostileService()
  const line = [command, 'acme.test', '--server', `${url}`, ...options]
  const runs =
    command === 'watch'
      ? [
          [...line, ...state],
          [...line, ...state],
        ]
      : [line]
  for (const run of runs) {
    const { stdout, stderr } = await runMailgrade(run)
    expect(stdout).not.toBe('')
    expect(findUnsafe(stdout + stderr)).toEqual([])
  }
})

test('no file of a plan has one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-unsafe-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { url } = await startHostileService()
  await runMailgrade(['plan', 'acme.test', '--server', `${url}`, '--out', folder])
  const hostile = createZoneDns(
    'zone',
    `acme.test. NS ada.ns.cloudflare.com.
acme.test. MX 10 mail.acme.test.
acme.test. TXT "v=spf1 a:\\226\\128\\174.test \\027]52;c\\007 ~all"
acme.test. TXT "v=spf1 \\243\\160\\129\\129 -all"
_dmarc.acme.test. TXT "v=DMARC1; p=none; x=\\226\\128\\168\\013; rua=mailto:\\226\\128\\139r@acme.test"
`,
  )
  const planned = await planDomain('acme.test', { dns: hostile })
  if (planned.kind !== 'report') throw new Error('No report')
  const { zoneFile, terraform, calendar } = planned.report.exports
  expect(planned.report.records.flatMap(({ replaces }) => replaces).join()).toContain('\u202e')
  const files = [
    ...readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
    ...[zoneFile, terraform ?? '', calendar ?? ''],
  ]
  expect(files.length).toBeGreaterThan(3)
  for (const file of files)
    expect(findUnsafe(file.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'))).toEqual([])
})
