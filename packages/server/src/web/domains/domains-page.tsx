/** Several domains at once: the form, and a table with one row for each. */
import { domainsCsv, formatUtc, type MechanismSummary } from '@mailgrade/core'
import {
  type AcceptedEntry,
  type CheckedDomain,
  MAX_DOMAINS,
} from '@mailgrade/operations/check-domains'
import type { ProblemDetails } from '@mailgrade/operations/problem-details'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Child } from 'hono/jsx'
import { toQuery, VERBATIM_INPUT } from '../input-fields.js'
import type { Page } from '../layout.js'
import { toCsvLink } from '../parts/csv-link.js'
import { StatusBadge, StatusSign } from '../parts/status-badge.js'
import { ProblemNotice, problemTitle, SuggestedDomain } from '../problem-page.js'
import { useLink, useSite } from '../site-context.js'
import {
  type DomainRow,
  SORT_ORDERS,
  type SortOrder,
  sortDomainRows,
  toDomainRow,
  VERDICT_RANKS,
} from './domain-rows.js'

const TITLE = 'Bulk check'
const DESCRIPTION = `Check up to ${MAX_DOMAINS} domains at once to see which ones strangers can forge mail from, and what to fix first.`

const DEMO_DOMAINS = [
  'good.test',
  'monitoring.test',
  'lookups.test',
  'parked.test',
  'selector.test',
]

export function domainsFormPage(): Page {
  return {
    title: TITLE,
    description: DESCRIPTION,
    body: (
      <>
        <h1>{TITLE}</h1>
        <p>Find out which of your domains strangers can send email as, and what to fix first.</p>
        <DomainsForm list="" />
        <DemoList />
      </>
    ),
  }
}

export function domainsProblemPage(problem: ProblemDetails, list: string): Page {
  const shown =
    problem.code === 'uri_too_long'
      ? { ...problem, detail: 'The list is too long. Enter just the domain names, not full URLs.' }
      : problem
  return {
    title: problemTitle(problem),
    description: shown.detail,
    isNoindex: true,
    body: (
      <>
        <ProblemNotice {...shown} />
        <DomainsForm list={list} />
      </>
    ),
  }
}

export function domainsResultPage(checked: readonly CheckedDomain[], order: SortOrder): Page {
  const title = summarize(checked.map(toDomainRow))
  return resultPage(title, toList(checked), <DomainResults checked={checked} order={order} />)
}

/** The page around results that are not there yet, so its title can’t say how they are. */
export function domainsProgressPage(entries: readonly AcceptedEntry[], body: Child): Page {
  return resultPage(`Results for ${countDomains(entries.length)}`, toList(entries), body)
}

function resultPage(title: string, list: string, body: Child): Page {
  return {
    title,
    description: DESCRIPTION,
    isNoindex: true,
    scripts: ['sort-table.js'],
    body: (
      <>
        <details class="options" data-screen>
          <summary>Check other domains</summary>
          <DomainsForm list={list} />
        </details>
        {body}
      </>
    ),
  }
}

interface DomainsProgressProps {
  readonly entries: readonly AcceptedEntry[]
  readonly children?: Child
}

/** Where finished domains are added; the style sheet hides them when the table follows. */
export function DomainsProgress({ entries, children }: DomainsProgressProps) {
  const names = entries.filter(({ request }) => request.kind === 'prepared').map(({ name }) => name)
  const subject = names.length === 1 ? names[0] : countDomains(names.length)
  return (
    // Not atomic: a screen reader reads each new line once, not the whole list again.
    <section class="progress" role="status" aria-atomic="false" aria-label="Progress">
      <p class="summary">Checking {subject}…</p>
      <ol>{children}</ol>
      <p class="done unseen">We’ve checked all the domains. The results are below.</p>
    </section>
  )
}

export function FinishedDomain({ checked }: { checked: CheckedDomain }) {
  const { status, label, domain, unicodeDomain } = toDomainRow(checked)
  return (
    <li>
      {unicodeDomain ?? domain} <StatusBadge status={status} word={label} />
    </li>
  )
}

interface DomainResultsProps {
  /** In the order entered. */
  readonly checked: readonly CheckedDomain[]
  readonly order: SortOrder
}

export function DomainResults({ checked, order }: DomainResultsProps) {
  const rows = checked.map(toDomainRow)
  return (
    <>
      <h1>{summarize(rows)}</h1>
      <WithoutVerdict count={rows.filter(({ checked }) => checked === null).length} />
      <Results rows={rows} order={order} />
    </>
  )
}

function countDomains(count: number): string {
  return count === 1 ? '1 domain' : `${count} domains`
}

function summarize(rows: readonly DomainRow[]): string {
  const checked = rows.filter((row) => row.checked !== null)
  const [only] = checked
  if (!only) return 'We couldn’t check any domain'
  if (checked.length === 1) return `${only.domain}: ${only.label}`
  const safe = checked.filter((row) => row.checked?.isForgeryRefused).length
  return `${safe} of ${checked.length} domains ${safe === 1 ? 'refuses' : 'refuse'} forged mail`
}

function WithoutVerdict({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <p>
      We couldn’t check{' '}
      {count === 1
        ? '1 entry. See the table for the reason.'
        : `${count} entries. See the table for reasons.`}
    </p>
  )
}

/** As the field shows it. */
function toList(entries: readonly Pick<DomainRow, 'text'>[]): string {
  return entries.map(({ text }) => text).join('\n')
}

