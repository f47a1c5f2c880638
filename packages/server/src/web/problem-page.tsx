/** Why there is no result and what to do next, as a page or as part of one. */
import { parseDomain, toVisibleText } from '@mailgrade/core'
import { type ProblemDetails, problemPagePath } from '@mailgrade/operations/problem-details'
import type { Child } from 'hono/jsx'
import { CONTENT } from '../content/generated/content.js'
import type { FormValues } from '../http/query-parameters.js'
import { DomainForm, toQuery } from './input-fields.js'
import type { Page } from './layout.js'
import { Prose } from './prose.js'
import { useLink } from './site-context.js'

/** Friendlier than the titles of the API. */
export function problemTitle({ code, title, parameter = '' }: ProblemDetails): string {
  const { inputTitles, pageTitle } = CONTENT.problems[code]
  return new Map(Object.entries(inputTitles)).get(parameter) ?? pageTitle ?? title
}

/** For problems without a page of their own, such as a wrong URL. */
export function problemPage(problem: ProblemDetails): Page {
  return {
    title: problemTitle(problem),
    description: problem.detail,
    isNoindex: true,
    body: (
      <>
        <ProblemNotice {...problem} />
        <DomainForm values={{}} />
      </>
    ),
  }
}

/** A mistake in the input looks like one, never like a verdict on a domain. */
export function ProblemNotice({ children, ...problem }: ProblemDetails & { children?: Child }) {
  const { code, detail, charged, requestId } = problem
  const link = useLink()
  return (
    <section
      class={code === 'invalid_input' ? 'problem input' : 'problem'}
      role="alert"
      data-problem={code}
      data-charged={charged}
    >
      <h1>{problemTitle(problem)}</h1>
      {code !== 'not_found' && (
        <p class="summary" id="problem">
          {toVisibleText(detail)}
        </p>
      )}
      <Prose of={CONTENT.problems[code].more} />
      {children}
      <p class="small-print">
        <a href={link(problemPagePath(code))}>About this error</a>
      </p>
      <details class="small-print" data-screen>
        <summary>For support</summary>
        Request id <code>{requestId}</code>
      </details>
    </section>
  )
}

interface SuggestedDomainProps {
  /** What was entered as the domain. */
  readonly text: string
  /** The other parameters of the request. */
  readonly values?: FormValues
}

/** A link, because the person decides what was meant. */
export function SuggestedDomain({ text, values = {} }: SuggestedDomainProps) {
  const link = useLink()
  const domain = suggestDomain(text)
  if (domain === null) return null
  return (
    <a class="suggestion" href={link(`/?${toQuery({ ...values, domain: [domain] })}`)}>
      Check {domain} instead
    </a>
  )
}

/** Longer texts are refused before. */
const MAX_LENGTH = 320

/**
 * The domain in a text that is not quite one: `good..test`, `good,test`, `good.test/x`. Null if more
 * than the signs around the name would have to be guessed.
 */
export function suggestDomain(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const host = dropUrlAndAddress(text.trim())
  if (host === null) return null
  const candidate = correctDots(host).toLowerCase()
  return candidate !== text.trim() && isDomain(candidate) ? candidate : null
}

/** Null with several addresses: either could be meant. */
function dropUrlAndAddress(text: string): string | null {
  const [authority = ''] = text
    .replace(/^[a-z][a-z\d+-]*:(?:\/\/?)?/i, '')
    .replace(/^\/\//, '')
    .split(/[/?#]/, 1)
  const [host = '', ...localParts] = authority.split('@').reverse()
  if (localParts.length > 1) return null
  return host.replace(/:\d*$/, '').replace(/>$/, '')
}

function correctDots(host: string): string {
  const spaced = host.replace(/\s*\.\s*/g, '.')
  // With a dot, other words may be separate names: "example.com example.org".
  const joined = spaced.includes('.') ? spaced : spaced.replace(/^(\S+)\s+(\S+)$/, '$1.$2')
  const isList = joined.split(',').filter(isDomain).length > 1
  return (isList ? joined : joined.replaceAll(',', '.')).replace(/\.{2,}/g, '.').replace(/^\./, '')
}

function isDomain(text: string): boolean {
  return parseDomain(text).kind === 'domain'
}
