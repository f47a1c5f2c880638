/** What a person sees who opens the URL for MCP clients in a browser. */
import { hasTool } from '@mailgrade/operations/operation'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Page } from '../layout.js'
import { guidePath } from '../page-paths.js'
import { CopyableBlock } from '../parts/copyable.js'
import { formatAmount } from '../parts/format-amount.js'
import { useLink, useSite } from '../site-context.js'
import { readGuide, withBaseUrl } from './guide-page.js'

export function mcpEndpointPage(pricingTool: string): Page {
  return {
    title: 'The MCP endpoint',
    description: 'This URL is for MCP clients. See how to add it to one and which tools you get.',
    isNoindex: true,
    body: <McpEndpoint pricingTool={pricingTool} />,
  }
}

function McpEndpoint({ pricingTool }: { pricingTool: string }) {
  const { baseUrl, name } = useSite()
  const link = useLink()
  return (
    <>
      <h1>This URL is for MCP clients</h1>
      <p class="summary">
        It works, just not in a browser. Add it to your AI agent so that it can check domains with{' '}
        {name}.
      </p>
      <p>
        MCP (Model Context Protocol) is how AI agents call other services’ tools. Clients send{' '}
        <code>POST</code> requests here. Your browser sent a <code>GET</code>, so this page has
        status 405.
      </p>
      <CopyableBlock text={baseUrl + PATHS.mcp} what="the URL" />
      <h2>Add it to a client</h2>
      {readClients().map(([client, line]) => (
        <>
          <h3>{client}</h3>
          <CopyableBlock text={withBaseUrl(line, baseUrl)} what={`the line for ${client}`} />
        </>
      ))}
      <p>
        <a href={link(`${guidePath('mcp')}#add-it-to-a-host`)}>More clients</a>
      </p>
      <h2>Tools</h2>
      <Tools pricingTool={pricingTool} />
      <p>
        For parameters, results, and payment, see{' '}
        <a href={link(guidePath('mcp'))}>MCP tools for agents</a>.
      </p>
    </>
  )
}

/** The rest is in the guide. */
const SHOWN_CLIENTS = 4

/** The clients that are set up with one line, and that line, as the guide has them. */
function readClients(): [string, string][] {
  const rows = readGuide('mcp').matchAll(/^\| ([^|]+?) +\| `([^`|]*\/mcp[^`|]*)` +\|$/gm)
  const clients = [...rows].map(([, client = '', line = '']): [string, string] => [
    client.replaceAll('`', ''),
    line,
  ])
  return clients.slice(0, SHOWN_CLIENTS)
}

function Tools({ pricingTool }: { pricingTool: string }) {
  const { operations } = useSite()
  const tools = operations.filter(hasTool).map(({ tool, price, summary }) => ({
    name: tool.name,
    price: price ? `${formatAmount(price)} USD` : 'Free',
    summary,
  }))
  const pricing = { name: pricingTool, price: 'Free', summary: 'What each tool costs' }
  return (
    <dl class="fields">
      {[...tools, pricing].map(({ name, price, summary }) => (
        <div>
          <dt>
            <code>{name}</code> <small>{price}</small>
          </dt>
          <dd>{summary}.</dd>
        </div>
      ))}
    </dl>
  )
}
