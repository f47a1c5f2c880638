/** A status with its sign, which also works without color. */
import { STATUS_SIGNS, STATUS_WORDS, type StatusName } from '@mailgrade/core'
import type { Layout, StyleName } from '../terminal/layout.js'

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

/** Such as `SPF of acme.example: ✓ Good`. */
export function reportHeading(
  title: string,
  { status, ...subject }: ReportSubject & { readonly status: StatusName },
  layout: Layout,
): string {
  return `${subjectText(title, subject, layout)}: ${statusText(status, layout)}`
}

interface ReportSubject {
  readonly domain: string
  readonly unicodeDomain?: string | undefined
  readonly requested?: string | undefined
}

/** The domain as people and as DNS write it, and the name that was asked for if it is another. */
export function subjectText(
  title: string,
  { domain, unicodeDomain, requested }: ReportSubject,
  { style }: Layout,
): string {
  const name = unicodeDomain ? `${unicodeDomain} (${domain})` : domain
  return `${style('bold', `${title}${name}`)}${requested ? ` (you asked for ${requested})` : ''}`
}
