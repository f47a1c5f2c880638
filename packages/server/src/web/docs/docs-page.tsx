/** The start pages of the documentation: for callers, and for people who run an instance. */
import { mx } from '@mailgrade/operations/mx'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { DocumentedResponses } from '../../discovery/documented-responses.js'
import type { Page } from '../layout.js'
import { CopyableBlock } from '../parts/copyable.js'
import { formatAmount } from '../parts/format-amount.js'
import { useLink, useSite } from '../site-context.js'
import { callersMenu, type MenuGroup, type MenuItem, OPERATORS_MENU } from './docs-menu.js'
import { curlExample, exampleUrl } from './request-examples.js'

/** A small report, so the whole response is easy to read. */
const FIRST_OPERATION = mx
export const FIRST_OPERATION_ID = FIRST_OPERATION.id

export function docsPage({ result }: Partial<DocumentedResponses> = {}): Page {
  return {
    title: 'Documentation',
    description: 'Make your first request, then find every endpoint, guide, finding, and error.',
    body: <Docs result={result} />,
  }
}

function Docs({ result }: { result: object | undefined }) {
  const site = useSite()
  const { start, groups } = callersMenu(site)
  return (
    <>
      <h1>{start.title}</h1>
      <FirstRequest result={result} />
      {groups.map((group) => (
        <Group group={group} />
      ))}
    </>
  )
}

function FirstRequest({ result }: { result: object | undefined }) {
  const { baseUrl, isSandbox } = useSite()
  const url = exampleUrl(FIRST_OPERATION, { baseUrl, isSandbox })
  return (
    <>
      <p>Paste this into a terminal. You don’t need an account or an API key.</p>
      <CopyableBlock text={curlExample(FIRST_OPERATION, url)} what="the command" />
      {result && (
        <>
          <p>You get this response{!isSandbox && ' (here for a demo domain)'}:</p>
          <div class="one-line">
            <CopyableBlock text={JSON.stringify(result)} what="the response" />
          </div>
        </>
      )}
      <p>
        All endpoints take <code>GET</code> requests and return JSON. Errors are problem details
        (RFC 9457), and their <code>type</code> links to a page here. AI agents can call the same
        checks as tools over MCP (Model Context Protocol) at <code>{baseUrl + PATHS.mcp}</code>.
      </p>
    </>
  )
}

export function operatorsPage(): Page {
  const { title } = OPERATORS_MENU.start
  return {
    title,
    description: 'Run the free checks for your own users, or sell reports.',
    body: (
      <>
        <h1>{title}</h1>
        <p>
          Run the free checks for your own users, or sell reports to anyone. You need a machine with
          Docker and a host name. You don’t need any of this to call someone else’s instance.
        </p>
        {OPERATORS_MENU.groups.map((group) => (
          <Group group={group} />
        ))}
      </>
    ),
  }
}

function Group({ group: { title, note, items } }: { group: MenuGroup }) {
  return (
    <>
      <h2>{title}</h2>
      {note && <p>{note}</p>}
      {items.length > 0 && (
        <ul class="docs-list">
          {items.map((item) => (
            <li>
              <Item item={item} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Item({ item: { path, title, isCode, price, about } }: { item: MenuItem }) {
  const link = useLink()
  return (
    <>
      <a href={link(path)}>{isCode ? <code>{title}</code> : title}</a>
      <span>
        {price && <strong>{formatAmount(price)} USD. </strong>}
        {about}
      </span>
    </>
  )
}
