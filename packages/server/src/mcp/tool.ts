/** A tool: how it is listed, and what it does when it is called. */
import type { CallToolResult, Tool as Listing } from '@modelcontextprotocol/server'
import type { Problem, Visitor } from '../operations/perform.js'

/** The HTTP request that a call came with. */
export interface Visit extends Visitor {
  /** Counts a free call; the problem, if it is one too many. */
  takeTurn(): Promise<Problem | null>
}

export interface Call {
  readonly given: Readonly<Record<string, unknown>>
  /** As it came; undefined when none was sent. */
  readonly payment: unknown
  readonly visit: Visit
}

export interface Tool {
  readonly listing: Listing
  call(call: Call): Promise<CallToolResult>
}

export interface CallLog {
  /** How a call of a tool ended: `ok`, or the code of what came instead. */
  call(line: CallLine): void
  /** A fault of ours, which the caller sees as an error without details. */
  fault(error: unknown, requestId: string): void
}

interface CallLine {
  readonly requestId: string
  readonly tool: string
  readonly outcome: string
  readonly durationMs: number
}
