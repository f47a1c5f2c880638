/** The start page for people who have never heard of SPF. */
import type { Page } from '../layout.js'
import { FINDING_IDS, mechanismPagePath } from '../page-paths.js'
import { useLink } from '../site-context.js'
import { createAcronymExpander } from './acronyms.js'
import { FindingLinks } from './finding-page.js'
import { MECHANISM_NAMES, mechanismTitle } from './mechanisms/mechanism.js'
import { MECHANISMS } from './mechanisms/mechanisms.js'

export function learnPage(): Page {
  return {
    title: 'How email forgery works',
    description: 'Why strangers can send mail as your domain, and how to stop them, step by step.',
    body: <Learn />,
  }
}

const FORGERY = [
  'Anyone can write any sender into an email. Mail servers deliver it, unless the owner of that domain has published rules.',
  'You publish the rules as records in DNS, where every mail server can read them. Three records work together: a list of your servers, a key for signatures, and a policy for all other mail.',
  'Receivers can then refuse forged mail, and they trust your own mail more.',
]

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
      <h1>How email forgery works</h1>
      {FORGERY.map((text) => (
        <p>{expand(text)}</p>
      ))}
      <p>
        <a href={link('/')}>Check your domain</a> to see which of them you have.
      </p>
      <h2>What protects you</h2>
      <ul class="cards">
        {MECHANISM_NAMES.map((name) => (
          <li>
            <a href={link(mechanismPagePath(name))}>{mechanismTitle(MECHANISMS[name])}</a>
            <span>{expand(MECHANISMS[name].summary)}</span>
          </li>
        ))}
      </ul>
      <h2>What our check can find</h2>
      <p>{expand('Each page says what it means and how to fix it.')}</p>
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
