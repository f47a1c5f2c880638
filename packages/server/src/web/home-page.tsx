/** The home page: check a domain for free, then the paid reports and the API. */
import type { FormValues } from '../http/query-parameters.js'
import { check } from '../operations/check.js'
import { exampleInput } from '../operations/operation.js'
import { PATHS } from '../operations/service-paths.js'
import { fieldValue, SelectorFields } from './input-fields.js'
import type { Page } from './layout.js'
import { PaidReports } from './paid-reports.js'
import { CopyableBlock } from './parts/copyable.js'
import { useLink, useSite } from './site-context.js'

const DEMO_DOMAINS = {
  'good.test': 'everything set up correctly',
  'monitoring.test': 'DMARC in monitoring mode',
  'lookups.test': 'SPF with too many lookups',
  'parked.test': 'parked domain without protection',
}

const TITLE = 'Can strangers send email as your domain?'
const DESCRIPTION =
  'Check whether a domain can be spoofed, and get the exact DNS records that fix it. For people and AI agents.'

export function homePage(): Page {
  return { title: TITLE, description: DESCRIPTION, body: <Home /> }
}

function Home() {
  const { isSandbox } = useSite()
  return (
    <>
      <section class="hero">
        <h1>{TITLE}</h1>
        <p>
          Free check: see who can send email as your domain, what happens to forgeries, and which
          DNS records fix it.
        </p>
        <DomainForm values={{}} />
        {isSandbox && <DemoDomains />}
      </section>
      <PaidReports values={{}} />
      <ForDevelopers />
    </>
  )
}

export function DomainForm({ values }: { values: FormValues }) {
  const link = useLink()
  return (
    <search>
      <form class="ask" action={link('/')} method="get">
        <label for="domain">Domain, email address or website</label>
        <div>
          <input
            id="domain"
            name="domain"
            value={fieldValue(values, 'domain')}
            required
            maxlength={320}
            placeholder="example.com"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            inputmode="url"
          />
          <button type="submit">Check</button>
        </div>
        <SelectorFields values={values} />
      </form>
    </search>
  )
}

function DemoDomains() {
  const link = useLink()
  return (
    <div class="demo">
      <p>Example domains to try:</p>
      <ul>
        {Object.entries(DEMO_DOMAINS).map(([domain, description]) => (
          <li>
            <a href={link(`/?domain=${domain}`)}>{domain}</a>: {description}
          </li>
        ))}
      </ul>
    </div>
  )
}

function ForDevelopers() {
  const { baseUrl, limit, windowSeconds, isSandbox } = useSite()
  const link = useLink()
  const query = new URLSearchParams(exampleInput(check, isSandbox))
  return (
    <section aria-labelledby="developers">
      <h2 id="developers">For developers and agents</h2>
      <p>
        The same check over HTTP. No API key; {limit} free requests per {windowSeconds} seconds:
      </p>
      <CopyableBlock text={`curl '${baseUrl}${check.path}?${query}'`} what="the command" />
      <p>As tools for AI agents, over MCP (Model Context Protocol):</p>
      <CopyableBlock text={baseUrl + PATHS.mcp} what="the URL" />
      <p>
        <a href={link(PATHS.docs)}>Documentation</a>: every endpoint, finding and error.
      </p>
    </section>
  )
}
