/** Color, only on a terminal where it is not turned off. */
import { styleText } from 'node:util'
import type { CommandContext, OutputStream } from '../command-line/command.js'

export type StyleName = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
export type Style = (name: StyleName, text: string) => string

/** The conventions of no-color.org and of most command lines. */
export function createStyle(stream: OutputStream, env: CommandContext['env']): Style {
  const isOn = env.FORCE_COLOR
    ? env.FORCE_COLOR !== '0'
    : stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return isOn ? (name, text) => paint(name, text) : (_, text) => text
}

/** Whether to use color is decided above, so Node need not look at its own streams. */
function paint(name: StyleName, text: string): string {
  return styleText(name, text, { validateStream: false })
}
