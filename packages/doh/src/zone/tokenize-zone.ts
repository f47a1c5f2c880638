/** Splits a zone file into entries of tokens (RFC 1035 §5.1). */

/** Escapes kept, quotes removed. */
export type ZoneToken = string

/** One record or directive; parentheses may spread it over several lines. */
export interface ZoneEntry {
  readonly line: number
  /** False when the entry starts with white space: it has the owner of the entry before it. */
  readonly hasOwner: boolean
  readonly tokens: readonly ZoneToken[]
}

/** The zone file is not valid. */
export class ZoneError extends Error {
  constructor(line: number, problem: string) {
    super(`zone file, line ${line}: ${problem}`)
  }
}

const LEXEME =
  /"(?<quoted>(?:\\.|[^"\\])*)"|(?<newline>\n)|;[^\n]*|[^\S\n]+|[()]|(?<token>(?:\\.|[^\s"();\\])+)|(?<stray>.)/gsu

const DEPTH_CHANGE: Record<string, number> = { '(': 1, ')': -1 }

/** Returns the entries of a zone file without comments. */
export function tokenizeZone(text: string): ZoneEntry[] {
  const entries: ZoneEntry[] = []
  let line = 1
  let depth = 0
  let isAtLineStart = true
  let tokens: ZoneToken[] = []

  const addToken = (token: ZoneToken) => {
    if (tokens.length === 0) entries.push({ line, hasOwner: isAtLineStart, tokens })
    tokens.push(token)
  }

  for (const { groups = {}, 0: lexeme } of text.matchAll(LEXEME)) {
    const { token = groups.quoted, newline, stray } = groups
    if (stray) throw new ZoneError(line, `${stray} is not closed`)
    if (token !== undefined) addToken(token)
    depth += DEPTH_CHANGE[lexeme] ?? 0
    if (depth < 0) throw new ZoneError(line, 'a closing parenthesis has no opening one')
    if (newline && depth === 0) tokens = []
    isAtLineStart = newline !== undefined
    line += lexeme.split('\n').length - 1
  }
  if (depth > 0) throw new ZoneError(line, 'a parenthesis is not closed')
  return entries
}
