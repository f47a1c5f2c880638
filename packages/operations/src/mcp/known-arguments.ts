/** A misspelled argument is an error: ignored, it would change the question without a word. */
import { findIntendedName, isPlainName } from '../mistyped-name.js'
import { invalidInputProblem } from '../run-operation.js'
import type { McpTool } from './mcp-tool.js'
import { loggedProblemResult, type ToolReplyOptions } from './tool-results.js'

export function withKnownArguments<Context extends { readonly requestId: string }>(
  tool: McpTool<Context>,
  options: ToolReplyOptions,
): McpTool<Context> {
  const names = Object.keys(tool.definition.inputSchema.properties ?? {})
  return {
    definition: tool.definition,
    async call(call) {
      const unknown = Object.keys(call.arguments).find((name) => !names.includes(name))
      if (unknown === undefined) return tool.call(call)
      const parameter = isPlainName(unknown) ? unknown : 'arguments'
      const detail = describeUnknown(unknown, names)
      return loggedProblemResult(invalidInputProblem({ parameter, detail }), options, call.context)
    },
  }
}

function describeUnknown(unknown: string, names: readonly string[]): string {
  if (!isPlainName(unknown)) return `There is no argument with that name. ${listNames(names)}`
  const intended = findIntendedName(unknown, names)
  const hint = intended === null ? listNames(names) : `Did you mean ${intended}?`
  return `There is no argument ${unknown}. ${hint}`
}

function listNames(names: readonly string[]): string {
  const [last, ...others] = [...names].reverse()
  if (last === undefined) return 'This tool takes no arguments.'
  if (others.length === 0) return `The only argument is ${last}.`
  return `The arguments are ${others.reverse().join(', ')} and ${last}.`
}
