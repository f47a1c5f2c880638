/** The page of one finding: what it means and how to fix it. */
import { FINDINGS, type FindingId } from '@mailgrade/core'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Page } from '../layout.js'
import { findingPagePath, mechanismPagePath } from '../page-paths.js'
import { Reference, TextWithCode } from '../parts/inline-text.js'
import { Badge, SEVERITY_TONES } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'
import { createAcronymExpander } from './acronyms.js'
import { MECHANISMS } from './mechanisms.js'
import { SERVICE_LISTINGS } from './service-list.js'

export function findingPage(id: FindingId): Page {
  const { title, meaning } = FINDINGS[id]
  return {
    title,
    description: meaning.replaceAll('`', ''),
    body: <FindingBody id={id} />,
  }
}

function FindingBody({ id }: { id: FindingId }) {
  const link = useLink()
  const { severity, reference, title, meaning, steps, check, note, mechanism } = FINDINGS[id]
  const { isOftenElsewhere, needsNoChange } = FINDINGS[id]
  const { everydayName, acronym, fullName } = MECHANISMS[mechanism]
  const expand = createAcronymExpander([acronym])
  const isInPlan = id.startsWith('plan.')
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={link(PATHS.learn)}>Learn</a> ›{' '}
        <a href={link(mechanismPagePath(mechanism))}>
          {everydayName}: {fullName} ({acronym})
        </a>
      </nav>
      <h1>{title}</h1>
      <p>
        <Badge tone={SEVERITY_TONES[severity]} word={severity} />{' '}
        {(isInPlan ? PLAN_SEVERITY_MEANINGS : SEVERITY_MEANINGS)[severity]}
      </p>
      <h2>What it means</h2>
      <p>
        <TextWithCode text={expand(meaning)} />
      </p>
      <h2>How to fix it</h2>
      <ol class="steps">
        {steps.map((step) => (
          <li>
            <TextWithCode text={expand(step)} />
          </li>
        ))}
        <li>
          {!isInPlan && (
            <>
              <a href={link('/')}>Check your domain again.</a>{' '}
            </>
          )}
          <TextWithCode text={expand(check)} />
        </li>
      </ol>
      {note && (
        <p>
          <TextWithCode text={expand(note)} />
        </p>
      )}
      {isOftenElsewhere && <p>{expand(ELSEWHERE)}</p>}
      {!needsNoChange && (
        <>
          <p>{expand(WAIT)}</p>
          <h2>Where to do it</h2>
          <ul class="plain">
            {SERVICE_LISTINGS[mechanism] && (
              <li>
                <a href={`${link(mechanismPagePath(mechanism))}#services`}>
                  {acronym} at your mail provider and other services
                </a>
              </li>
            )}
            <li>
              <a href={`${link(mechanismPagePath(mechanism))}#dns-hosts`}>
                {expand('How to enter the record at your DNS host')}
              </a>
            </li>
          </ul>
        </>
      )}
      <h2>For experts</h2>
      <p class="source">
        Finding <a href={`${link(PATHS.findings)}#${id}`}>{id}</a> · Standard:{' '}
        <Reference text={reference} />
      </p>
    </>
  )
}

const SEVERITY_MEANINGS = {
  critical: 'Fix this first. Your domain is easy to forge.',
  high: 'Fix this soon. The check fails because of it.',
  medium: 'Fix this when you can. The check warns you about it.',
  low: 'A minor point. The check warns you about it.',
  info: 'Good to know. It doesn’t change the result.',
} as const

/** A fix plan has its own findings, which change no result. */
const PLAN_SEVERITY_MEANINGS = {
  critical: 'Read this before you follow the plan.',
  high: 'Read this before you follow the plan.',
  medium: 'Keep this in mind when you follow the plan.',
  low: 'A minor point about the plan.',
  info: 'Good to know about the plan.',
} as const satisfies Record<keyof typeof SEVERITY_MEANINGS, string>

const ELSEWHERE =
  'If the report names a different company’s record, you can’t change it yourself. Ask the company to fix it. Your report shows what you can do in the meantime.'

const WAIT = 'It can take an hour or more for everyone to see a change in DNS.'

/** Findings as a list of links to their pages. */
export function FindingLinks({ ids }: { ids: readonly FindingId[] }) {
  const link = useLink()
  return (
    <ul class="finding-links">
      {ids.map((id) => (
        <li>
          <Badge tone={SEVERITY_TONES[FINDINGS[id].severity]} word={FINDINGS[id].severity} />
          <a href={link(findingPagePath(id))}>{FINDINGS[id].title}</a>
        </li>
      ))}
    </ul>
  )
}
