import { expect, test } from 'vitest'
import { type CalendarEvent, formatCalendar } from './calendar.js'

const NOW = new Date('2026-11-16T12:34:56.789Z')

const event = (changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id: 'stage-2',
  date: '2026-12-16',
  title: 'Stage 2',
  text: 'Do it.',
  ...changes,
})

const format = (...events: CalendarEvent[]) => formatCalendar('acme.test', events, NOW) ?? ''

/** The content lines, unfolded as RFC 5545 §3.1 says. */
const unfold = (calendar: string) => calendar.replace(/\r\n[ \t]/g, '').split('\r\n')

/** The text of a property, unescaped as RFC 5545 §3.3.11 says. */
function textOf(calendar: string, property: string): string | undefined {
  const line = unfold(calendar).find((each) => each.startsWith(`${property}:`))
  return line
    ?.slice(property.length + 1)
    .replace(/\\(.)/g, (_, character: string) => (/[nN]/.test(character) ? '\n' : character))
}

test('has one event for each step', () => {
  expect(unfold(format(event(), event({ id: 'remove-3', date: '2027-01-02' })))).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Mailgrade//Fix plan//EN',
    'BEGIN:VEVENT',
    'UID:stage-2.acme.test@mailgrade',
    'DTSTAMP:20261116T123456Z',
    'DTSTART;VALUE=DATE:20261216',
    'SUMMARY:Stage 2',
    'DESCRIPTION:Do it.',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:remove-3.acme.test@mailgrade',
    'DTSTAMP:20261116T123456Z',
    'DTSTART;VALUE=DATE:20270102',
    'SUMMARY:Stage 2',
    'DESCRIPTION:Do it.',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ])
})

test('is null without events', () => {
  expect(formatCalendar('acme.test', [], NOW)).toBeNull()
})

test('ends every line with CRLF', () => {
  expect(format(event()).match(/(?<!\r)\n|\r(?!\n)/)).toBeNull()
})

test.each([
  'Publish: _dmarc.acme.test TXT "v=DMARC1; p=none, x"',
  'a\\b;c,d:e"f',
  'first\nsecond\r\nthird',
  `${'ü€😀'.repeat(60)} end`,
  'A'.repeat(500),
])('keeps the text %j', (text) => {
  const calendar = format(event({ text, title: text }))
  const lines = text.replaceAll('\r\n', '\n')
  expect(textOf(calendar, 'DESCRIPTION')).toBe(lines)
  expect(textOf(calendar, 'SUMMARY')).toBe(lines)
})

test('folds lines at 75 octets, never within a character', () => {
  const lines = format(event({ text: `${'ü€😀'.repeat(60)}${'A'.repeat(200)}` })).split('\r\n')
  const octets = lines.map((line) => Buffer.byteLength(line))
  expect(Math.max(...octets)).toBeGreaterThan(70)
  expect(Math.max(...octets)).toBeLessThanOrEqual(75)
  expect(lines.join('')).not.toContain('\uFFFD')
})

test('does not fold a line of exactly 75 octets', () => {
  const text = 'A'.repeat(75 - 'DESCRIPTION:'.length)
  expect(format(event({ text })).split('\r\n')).toContain(`DESCRIPTION:${text}`)
  expect(format(event({ text: `${text}B` })).split('\r\n')).toContain(' B')
})
