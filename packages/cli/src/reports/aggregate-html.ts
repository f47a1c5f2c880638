/** The result as one HTML file without scripts: the verdict first, then sources and fixes. */
import {
  type AggregateSummary,
  type Criterion,
  type DomainSummary,
  type Fix,
  nameSource,
  type RolloutVerdict,
  type SourceClass,
  type SourceSummary,
} from '@mailgrade/dmarc-reports'
import { escapeHtml } from '../output/html.js'
import {
  CLASS_MEANINGS,
  CLASS_TITLES,
  CLASSES,
  countOf,
  dateOf,
  describeLost,
  describeMessages,
  describePasses,
  describeQuestion,
  describeReading,
  describeRecent,
  formatCount,
  onlyYouKnow,
  percentOf,
  printable,
} from './aggregate-words.js'

/** For light and dark screens and for print. */
const STYLES = `
:root { color-scheme: light dark; --text: #1b1f24; --dim: #57606a; --page: #fff; --line: #d0d7de; --good: #1a7f37; --bad: #cf222e; --unknown: #9a6700; --share: #0969da; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --dim: #9198a1; --page: #0d1117; --line: #3d444d; --good: #3fb950; --bad: #ff7b72; --unknown: #d29922; --share: #4493f8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; }
header { border-left: 0.4rem solid var(--unknown); padding: 0.1rem 1rem; }
header.ready { border-color: var(--good); }
header.not-ready { border-color: var(--bad); }
.verdict { font-size: 1.25rem; font-weight: 600; }
.criteria { list-style: none; padding: 0; }
.met strong { color: var(--good); }
.not-met strong, .error strong { color: var(--bad); }
.unknown strong { color: var(--unknown); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem; border-top: 1px solid var(--line); }
td { white-space: nowrap; font-variant-numeric: tabular-nums; }
th[scope="col"] { overflow-wrap: normal; }
th[scope="row"] { font-weight: 600; min-width: 12rem; }
small { display: block; color: var(--dim); font-weight: 400; }
.bar { display: block; width: 7rem; height: 0.4rem; margin-top: 0.25rem; background: var(--line); }
.bar span { display: block; height: 100%; background: var(--share); }
.bar.pass span { background: var(--good); }
figure { margin: 1rem 0; }
figcaption { color: var(--dim); font-size: 0.9rem; margin-bottom: 0.3rem; }
.days { display: block; width: 100%; max-height: 6rem; }
.days .pass { fill: var(--good); }
.days .fail { fill: var(--bad); }
footer { margin-top: 2rem; border-top: 1px solid var(--line); color: var(--dim); }
`

const MAX_SOURCES = 50
const MAX_PROBLEMS = 50
const MAX_REPORTERS = 10

