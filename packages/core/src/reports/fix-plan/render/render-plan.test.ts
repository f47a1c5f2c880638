import { describe, expect, test } from 'vitest'
import {
  dnsHostServing,
  PLAN_ZONE,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import { type CalendarEvent, formatCalendar, renderPlan } from './render-plan.js'

const NOW = new Date('2026-11-16T12:00:00Z')
const CLOUDFLARE = dnsHostServing('ada.ns.cloudflare.com')

const PLANNED = [
  plannedTxt('acme.test', 'v=spf1 include:_spf.google.com ~all', {
    action: 'replace',
    replaces: ['v=spf1 a -all'],
    otherValues: ['verification=1'],
    lookupCount: 4,
  }),
  plannedTxt('s._domainkey.acme.test', `p=${'A'.repeat(298)}`, { purpose: 'dkim' }),
  plannedCname('k1._domainkey.acme.test', 'k1.mail.test'),
  plannedMx('acme.test', '1 smtp.google.com', { action: 'keep' }),
  plannedTxt('acme.test._report._dmarc.other.test', 'v=DMARC1', { purpose: 'dmarc' }),
]

const plan = (host: typeof CLOUDFLARE | null, planned = PLANNED) =>
  renderPlan({ planned, rollout: [], zone: PLAN_ZONE, host, domain: 'acme.test', now: NOW })

test('numbers the records and adds what to enter', () => {
  expect(plan(CLOUDFLARE).records).toEqual([
    {
      order: 1,
      action: 'replace',
      type: 'TXT',
      name: 'acme.test',
      host: '@',
      value: 'v=spf1 include:_spf.google.com ~all',
      valueToEnter: 'v=spf1 include:_spf.google.com ~all',
      chunks: ['v=spf1 include:_spf.google.com ~all'],
      ttl: 3600,
      replaces: ['v=spf1 a -all'],
      purpose: 'spf',
      service: null,
      why: 'Because.',
      onlyIf: null,
      optional: false,
      placeholders: [],
      lookupCount: 4,
    },
    expect.objectContaining({
      order: 2,
      host: 's._domainkey',
      chunks: [`p=${'A'.repeat(253)}`, 'A'.repeat(45)],
    }),
    expect.objectContaining({ order: 3, host: 'k1._domainkey', chunks: ['k1.mail.test'] }),
    expect.objectContaining({ order: 4, action: 'keep', host: '@', chunks: ['1 smtp.google.com'] }),
    expect.objectContaining({ order: 5, host: 'acme.test._report._dmarc.other.test' }),
  ])
})

test('exports Terraform only for supported hosts', () => {
  expect(plan(CLOUDFLARE).exports.terraform).toMatch(/^resource "cloudflare_dns_record" /m)
  expect(plan(dnsHostServing('ns1.domaincontrol.com')).exports.terraform).toBeNull()
  expect(plan(null).exports.terraform).toBeNull()
})

test('renders zone file and steps for every host', () => {
  const { exports, steps } = plan(null)
  expect(exports.zoneFile).toContain('\nk1._domainkey.acme.test. 3600 IN CNAME k1.mail.test.\n')
  expect(steps.map(({ title, records }) => [title, records])).toEqual([
    ['Correct the SPF record', [1]],
    ['Publish your own server’s DKIM key', [2]],
    ['Have your own server sign your mail', []],
    ['Publish your own server’s DKIM key', [3]],
    ['Have your own server sign your mail', []],
    ['Ask other.test to accept your reports', [5]],
  ])
})

test('asks to move a parked domain to another DNS host', () => {
  const parked = plan(dnsHostServing('ns1.sedoparking.com'))
  const unknown = plan(null)
  expect([parked.records, parked.exports]).toEqual([unknown.records, unknown.exports])
  expect(parked.steps.map(({ title }) => title)).toEqual(unknown.steps.map(({ title }) => title))
  expect(parked.steps[0]).toMatchObject({
    where: 'The DNS host you choose for acme.test',
    actions: [
      'acme.test’s name servers belong to a parking service. At your registrar, first move the domain’s DNS to a host where you can publish records, and copy your other records there.',
      'If the registrar shows DS records (DNSSEC), delete them at least a day before the move. Otherwise, the domain will stop working.',
      unknown.steps[0]?.actions[0],
    ],
  })
})

test('says everywhere that nothing has to change', () => {
  expect(plan(CLOUDFLARE, [])).toEqual({
    records: [],
    steps: [],
    rollout: [],
    exports: {
      zoneFile: '; Nothing to change.\n',
      terraform: '# Provider: cloudflare/cloudflare, version 5\n\n# Nothing to change.\n',
      calendar: null,
    },
    earliestEnd: '2026-11-16',
  })
})

const stage = (number: number, minimumDays: number, name = '_dmarc.acme.test') => ({
  stage: number,
  record: { type: 'TXT' as const, name, value: `v=DMARC1; x=${number}` },
  minimumDays,
  proceedWhen: [`Stage ${number} went well.`],
  onlyIf: null,
  dashboard: null,
  rollback: 'Go back.',
})
const ROLLOUT = [stage(1, 30), stage(2, 7), stage(3, 0)]
const POLICY = plannedTxt('_dmarc.acme.test', 'v=DMARC1; x=1', { purpose: 'dmarc' })

/** The titles and days of the events. */
const eventsOf = (calendar: string | null) =>
  [...(calendar ?? '').matchAll(/DATE:(\d+)\r\nSUMMARY:(.*)\r/g)].map(
    ([, day, title]) => `${day} ${title}`,
  )

test('the stages follow each other from today', () => {
  const { earliestEnd, exports } = renderPlan({
    planned: [POLICY],
    rollout: ROLLOUT,
    zone: PLAN_ZONE,
    host: null,
    domain: 'acme.test',
    now: NOW,
  })
  expect(earliestEnd).toBe('2026-12-23')
  expect(eventsOf(exports.calendar)).toEqual([
    '20261216 acme.test: DMARC stage 2 of 3',
    '20261223 acme.test: DMARC stage 3 of 3',
  ])
})

test('a stage that is published already may have lasted long enough', () => {
  const { earliestEnd, exports } = renderPlan({
    planned: [{ ...POLICY, action: 'keep' }],
    rollout: ROLLOUT,
    zone: PLAN_ZONE,
    host: null,
    domain: 'acme.test',
    now: NOW,
  })
  expect(earliestEnd).toBe('2026-11-23')
  expect(eventsOf(exports.calendar)).toEqual([
    '20261116 acme.test: DMARC stage 2 of 3',
    '20261123 acme.test: DMARC stage 3 of 3',
  ])
})

test('the calendar has what is removed a week later', () => {
  const later = plannedTxt('s._domainkey.acme.test', 'v=DKIM1; p=', {
    purpose: 'dkim',
    action: 'delete',
    isLater: true,
    onlyIf: 'A week has passed.',
  })
  const now = plannedTxt('old.acme.test', 'x', { action: 'delete' })
  const { calendar } = plan(null, [now, later]).exports
  expect(eventsOf(calendar)).toEqual(['20261123 acme.test: delete the old DKIM key s'])
  expect(calendar?.replaceAll('\r\n ', '')).toContain(
    'DESCRIPTION:Only if: A week has passed.\\nDelete the TXT record at s._domainkey.acme.test.\r\n',
  )
})

const MADE_AT = new Date('2026-11-16T12:34:56.789Z')

const event = (changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id: 'stage-2',
  date: '2026-12-16',
  title: 'Stage 2',
  text: 'Do it.',
  ...changes,
})

const format = (...events: CalendarEvent[]) => formatCalendar('acme.test', events, MADE_AT) ?? ''

/** The content lines, unfolded as RFC 5545 §3.1 says. */
const unfold = (calendar: string) => calendar.replace(/\r\n[ \t]/g, '').split('\r\n')

/** The text of a property, unescaped as RFC 5545 §3.3.11 says. */
function textOf(calendar: string, property: string): string | undefined {
  const line = unfold(calendar).find((each) => each.startsWith(`${property}:`))
  return line
    ?.slice(property.length + 1)
    .replace(/\\(.)/g, (_, character: string) => (/[nN]/.test(character) ? '\n' : character))
}

describe('calendar', () => {
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
    expect(formatCalendar('acme.test', [], MADE_AT)).toBeNull()
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
})
