/** The home page: check a domain for free, what the check shows, and why it matters. */
import { type DomainReport, describeCheck } from '@mailgrade/core'
import { check } from '@mailgrade/operations/check'
import { exampleInput } from '@mailgrade/operations/operation'
import { PATHS } from '@mailgrade/operations/service-paths'
import { ForgedMailPath } from './check/forged-mail-path.js'
import { SampleAnswer } from './check/sample-answer.js'
import { DomainForm } from './input-fields.js'
import type { Page } from './layout.js'
import { mechanismPagePath } from './page-paths.js'
import { PaidReportList } from './paid-reports.js'
import { CopyableBlock } from './parts/copyable.js'
import { useLink, useSite } from './site-context.js'

const DEMO_DOMAINS = {
  'good.test': 'everything set up correctly',
  'monitoring.test': 'DMARC in monitoring mode',
  'lookups.test': 'SPF with too many lookups',
  'parked.test': 'parked domain without protection',
  'selector.test': 'a signing key we can’t find',
}

const TITLE = 'Is your domain safe from fake email?'
const DESCRIPTION =
  'Check whether a domain can be spoofed, and get the exact DNS records that fix it. For people and AI agents.'

/** `sample` is the result for a demo domain. */
export function homePage(sample: DomainReport): Page {
  return { title: TITLE, description: DESCRIPTION, body: <Home sample={sample} /> }
}

function Home({ sample }: { sample: DomainReport }) {
  const { isSandbox } = useSite()
  return (
    <>
      <section class="hero">
        <h1>{TITLE}</h1>
        <p class="summary">
          Enter your domain to see who can send email as you, what happens to fakes, and how to stop
          them. <strong>Free, no sign-up.</strong>
        </p>
        <DomainForm values={{}} />
        {isSandbox && <DemoDomains />}
      </section>
      <Sample report={sample} />
      <WhyItMatters />
      <PaidReportList />
      <ForDevelopers />
    </>
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

/** A real report on a demo domain, made by the same code as every other. */
function Sample({ report }: { report: DomainReport }) {
  return (
    <section aria-labelledby="sample">
      <h2 id="sample">What you will see</h2>
      <p>
        An answer in one sentence, the path of a forged email, and the records to fix, step by step.
        This is the result for an example domain:
      </p>
      <SampleAnswer report={report} />
      <ForgedMailPath path={describeCheck(report).path} level={3} />
    </section>
  )
}

function WhyItMatters() {
  const link = useLink()
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why it matters</h2>
      <ul>
        <li>
          <strong>Anyone can write your address as the sender.</strong> Email itself doesn’t check
          it.
        </li>
        <li>
          <strong>Customers pay fake invoices</strong> that seem to come from you.
        </li>
        <li>
          <strong>Your own mail lands in spam.</strong> Gmail, Yahoo and Outlook expect these
          records.
        </li>
      </ul>
      <p>
        Three DNS records stop it: <a href={link(mechanismPagePath('spf'))}>SPF</a> (who may send),{' '}
        <a href={link(mechanismPagePath('dkim'))}>DKIM</a> (signed mail) and{' '}
        <a href={link(mechanismPagePath('dmarc'))}>DMARC</a> (block the fakes).{' '}
        <a href={link(PATHS.learn)}>Learn how they work</a>.
      </p>
    </section>
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
        <a href={link(PATHS.docs)}>API docs</a>: every endpoint, finding and error.
      </p>
    </section>
  )
}
