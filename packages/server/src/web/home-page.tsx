/** The page for people: ask about a domain, see how it stands. */

import { check } from '../operations/check.js'
import { exampleInput } from '../operations/sample-query.js'
import { PATHS } from '../operations/service-paths.js'
import type { Page } from './layout.js'
import { PaidReports } from './paid-reports.js'
import { CopyableBlock } from './parts/copyable.js'
import { useLink, useSite } from './site-context.js'

const DEMO_DOMAINS = {
  'good.test': 'everything right',
  'monitoring.test': 'DMARC that only watches',
  'lookups.test': 'SPF with too many lookups',
  'parked.test': 'sends no mail, and does not say so',
}

const TITLE = 'Can a stranger send mail in your name?'
const DESCRIPTION =
  'Checks SPF, DKIM, DMARC and MX of a domain over live DNS, and tells exactly which records to publish. The checks are free and need no account; paid reports for people and agents, by x402.'

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
          See at once how a domain stands: who may send for it, what receivers do with forged mail,
          which keys it signs with, and what to publish to make it safe.
        </p>
        <DomainForm domain="" />
        {isSandbox && <DemoDomains />}
      </section>
      <PaidReports domain="" />
      <ForMachines />
    </>
  )
}

export function DomainForm({ domain }: { domain: string }) {
  const link = useLink()
  return (
    <search>
      <form class="ask" action={link('/')} method="get">
        <label for="domain">Domain, or an address or URL on it</label>
        <div>
          <input
            id="domain"
            name="domain"
            value={domain}
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
      </form>
    </search>
  )
}

function DemoDomains() {
  const link = useLink()
  return (
    <div class="demo">
      <p>Domains to try, which need no internet:</p>
      <ul>
        {Object.entries(DEMO_DOMAINS).map(([domain, words]) => (
          <li>
            <a href={link(`/?domain=${domain}`)}>{domain}</a>: {words}
          </li>
        ))}
      </ul>
    </div>
  )
}

function ForMachines() {
  const { baseUrl, limit, windowSeconds, isSandbox } = useSite()
  const link = useLink()
  const query = new URLSearchParams(exampleInput(check, isSandbox))
  return (
    <section aria-labelledby="machines">
      <h2 id="machines">For developers and agents</h2>
      <p>
        The same over HTTP, {limit} free requests in any {windowSeconds} seconds, no key:
      </p>
      <CopyableBlock text={`curl '${baseUrl}${check.path}?${query}'`} what="the command" />
      <p>As tools over MCP, streamable HTTP without a session:</p>
      <CopyableBlock text={baseUrl + PATHS.mcp} what="the address" />
      <p>
        <a href={link(PATHS.docs)}>Documentation</a> of every endpoint, finding and problem.
      </p>
    </section>
  )
}