export function renderHtml(read: AggregateSummary): string {
  const { domains, problems, problemCount } = read
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>DMARC reports${domains[0] ? ` for ${text(domains[0].domain)}` : ''}</title>
<style>${STYLES}</style>
</head>
<body>
<main>
${domains.map(renderDomain).join('\n')}
<footer>
<p>${describeReading(read)}</p>
${problems.length === 0 ? '' : renderProblems(problems.slice(0, MAX_PROBLEMS), problemCount)}
</footer>
</main>
</body>
</html>
`
}

function renderDomain(domain: DomainSummary): string {
  const { rollout } = domain
  const fixes = [...rollout.fixFirst, ...(domain.subdomains?.fixFirst ?? [])]
  const reporters = domain.reporters.map(({ name }) => text(name, 60))
  return `<article>
<header class="${rollout.status}">
<h1>${text(domain.domain)}</h1>
<p class="verdict">${text(rollout.summary)}</p>
<p>${text(describeLost(domain))}</p>
</header>
<p>${describeMessages(domain)} ${countOf(domain.reports, 'report', 'reports')} from ${reporters.slice(0, MAX_REPORTERS).join(', ')}${reporters.length > MAX_REPORTERS ? ` and ${reporters.length - MAX_REPORTERS} more` : ''}.</p>
${renderDays(domain)}
<h2>Conditions</h2>
${renderCriteria(rollout)}
${renderSubdomains(domain)}
<h2>Who sends as ${text(domain.domain)}</h2>
${CLASSES.map((name) => renderClass(name, domain)).join('\n')}
${fixes.length === 0 ? '' : renderFixes(fixes)}
</article>`
}

function renderSubdomains({ policy, subdomains }: DomainSummary): string {
  if (subdomains === null) return ''
  return `<h2>Subdomains, with sp=${text(policy.sp ?? '')}</h2>
<p class="verdict">${text(subdomains.summary)}</p>
${renderCriteria(subdomains)}`
}

function renderCriteria({ criteria, conditions }: RolloutVerdict): string {
  const items = [
    ...criteria.map(renderCriterion),
    ...onlyYouKnow(conditions).map((sentence) => `<li class="unknown">${text(sentence)}</li>`),
  ]
  return `<ul class="criteria">\n${items.join('\n')}\n</ul>`
}

function renderCriterion({ holds, text: sentence }: Criterion): string {
  const word = holds === null ? 'Unknown' : holds ? 'Met' : 'Not met'
  const name = word.toLowerCase().replace(' ', '-')
  return `<li class="${name}"><strong>${word}:</strong> ${text(sentence)}</li>`
}

function renderFixes(fixes: readonly Fix[]): string {
  const items = fixes.map(
    ({ name, lost, reason, steps }) => `<li>
<h3>${text(name)}: ${formatCount(lost)} ${lost === 1 ? 'message fails' : 'messages fail'}</h3>
<p>${text(reason)}</p>
<ol>${steps.map((step) => `<li>${text(step)}</li>`).join('')}</ol>
</li>`,
  )
  return `<h2>Fix first</h2>\n<ol class="fixes">\n${items.join('\n')}\n</ol>`
}

function renderClass(name: SourceClass, domain: DomainSummary): string {
  const sources = domain.sources.filter((source) => source.class === name)
  if (sources.length === 0) return ''
  const rest = sources.length - MAX_SOURCES
  const more =
    rest > 0
      ? `<p>${countOf(rest, 'smaller source isn’t', 'smaller sources aren’t')} shown.</p>`
      : ''
  return `<section class="${name}">
<h3>${CLASS_TITLES[name]}: ${countOf(domain.byClass[name], 'message', 'messages')}</h3>
<p>${text(CLASS_MEANINGS[name])}</p>
<div class="scroll"><table>
<thead><tr><th scope="col">Source</th><th scope="col">Messages</th><th scope="col">Pass DMARC</th><th scope="col">SPF aligned</th><th scope="col">DKIM aligned</th><th scope="col">Seen</th></tr></thead>
<tbody>
${sources
  .slice(0, MAX_SOURCES)
  .map((source) => renderSource(source, domain))
  .join('\n')}
</tbody>
</table></div>
${more}
</section>`
}

function renderSource(
  source: SourceSummary,
  { domain, messages: allMessages }: DomainSummary,
): string {
  const { name, at, messages, passing, spf, dkim, firstSeen, lastSeen } = source
  const passes = describePasses(source)
  const addresses = source.addresses.slice(0, 5).map((address) => text(address.name))
  const details = [
    text(describeQuestion(source) ?? ''),
    text(describeRecent(source) ?? ''),
    passes === null ? '' : text(passes, 300),
    addresses.join(', '),
  ]
  return `<tr>
<th scope="row">${text(nameSource(name, at, domain))}<small>${details.filter((detail) => detail !== '').join('<br>')}</small></th>
<td>${formatCount(messages)}${renderBar(messages, allMessages, 'share')}</td>
<td>${percentOf(passing, messages)}${renderBar(passing, messages, 'pass')}</td>
<td>${percentOf(spf.aligned, messages)}</td>
<td>${percentOf(dkim.aligned, messages)}</td>
<td>${dateOf(firstSeen)} to ${dateOf(lastSeen)}</td>
</tr>`
}

function renderBar(part: number, whole: number, name: string): string {
  const width = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10
  return `<span class="bar ${name}" aria-hidden="true"><span style="width:${width}%"></span></span>`
}

const CHART_HEIGHT = 60
const MAX_DAYS = 120

/** One column per day: passing mail below, failing mail above. */
function renderDays({ days }: DomainSummary): string {
  const shown = days.slice(-MAX_DAYS)
  const most = Math.max(1, ...shown.map(({ passing, failing }) => passing + failing))
  const columns = shown.map(({ date, passing, failing }, index) => {
    const low = Math.round((passing / most) * CHART_HEIGHT * 10) / 10
    const high = Math.round((failing / most) * CHART_HEIGHT * 10) / 10
    const x = index * 8
    return `<g><title>${date}: ${formatCount(passing)} pass, ${formatCount(failing)} fail</title><rect class="pass" x="${x}" y="${CHART_HEIGHT - low}" width="6" height="${low}"/><rect class="fail" x="${x}" y="${CHART_HEIGHT - low - high}" width="6" height="${high}"/></g>`
  })
  const label = `Messages per day: ${countOf(days.length, 'day', 'days')} with reports`
  const caption = `<figcaption>${label}. Green: passes DMARC. Red: fails.</figcaption>`
  return `<figure>${caption}<svg class="days" role="img" aria-label="${label}" viewBox="0 0 ${Math.max(shown.length * 8, 240)} ${CHART_HEIGHT}" preserveAspectRatio="xMinYMax meet">${columns.join('')}</svg></figure>`
}

function renderProblems(problems: AggregateSummary['problems'], problemCount: number): string {
  const items = problems.map(
    ({ severity, file, message }) =>
      `<li class="${severity}"><strong>${text(file)}</strong>: ${text(message, 500)}</li>`,
  )
  const rest = problemCount - problems.length
  const more = rest > 0 ? `<li>And ${countOf(rest, 'more', 'more')}.</li>` : ''
  return `<h2>Problems</h2>\n<ul class="problems">\n${items.join('\n')}${more}\n</ul>`
}

const MAX_TEXT = 1_000

/** Everything that is not written here comes from a report. */
function text(value: string, limit = MAX_TEXT): string {
  return escapeHtml(printable(value, limit))
}