function DomainsForm({ list }: { list: string }) {
  const link = useLink()
  const { limit, windowSeconds } = useSite()
  return (
    <search>
      <form class="ask" action={link(PATHS.domains)} method="get">
        <label for="domains">Paste up to {MAX_DOMAINS} domains, one per line</label>
        <textarea
          id="domains"
          name="domains"
          rows={8}
          required
          placeholder={'example.com\nexample.org'}
          {...VERBATIM_INPUT}
          aria-describedby="domains-hint"
        >
          {list}
        </textarea>
        <small id="domains-hint">
          Email addresses and URLs work too. Each domain counts as one of the {limit} free checks
          you get every {windowSeconds} seconds.
        </small>
        <button type="submit">Check all</button>
      </form>
    </search>
  )
}

function DemoList() {
  const { isSandbox } = useSite()
  const link = useLink()
  if (!isSandbox) return null
  const query = toQuery({ domains: [DEMO_DOMAINS.join('\n')] })
  return (
    <p>
      Example: <a href={link(`${PATHS.domains}?${query}`)}>check {DEMO_DOMAINS.join(', ')}</a>
    </p>
  )
}

interface ResultsProps {
  /** In the order entered. */
  readonly rows: readonly DomainRow[]
  readonly order: SortOrder
}

function Results({ rows, order }: ResultsProps) {
  return (
    <section class="results" aria-label="Results" data-sorted={order}>
      <SortLinks rows={rows} order={order} />
      <table class="domains">
        <thead>
          <tr>
            <SortableHeading name="Verdict" sorts="verdict" order={order} />
            <SortableHeading name="Domain" sorts="name" order={order} />
            <th scope="col">SPF</th>
            <th scope="col">DKIM</th>
            <th scope="col">DMARC</th>
            <th scope="col">MX</th>
            <th scope="col">Fix first</th>
          </tr>
        </thead>
        <tbody>
          {sortDomainRows(rows, order).map((row) => (
            <Row row={row} entered={rows.indexOf(row)} />
          ))}
        </tbody>
      </table>
      <CsvLink rows={rows} />
    </section>
  )
}

const ORDER_NAMES: Record<SortOrder, string> = {
  verdict: 'worst first',
  name: 'name',
  entered: 'order entered',
}

/** With scripts, these become buttons that sort what is there. */
function SortLinks({ rows, order }: ResultsProps) {
  const link = useLink()
  const list = toList(rows)
  return (
    <p class="sorting">
      Sort by:{' '}
      {SORT_ORDERS.map((it) => (
        <>
          <a
            href={link(`${PATHS.domains}?${toQuery({ domains: [list], sort: [it] })}`)}
            data-sort={it}
            aria-current={it === order ? 'true' : undefined}
          >
            {ORDER_NAMES[it]}
          </a>{' '}
        </>
      ))}
      <small>Sorting checks all your domains again.</small>
    </p>
  )
}

interface SortableHeadingProps {
  readonly name: string
  readonly sorts: SortOrder
  readonly order: SortOrder
}

function SortableHeading({ name, sorts, order }: SortableHeadingProps) {
  return (
    <th scope="col" data-sort={sorts} aria-sort={sorts === order ? 'ascending' : 'none'}>
      {name}
    </th>
  )
}

function Row({ row, entered }: { row: DomainRow; entered: number }) {
  const { text, status, label, domain, answer, checked, isInvalid } = row
  return (
    <tr
      class={isInvalid ? 'invalid' : status}
      data-verdict={VERDICT_RANKS[status]}
      data-name={domain}
      data-entered={entered}
    >
      <td data-label="Verdict">
        <StatusBadge status={status} word={label} />
      </td>
      <th scope="row" data-label="Domain">
        <Name row={row} />
      </th>
      {checked === null ? (
        <td class="reason" colspan={5}>
          {answer} {isInvalid && <SuggestedDomain text={text} />}
        </td>
      ) : (
        <>
          <Mechanism name="SPF" {...checked.spf} />
          <Mechanism name="DKIM" {...checked.dkim} />
          <Mechanism name="DMARC" {...checked.dmarc} />
          <Mechanism name="MX" {...checked.mx} />
          <td data-label="Fix first">
            <Fixes fixes={checked.fixes} />
          </td>
        </>
      )}
    </tr>
  )
}

function Name({ row: { domain, unicodeDomain, checked } }: { row: DomainRow }) {
  const link = useLink()
  if (checked === null) return <code>{domain}</code>
  return (
    <>
      <a href={link(`/?${toQuery({ domain: [domain] })}`)}>{unicodeDomain ?? domain}</a>
      {unicodeDomain && <code>{domain}</code>}
    </>
  )
}

function Mechanism({ name, status, words }: MechanismSummary & { name: string }) {
  return (
    <td data-label={name}>
      <span>
        <StatusSign status={status} />
        {words}
      </span>
    </td>
  )
}

function Fixes({ fixes: [first, ...others] }: { fixes: readonly string[] }) {
  if (first === undefined) return <span>Nothing</span>
  return (
    <span>
      {first} {others.length > 0 && <small>and {others.length} more</small>}
    </span>
  )
}

function CsvLink({ rows }: Pick<ResultsProps, 'rows'>) {
  const times = rows.flatMap(({ checked }) => (checked ? [checked.checkedAt] : []))
  const [first] = times.toSorted()
  if (first === undefined) return null
  const sorted = sortDomainRows(rows, 'verdict')
  return (
    <p class="meta">
      Checked {formatUtc(first)}.{' '}
      <a href={toCsvLink(domainsCsv(sorted))} download={`domains-${first.slice(0, 10)}.csv`}>
        Download as CSV
      </a>
    </p>
  )
}
