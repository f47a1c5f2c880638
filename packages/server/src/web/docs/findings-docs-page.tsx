/** Every finding, each with an anchor. */
import { FINDINGS } from '@mailgrade/core'
import type { Page } from '../layout.js'
import { findingPagePath } from '../page-paths.js'
import { Reference } from '../parts/inline-text.js'
import { Badge, SEVERITY_TONES } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'

const AREAS = {
  spf: 'SPF',
  dmarc: 'DMARC',
  dkim: 'DKIM',
  mx: 'MX',
  transport: 'Transport',
  plan: 'Fix plan',
}

export function findingsDocsPage(): Page {
  return {
    title: 'Findings',
    description: 'Every finding a report can have, with its id, severity, title, and points.',
    body: <AllFindings />,
  }
}

function AllFindings() {
  const findings = Object.entries(FINDINGS)
  const link = useLink()
  return (
    <>
      <h1>Findings</h1>
      <p>
        Every finding a report can have, by id. Ids don’t change. <em>Critical</em> and{' '}
        <em>high</em> findings make a check fail, <em>medium</em> and <em>low</em> make it warn, and{' '}
        <em>info</em> doesn’t change the result.
      </p>
      {Object.entries(AREAS).map(([area, title]) => (
        <section aria-labelledby={area}>
          <h2 id={area}>{title}</h2>
          <dl class="members">
            {findings
              .filter(([id]) => id.startsWith(`${area}.`))
              .map(([id, { severity, title, points, reference }]) => (
                <div id={id}>
                  <dt>
                    <a href={`#${id}`}>
                      <code>{id}</code>
                    </a>{' '}
                    <Badge tone={SEVERITY_TONES[severity]} word={severity} />
                  </dt>
                  <dd>
                    {title}. {points && `It costs up to ${points} points.`}{' '}
                    <Reference text={reference} /> ·{' '}
                    <a href={link(findingPagePath(id))}>How to fix {id}</a>
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </>
  )
}
