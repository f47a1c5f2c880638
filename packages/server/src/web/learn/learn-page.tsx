/** The start page for people who have never heard of SPF. */
import { CONTENT } from '../../content/generated/content.js'
import type { Page } from '../layout.js'
import { FINDING_IDS, mechanismPagePath } from '../page-paths.js'
import { findSection, Prose } from '../prose.js'
import { useLink } from '../site-context.js'
import { createAcronymExpander, expandProse } from './acronyms.js'
import { FindingLinks } from './finding-page.js'
import { MECHANISM_NAMES, MECHANISMS, mechanismTitle } from './mechanisms.js'

const LEARN = CONTENT.pages.learn
const PROTECTS = findSection(LEARN, 'mechanisms')
const CAN_FIND = findSection(LEARN, 'findings')

export function learnPage(): Page {
  const { title, description } = LEARN
  return { title, description, body: <Learn /> }
}

/** The areas of findings, in the order of the catalog. */
const AREAS = {
  spf: mechanismTitle(MECHANISMS.spf),
  dmarc: mechanismTitle(MECHANISMS.dmarc),
  dkim: mechanismTitle(MECHANISMS.dkim),
  mx: mechanismTitle(MECHANISMS.mx),
  transport: 'Encryption and logo',
  plan: 'Fix plan',
}

function Learn() {
  const link = useLink()
  const expand = createAcronymExpander(MECHANISM_NAMES.map((name) => MECHANISMS[name].acronym))
  return (
    <>
      <h1>{LEARN.title}</h1>
      <Prose of={expandProse(LEARN.intro, expand)} />
      <h2>
        <Prose of={PROTECTS.title} />
      </h2>
      <ul class="cards">
        {MECHANISM_NAMES.map((name) => (
          <li>
            <a href={link(mechanismPagePath(name))}>{mechanismTitle(MECHANISMS[name])}</a>
            <span>{expand(MECHANISMS[name].summary)}</span>
          </li>
        ))}
      </ul>
      <h2>
        <Prose of={CAN_FIND.title} />
      </h2>
      <Prose of={expandProse(CAN_FIND.body, expand)} />
      {Object.entries(AREAS).map(([area, title]) => {
        const ids = FINDING_IDS.filter((id) => id.startsWith(`${area}.`))
        return (
          <details class="long-list" id={area}>
            <summary>
              {title}: {ids.length} findings
            </summary>
            <FindingLinks ids={ids} />
          </details>
        )
      })}
    </>
  )
}
