/** The result page of the free check. It can be sent in pieces, while the checks are running. */
import {
  type DomainReport,
  dkimWords,
  dmarcWords,
  findingsBySeverity,
  isActionable,
  MECHANISM_TITLES,
  type MechanismReports,
  mxWords,
  spfWords,
  toVisibleReport,
} from '@mailgrade/core'
import type { OperationResult } from '@mailgrade/operations/operation'
import type { ProblemDetails } from '@mailgrade/operations/problem-details'
import { shareImagePath } from '@mailgrade/operations/service-paths'
import type { Child } from 'hono/jsx'
import type { FormValues } from '../http/query-parameters.js'
import { CheckView } from './check/check-view.js'
import { DomainForm, RequestedName, toImageQuery, toQuery } from './input-fields.js'
import type { Page } from './layout.js'
import { PaidReports } from './paid-reports.js'
import { ProblemNotice, problemTitle, SuggestedDomain } from './problem-page.js'

/** The page around a result. Nothing in it depends on the result, so it can be sent first. */
export function checkPage(domain: string, values: FormValues, body: Child): Page {
  return {
    title: `Is ${domain} safe from forged email?`,
    description: `Find out whether strangers can send email as ${domain}, and which DNS records stop them.`,
    image: shareImagePath(domain, toImageQuery(values)),
    url: `/?${toQuery(values)}`,
    isNoindex: true,
    body: (
      <>
        <DomainForm values={values} />
        {body}
      </>
    ),
  }
}

/** In links, the domain that was checked takes the place of what was entered. */
export function checkedValues(domain: string, given: FormValues): FormValues {
  return { ...given, domain: [domain] }
}

export function CheckResult({
  result,
  given,
}: {
  result: OperationResult<DomainReport>
  given: FormValues
}) {
  const report = toVisibleReport(result)
  const values = checkedValues(report.domain, given)
  return (
    <>
      <RequestedName report={report} path="/" values={values} />
      <CheckView report={report} values={values} />
      <PaidReports values={values} isClean={!findingsBySeverity(report).some(isActionable)} />
    </>
  )
}

export function checkProblemPage(problem: ProblemDetails, values: FormValues): Page {
  return {
    title: problemTitle(problem),
    description: problem.detail,
    isNoindex: true,
    body: (
      <>
        <DomainForm values={values} problem={problem} />
        <ProblemNotice {...problem}>
          {problem.parameter === 'domain' && (
            <SuggestedDomain text={values.domain?.[0] ?? ''} values={values} />
          )}
        </ProblemNotice>
      </>
    ),
  }
}

/** Where finished checks are added; the style sheet hides all of it when the result follows. */
export function CheckProgress({ domain, children }: { domain: string; children?: Child }) {
  return (
    <section class="progress" role="status" aria-label="Progress">
      <p class="summary">Checking {domain}…</p>
      <ul class="tiles">
        {Object.entries(MECHANISM_TITLES).map(([name, title]) => (
          <li class={`${name} pending`}>
            <MechanismTitle name={name} title={title} />
            <span>Waiting for DNS…</span>
          </li>
        ))}
        {children}
      </ul>
    </section>
  )
}

/** Lies over the tile that is still waiting. It has no status yet: all four are judged together. */
export function FinishedCheck({ reports }: { reports: Partial<MechanismReports> }) {
  const { spf, dkim, dmarc, mx } = toVisibleReport(reports)
  const words: Partial<Record<keyof MechanismReports, string>> = {
    ...(spf && { spf: spfWords(spf) }),
    ...(dkim && { dkim: dkimWords({ dkim, profile: 'sending' }) }),
    ...(dmarc && { dmarc: dmarcWords(dmarc) }),
    ...(mx && { mx: mxWords(mx) }),
  }
  return (
    <>
      {Object.entries(words).map(([name, text]) => (
        <li class={name}>
          <MechanismTitle name={name} title={MECHANISM_TITLES[name as keyof MechanismReports]} />
          <span>{text}</span>
        </li>
      ))}
    </>
  )
}

function MechanismTitle({ name, title }: { name: string; title: string }) {
  return (
    <strong>
      {title} <small>({name.toUpperCase()})</small>
    </strong>
  )
}
