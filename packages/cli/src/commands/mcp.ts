/** `mailgrade mcp`: the checks as tools for an AI agent. */
import { defineCommand } from '../command-line/command.js'
import { LOCAL_SOURCE_OPTIONS, type LocalSourceOptions } from '../command-line/shared-options.js'

export const mcpCommand = defineCommand<LocalSourceOptions>({
  name: 'mcp',
  summary: 'run a local MCP server so your AI agent can check domains',
  argument: '',
  argumentDescription: '',
  options: LOCAL_SOURCE_OPTIONS,
  examples: [
    {
      command: 'claude mcp add mailgrade -- npx -y mailgrade mcp',
      explanation: 'Add it to Claude Code.',
    },
    {
      command: 'mailgrade mcp --resolver https://dns.quad9.net/dns-query',
      explanation: 'Use a different resolver.',
    },
  ],
  async run(_values, options, context) {
    const { serveMcp } = await import('../mcp/serve-mcp.js')
    return serveMcp(options, context)
  },
})
