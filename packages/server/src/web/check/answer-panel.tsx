/** The answer to "Am I safe?": one sentence, what it means, and what to do next. */
import {
  type BlockOf,
  type DomainReport,
  findingsBySeverity,
  findingsCsv,
  formatUtc,
  isActionable,
} from '@mailgrade/core'
import { check } from '@mailgrade/operations/check'
import type { OperationResult } from '@mailgrade/operations/operation'
import { badgePath } from '@mailgrade/operations/service-paths'
import type { FormValues } from '../../http/query-parameters.js'
import { toImageQuery, toQuery } from '../input-fields.js'
import { CopyableText } from '../parts/copyable.js'
import { toCsvLink } from '../parts/csv-link.js'
import { VerdictMark } from '../parts/verdict-mark.js'
import { useLink, useSite } from '../site-context.js'

interface AnswerPanelProps {
  readonly report: OperationResult<DomainReport>
  /** The parameters of the page. */
  readonly values: FormValues
}

export function AnswerPanel({
  report,
  verdict: { status, label, answer, meaning },
  values,
}: AnswerPanelProps & { readonly verdict: BlockOf<'verdict'> }) {
  const { domain, unicodeDomain, meta } = report
  return (
    <section class={`answer ${status}`} aria-labelledby="verdict">
      <VerdictMark status={status} label={label} />
      <div>
        <p class="who">
          <strong>{unicodeDomain ?? domain}</strong>
          {unicodeDomain && (
            <>
              {' '}
              (<code>{domain}</code>)
            </>
          )}{' '}
          · checked <time datetime={meta.checkedAt}>{formatUtc(meta.checkedAt)}</time>
        </p>
        <h1 id="verdict">{answer}</h1>
        <p class="summary">{meaning}</p>
        <Actions report={report} values={values} />
      </div>
    </section>
  )
}

function Actions({ report, values }: AnswerPanelProps) {
  const link = useLink()
  const hasFixes = findingsBySeverity(report).some(isActionable)
  const page = link(`/?${toQuery(values)}`)
  return (
    <div class="next-steps">
      {hasFixes && (
        <a class="primary" href="#fixes">
          Show me the fix
        </a>
      )}
      <a href={page} data-check-again>
        Check again
      </a>
      <ShareMenu report={report} values={values} />
      <DownloadMenu report={report} values={values} />
    </div>
  )
}

function ShareMenu({ report: { domain }, values }: AnswerPanelProps) {
  const { baseUrl } = useSite()
  const page = `${baseUrl}/?${toQuery(values)}`
  const badge = `[![Email forgery](${baseUrl}${badgePath(domain, toImageQuery(values))})](${page})`
  return (
    <details class="menu" data-screen>
      <summary>Share</summary>
      <div>
        <p>Link to this result:</p>
        <CopyableText text={page} what="the link" />
        <p>Markdown badge for a README:</p>
        <CopyableText text={badge} what="the badge" />
      </div>
    </details>
  )
}

function DownloadMenu({ report, values }: AnswerPanelProps) {
  const { domain } = report
  const { terms } = useSite()
  const link = useLink()
  return (
    <details class="menu" data-screen>
      <summary>Download</summary>
      <ul>
        <li>
          <a href={link(`${check.path}?${toQuery(values)}`)} download={`${domain}.json`}>
            JSON: everything we found
          </a>
        </li>
        <li>
          <a href={toCsvLink(findingsCsv(report))} download={`${domain}.csv`}>
            CSV: all findings
          </a>
        </li>
        <li>
          <button type="button" class="link" data-print hidden>
            PDF: print or save this page
          </button>
          <noscript>PDF: choose “Print” in your browser’s menu.</noscript>
        </li>
        {terms && (
          <li>
            <a href="#reports">Zone file, Terraform, calendar: included in the fix plan</a>
          </li>
        )}
      </ul>
    </details>
  )
}
