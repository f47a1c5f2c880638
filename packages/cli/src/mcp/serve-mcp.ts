/** Every tool as an MCP server on standard input and output, over DNS and without a service. */
import { Readable, Writable } from 'node:stream'
import { escapeJson, toVisibleText, withoutPrivateNames } from '@mailgrade/core'
import { createReportDns, randomLabel } from '@mailgrade/doh'
import { createMcpServerFactory } from '@mailgrade/operations/mcp/mcp-server'
import { createOperationTool } from '@mailgrade/operations/mcp/operation-tool'
import { mcpInstructions, serverIdentity } from '@mailgrade/operations/mcp/server-identity'
import { hasTool } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import {
  type AcquireSlot,
  type RunOperation,
  runOperation,
  withConcurrencyLimit,
} from '@mailgrade/operations/run-operation'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import {
  type CommandContext,
  EXIT,
  type ExitCode,
  type OutputStream,
} from '../command-line/command.js'
import { openLocalDns, readAllowPrivateNames } from '../command-line/report-source.js'
import type { LocalSourceOptions } from '../command-line/shared-options.js'

/** As many as `mailgrade check` makes of several domains. */
const REPORTS_AT_ONCE = 8

/** Returns when the client closes the connection, or on Ctrl-C or SIGTERM. */
export async function serveMcp(
  options: LocalSourceOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdin, stdout, stderr, signal, now } = context
  const allowPrivateNames = readAllowPrivateNames(context.env)
  const { dns, timeoutMs } = openLocalDns(options, context.openDns)
  const knownDns = allowPrivateNames ? dns : withoutPrivateNames(dns)
  const runtime = {
    openReportDns: (_subject: string, cancelled?: AbortSignal) =>
      createReportDns(knownDns, {
        deadlineMs: timeoutMs,
        ...(cancelled && { signal: cancelled }),
      }),
    now: () => performance.now(),
    currentTime: now,
    baseUrl: null,
    randomLabel,
  }
  const createServer = createLocalServerFactory(
    (request, call) => runOperation(request, runtime, call.signal()),
    { stderr, allowPrivateNames },
  )
  const input = Readable.from(stdin)
  // At the end standard input is destroyed, and then the read in progress fails.
  input.on('error', () => {})
  const transport = new StdioServerTransport(input, toWritable(stdout))
  context.stopOnSigterm()
  if (stdin.isTTY) {
    stderr.write('Waiting for an MCP client on standard input. Press Ctrl-C to stop.\n')
  }
  const connection = serveStdio(
    () =>
      createServer(({ id, signal: cancelled }) => ({
        requestId: String(id),
        caller: () => 'client',
        signal: () => cancelled,
      })),
    { transport, onerror: (error) => void stderr.write(describeTransportError(error)) },
  )
  const closed = untilClosed(transport)
  const stop = () => void connection.close()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  await closed
  dns.close()
  stdin.destroy?.()
  return EXIT.fine
}

function createLocalServerFactory(
  run: RunOperation,
  { stderr, allowPrivateNames }: { stderr: OutputStream; allowPrivateNames: boolean },
) {
  const log = {
    error: (error: unknown) =>
      void stderr.write(
        `A call failed. Please report this:\n${toVisibleText(describeError(error))}\n`,
      ),
    // The client gets these, and shows what it wants to show.
    problem() {},
    toolCall() {},
  }
  const options = {
    baseUrl: null,
    log,
    allowPrivateNames,
    runOperation: withConcurrencyLimit(run, createReportSlots(REPORTS_AT_ONCE)),
  }
  return createMcpServerFactory({
    ...options,
    identity: serverIdentity(null),
    tools: OPERATIONS.filter(hasTool).map((operation) => createOperationTool(operation, options)),
    instructions: mcpInstructions(),
    now: () => performance.now(),
  })
}

/** The SDK has a listener of its own, which must still be called. */
function untilClosed(transport: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}

function toWritable(stdout: OutputStream): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      if (stdout.write(escapeJson(text))) done()
      else stdout.once('drain', done)
    },
  })
}

/** For a line that does not match its schema, the SDK has a list of issues instead of a message. */
function describeTransportError(error: Error): string {
  if (error.name.endsWith('ZodError')) return 'Ignored a line that isn’t a JSON-RPC message.\n'
  return `${toVisibleText(error.message)}\n`
}

function describeError(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error)
}

/**
 * Limits how many reports run at once, so an agent with many calls does not flood the resolver.
 * Calls wait in their order, as long as they are not cancelled.
 */
export function createReportSlots(limit: number): AcquireSlot {
  const waiting = new Set<() => void>()
  let free = limit

  function release(): void {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  return async function acquire(_caller, signal) {
    if (signal.aborted) return null
    if (free > 0) {
      free -= 1
      return release
    }
    return new Promise((resolve) => {
      const settle = (slot: typeof release | null) => {
        waiting.delete(start)
        signal.removeEventListener('abort', cancel)
        resolve(slot)
      }
      const start = () => settle(release)
      const cancel = () => settle(null)
      waiting.add(start)
      signal.addEventListener('abort', cancel)
    })
  }
}
