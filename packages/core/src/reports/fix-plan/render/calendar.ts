/** Formats the later steps of a plan as an iCalendar file (RFC 5545). */
import { toVisibleText } from '../../visible-text.js'

export interface CalendarEvent {
  /** Unique within the calendar. */
  readonly id: string
  /** `2027-01-15`. */
  readonly date: string
  readonly title: string
  readonly text: string
}

/** Null without events. */
export function formatCalendar(
  domain: string,
  events: readonly CalendarEvent[],
  now: Date,
): string | null {
  if (events.length === 0) return null
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Mailgrade//Fix plan//EN',
    ...events.flatMap(({ id, date, title, text }) => [
      'BEGIN:VEVENT',
      `UID:${id}.${domain}@mailgrade`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`,
      `SUMMARY:${escapeText(title)}`,
      `DESCRIPTION:${escapeText(text)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return `${lines.map(foldLine).join('\r\n')}\r\n`
}

/** §3.3.11. */
function escapeText(text: string): string {
  return toVisibleText(text.replaceAll('\r\n', '\n'))
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

/** §3.1. */
const MAX_LINE_OCTETS = 75

/** A continued line starts with a space. Never splits a character. */
function foldLine(line: string): string {
  const folded: string[] = []
  let current = ''
  let octets = 0
  for (const character of line) {
    const size = utf8Octets(character)
    if (octets + size > MAX_LINE_OCTETS) {
      folded.push(current)
      current = ' '
      octets = 1
    }
    current += character
    octets += size
  }
  return [...folded, current].join('\r\n')
}

function utf8Octets(character: string): number {
  return character < '\x80' ? 1 : Buffer.byteLength(character)
}
