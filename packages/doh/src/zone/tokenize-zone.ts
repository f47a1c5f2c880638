/** Zone-file text into entries of tokens (RFC 1035 §5.1): comments dropped, parentheses joined. */

/** As written, escapes included, quotes removed. */
export type ZoneToken = string

export interface ZoneEntry {
  readonly line: number
  /** An entry that begins with white space belongs to the owner before it. */
  readonly hasOwner: boolean
  readonly tokens: readonly ZoneToken[]
}

export class ZoneError extends Error {
  constructor(line: number, problem: string) {
    super(`zone file, line ${line}: ${problem}`)
  }
}

const LEXEME =
  /"(?<quoted>(?:\\.|[^"\\])*)"|(?<newline>\n)|;[^\n]*|[^\S\n]+|[()]|(?<token>(?:\\.|[^\s"();\\])+)|(?<stray>.)/gsu

const DEPTH_CHANGE: Record<string, number> = { '(': 1, ')': -1 }

export function tokenizeZone(text: string): ZoneEntry[] {
  const entries: ZoneEntry[] = []
  let line = 1
  let depth = 0
  let isAtMargin = true
  let tokens: ZoneToken[] = []

  const addToken = (token: ZoneToken) => {
    if (tokens.length === 0) entries.push({ line, hasOwner: isAtMargin, tokens })
    tokens.push(token)
  }

  for (const { groups = {}, 0: lexeme } of text.matchAll(LEXEME)) {
    const { token = groups.quoted, newline, stray } = groups
    if (stray) throw new ZoneError(line, `${stray} is not closed`)
    if (token !== undefined) addToken(token)
    depth += DEPTH_CHANGE[lexeme] ?? 0
    if (depth < 0) throw new ZoneError(line, 'a parenthesis closes that was never opened')
    if (newline && depth === 0) tokens = []
    isAtMargin = newline !== undefined
    line += lexeme.split('\n').length - 1
  }
  if (depth > 0) throw new ZoneError(line, 'a parenthesis is never closed')
  return entries
}
