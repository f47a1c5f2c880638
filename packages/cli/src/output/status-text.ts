/** A status with its sign, which also works without color. */
import { STATUS_SIGNS, STATUS_WORDS, type StatusName } from '@mailgrade/core'
import type { Layout } from '../terminal/layout.js'
import type { StyleName } from '../terminal/style.js'

export const STATUS_STYLES = {
  pass: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'dim',
} as const satisfies Record<StatusName, StyleName>

export function statusText(status: StatusName, { style }: Layout): string {
  return style(STATUS_STYLES[status], `${STATUS_SIGNS[status]} ${STATUS_WORDS[status]}`)
}

/** Records as published, never wrapped, so they can be copied. */
export function recordLines(records: readonly string[]): string {
  return records.map((record) => `  ${record}`).join('\n')
}

export function reportHeading(title: string, status: StatusName, layout: Layout): string {
  return `${layout.style('bold', title)}: ${statusText(status, layout)}`
}
