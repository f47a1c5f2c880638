/** Where the documentation begins. */

import { isPaid, type Operation } from '../../operations/operation.js'
import { OPERATIONS } from '../../operations/operations.js'
import { endpointDocsPath } from '../../operations/pages.js'
import { PATHS } from '../../operations/service-paths.js'
import type { Page } from '../layout.js'
import { GUIDE_NAMES, GUIDES, guidePath } from '../page-paths.js'
import { useLink, useSite } from '../site-context.js'

export function docsPage(): Page {
  return {
    title: 'Documentation',
    description: 'Every endpoint, finding and problem of the service, and how to pay.',
    body: <Docs />,
  }
}

function Docs() {
  const { baseUrl, limit, windowSeconds } = useSite()
  const link = useLink()
  return (
    <>
      <h1>Documentation</h1>
      <p>
        Everything is asked for by <code>GET</code> at <code>{baseUrl}</code>, or as a tool over MCP
        at <code>{baseUrl + PATHS.mcp}</code>. Answers are JSON; errors are problem details (RFC
        9457) whose <code>type</code> leads to a page here. No account, no key.
      </p>
      <h2>Endpoints</h2>
      <p>
        The checks are free: {limit} requests in any {windowSeconds} seconds for one caller, over
        all of them together.
      </p>
      <Endpoints operations={OPERATIONS.filter((operation) => !isPaid(operation))} />
      <p>
        The reports are paid for one by one, by <a href={link(guidePath('payments'))}>x402</a>.
      </p>
      <Endpoints operations={OPERATIONS.filter(isPaid)} />
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
          <a href={link(PATHS.findings)}>Every finding</a> that a report can hold
        </li>
        <li>
          <a href={link(PATHS.problems)}>Every problem</a> that a request can end in
        </li>
        <li>
          <a href={link(PATHS.openapi)}>OpenAPI document</a> with all schemas
        </li>
      </ul>
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
