/** The report of a scan as one HTML file that needs no other file. */
import { formatUtc, STATUS_SIGNS, STATUS_WORDS, toVisibleLine } from '@mailgrade/core'
import { escapeHtml } from '../output/html.js'
import { isFailed, rowLabel, rowStatus, type ScanRow } from './scan-row.js'
import {
  type Count,
  describeFinding,
  formatCount,
  formatShare,
  type ScanSummary,
} from './scan-summary.js'

export function scanHtml(summary: ScanSummary, writtenAt: Date): string {
  const rows = summary.worstRows()
  const { domains } = summary
  const noun = domains === 1 ? 'domain' : 'domains'
  const title = `Email security for ${formatCount(domains)} ${noun}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${line(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${line(title)}</h1>
<p>Created by Mailgrade on ${formatUtc(writtenAt.toISOString())}.</p>
${statusBar(summary)}
${countTable('Verdicts', summary.verdicts(), domains)}
${countTable('DMARC policies', summary.policies(), domains)}
${countTable('Findings', describedFindings(summary), domains)}
<h2>Domains, worst first</h2>
${rows.length < domains ? `<p>These are the ${formatCount(rows.length)} worst of ${formatCount(domains)} domains. The scan output lists them all.</p>` : ''}
<table class="domains">
<thead><tr>${HEADINGS.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(domainRow).join('\n')}
</tbody>
</table>
</body>
</html>
`
}

const HEADINGS = ['Domain', 'Verdict', 'SPF', 'DKIM', 'DMARC', 'MX', 'Fix first']

/** A list that is drawn as a bar, so it also reads without style. */
function statusBar(summary: ScanSummary): string {
  const { domains } = summary
  const parts = summary.statuses().filter(({ count }) => count > 0)
  const items = parts.map(({ name, count }) => {
    const text = `${STATUS_SIGNS[name]} ${STATUS_WORDS[name]}: ${formatCount(count)} (${formatShare(count, domains)})`
    return {
      bar: `<i class="${name}" style="flex-grow:${count}"></i>`,
      item: `<li class="${name}">${text}</li>`,
    }
  })
  const bar = items.map((it) => it.bar).join('')
  const list = items.map((it) => it.item).join('')
  return `<div class="bar" aria-hidden="true">${bar}</div>\n<ul class="legend">${list}</ul>`
}

function describedFindings(summary: ScanSummary): Count[] {
  return summary.findings().map(({ name, count }) => ({ name: describeFinding(name), count }))
}

function countTable(heading: string, counts: readonly Count[], total: number): string {
  if (counts.length === 0) return ''
  const rows = counts.map(
    ({ name, count }) =>
      `<tr><th scope="row">${line(name)}</th><td>${formatCount(count)}</td><td>${formatShare(count, total)}</td></tr>`,
  )
  return `<h2>${heading}</h2>\n<table class="counts"><tbody>\n${rows.join('\n')}\n</tbody></table>`
}

function domainRow(row: ScanRow): string {
  const status = rowStatus(row)
  const verdict = `<td class="${status}">${STATUS_SIGNS[status]} ${line(rowLabel(row))}</td>`
  const domain = `<th scope="row">${line(row.domain.slice(0, MAX_NAME_LENGTH))}</th>`
  if (isFailed(row)) {
    return `<tr>${domain}${verdict}<td colspan="5">${line(row.error.detail)}</td></tr>`
  }
  const { spf, dkim, dmarc, mx, fixFirst } = row
  const cells = [spf, dkim, dmarc, mx, fixFirst ?? 'Nothing'].map(
    (text, index) => `<td data-name="${HEADINGS[index + 2]}">${line(text)}</td>`,
  )
  return `<tr>${domain}${verdict}${cells.join('')}</tr>`
}

/** No domain is longer; an entry that is not a domain may be. */
const MAX_NAME_LENGTH = 253

function line(text: string): string {
  return escapeHtml(toVisibleLine(text))
}

/** On a narrow screen, each domain becomes a block of lines. */
const STYLE = `
:root { --fail: #b3261e; --warn: #8a5a00; --pass: #146c2e; --unknown: #5f6368; --line: #d0d4d9; }
@media (prefers-color-scheme: dark) {
  :root { --fail: #ff8a80; --warn: #ffcc66; --pass: #7bd88f; --unknown: #a0a6ad; --line: #444a51; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.bar { display: flex; height: 1.25rem; border-radius: .3rem; overflow: hidden; gap: 2px; }
.bar .fail { background: var(--fail); } .bar .warn { background: var(--warn); }
.bar .pass { background: var(--pass); } .bar .unknown { background: var(--unknown); }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; }
.legend .fail, td.fail { color: var(--fail); } .legend .warn, td.warn { color: var(--warn); }
.legend .pass, td.pass { color: var(--pass); } .legend .unknown, td.unknown { color: var(--unknown); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } .domains th[scope=row] { min-width: 11rem; overflow-wrap: anywhere; } .counts th { font-weight: 400; }
.counts td { text-align: right; white-space: nowrap; width: 4rem; }
@media (max-width: 45rem) {
  .domains thead { display: none; }
  .domains tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .domains th, .domains th[scope=row], .domains td { display: block; min-width: 0; border: 0; padding: 0; overflow-wrap: anywhere; }
  .domains td[data-name]::before { content: attr(data-name) ": "; font-weight: 600; }
}
@media print { body { font-size: 11px; max-width: none; padding: 0; } tr { break-inside: avoid; } }
`
