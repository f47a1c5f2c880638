/** The start page of the documentation. */
import { isPaid, type Operation, type PaidOperation } from '../../operations/operation.js'
import { endpointDocsPath, PATHS } from '../../operations/service-paths.js'
import type { Page } from '../layout.js'
import { GUIDE_NAMES, GUIDES, guidePath } from '../page-paths.js'
import { useLink, useSite } from '../site-context.js'

export function docsPage(): Page {
  return {
    title: 'Documentation',
    description: 'Every endpoint, finding and error.',
    body: <Docs />,
  }
}

function Docs() {
  const { baseUrl, limit, windowSeconds, operations } = useSite()
  const link = useLink()
  return (
    <>
      <h1>Documentation</h1>
      <p>
        Send <code>GET</code> requests to <code>{baseUrl}</code>, or call tools over MCP (Model
        Context Protocol) at <code>{baseUrl + PATHS.mcp}</code>. Responses are JSON. Errors are
        problem details (RFC 9457) whose <code>type</code> links to a page here. You need no account
        and no API key.
      </p>
      <h2>Endpoints</h2>
      <p>
        Checks are free: {limit} requests in any {windowSeconds} seconds per caller, over all of
        them together.
      </p>
      <Endpoints operations={operations.filter((operation) => !isPaid(operation))} />
      <PaidEndpoints operations={operations.filter(isPaid)} />
      <h2>Guides</h2>
      <ul>
        {GUIDE_NAMES.map((name) => (
          <li>
            <a href={link(guidePath(name))}>{GUIDES[name]}</a>
          </li>
        ))}
      </ul>
      <h2>Reference</h2>
      <ul>
        <li>
          <a href={link(PATHS.findings)}>Findings</a>: everything a report can point out
        </li>
        <li>
          <a href={link(PATHS.problems)}>Problems</a>: every error and what to do
        </li>
        <li>
          <a href={link(PATHS.openapi)}>OpenAPI document</a> with all schemas
        </li>
      </ul>
    </>
  )
}

function PaidEndpoints({ operations }: { operations: readonly PaidOperation[] }) {
  const link = useLink()
  if (operations.length === 0) {
    return (
      <p>This instance sells no reports. Some guides describe paid reports of other instances.</p>
    )
  }
  return (
    <>
      <p>
        Reports are paid per request with <a href={link(guidePath('payments'))}>x402</a>.
      </p>
      <Endpoints operations={operations} />
    </>
  )
}

function Endpoints({ operations }: { operations: readonly Operation[] }) {
  const link = useLink()
  return (
    <ul>
      {operations.map((operation) => (
        <li>
          <a href={link(endpointDocsPath(operation))}>
            <code>{operation.path}</code>
          </a>
          {operation.price && <strong> {operation.price} USD</strong>}: {operation.summary}
        </li>
      ))}
    </ul>
  )
}
