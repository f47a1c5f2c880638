/** How text looks on a terminal: its width, its color, and a line that changes. */

import { styleText } from 'node:util'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { CommandContext, OutputStream } from '../command-line/command.js'

/** How the text output of a command looks. */
export interface Layout {
  readonly columns: number
  readonly style: Style
}

const DEFAULT_COLUMNS = 80
/** Longer lines are hard to read, and a terminal below 40 columns wraps them itself. */
const MIN_COLUMNS = 40
const MAX_COLUMNS = 120

export function createLayout(stream: OutputStream, env: CommandContext['env']): Layout {
  const columns = stream.columns ?? Number(env.COLUMNS ?? DEFAULT_COLUMNS)
  const isUsable = Number.isFinite(columns) && columns > 0
  return {
    columns: Math.min(Math.max(isUsable ? columns : DEFAULT_COLUMNS, MIN_COLUMNS), MAX_COLUMNS),
    style: createStyle(stream, env),
  }
}

/** Nobody reads more, and text in other scripts takes seconds to measure. */
const MAX_PARAGRAPH = 20_000

/** A word of a stranger that would begin a line, where CI systems read it as a command. */
const COMMAND_LINE = /\n(?=::|##\[|##teamcity\[)/g

/** Paragraphs with every line indented, the first line by `first` where that differs. */
export function wrapText(
  text: string,
  columns: number,
  indent: string,
  first: string = indent,
): string {
  const shown =
    text.length > MAX_PARAGRAPH
      ? `${text.slice(0, MAX_PARAGRAPH).replace(/[\ud800-\udbff]$/, '')}…`
      : text
  const wrapped = wrapAnsi(shown, columns - stringWidth(indent), { hard: false })
  const lines = wrapped.replace(COMMAND_LINE, ' ').split('\n')
  return lines.map((line, index) => (index === 0 ? first : indent) + line).join('\n')
}

/** A narrower second column would have one word a line. */
const MIN_DESCRIPTION = 16

/** Rows of two columns; the second wraps below itself, or goes below the first if it is narrow. */
export function describeList(
  rows: readonly (readonly [term: string, description: string])[],
  columns: number,
  indent = '  ',
): string {
  const width = Math.max(...rows.map(([term]) => stringWidth(term)))
  const hanging = indent + ' '.repeat(width + 2)
  const isNarrow = columns - stringWidth(hanging) < MIN_DESCRIPTION
  return rows
    .map(([term, description]) => {
      if (isNarrow) {
        const below = wrapText(description, columns, `${indent}  `)
        return `${wrapText(term, columns, indent)}\n${below}`
      }
      const first = `${indent}${term}${' '.repeat(width - stringWidth(term) + 2)}`
      return wrapText(description, columns, hanging, first)
    })
    .join('\n')
}

/** Blocks with an empty line between them; those that are null are left out. */
export function joinBlocks(blocks: readonly (string | null)[]): string {
  return `${blocks.filter((block) => block !== null).join('\n\n')}\n`
}

export type StyleName = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
type Style = (name: StyleName, text: string) => string

/** The conventions of no-color.org and of most command lines. */
function createStyle(stream: OutputStream, env: CommandContext['env']): Style {
  const isOn = env.FORCE_COLOR
    ? env.FORCE_COLOR !== '0'
    : stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  // Node need not look at its own streams to decide it again.
  return (name, text) => (isOn ? styleText(name, text, { validateStream: false }) : text)
}

const REDRAW_MS = 100

/** A line that shows the progress; `end` removes it. */
export async function openStatusLine(stream: OutputStream) {
  if (!stream.isTTY) return { show(_: string) {}, end() {} }
  const { createLogUpdate } = await import('log-update')
  // The type asks for a Node stream, but the library uses only what an `OutputStream` has.
  const update = createLogUpdate(stream as NodeJS.WriteStream)
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(text: string) {
      const now = performance.now()
      if (now - shownAt < REDRAW_MS) return
      shownAt = now
      update(text)
    },
    end: () => update.clear(),
  }
}
