/** Small aggregate reports for tests. */

export const DAY = 86_400

/** 2026-10-19 00:00 UTC. */
export const BEGIN = 1_792_368_000

interface AuthResult {
  readonly domain: string
  readonly result: string
  readonly selector?: string
}

export interface RecordValues {
  readonly ip?: string
  readonly count?: number | string
  readonly disposition?: string
  readonly dkim?: string
  readonly spf?: string
  readonly headerFrom?: string
  readonly envelopeFrom?: string
  readonly reasons?: readonly { readonly type: string; readonly comment?: string }[]
  readonly dkimResults?: readonly AuthResult[]
  readonly spfResults?: readonly AuthResult[]
}

export interface AggregateReportValues {
  readonly org?: string
  readonly email?: string
  readonly id?: string
  readonly begin?: number | string
  readonly end?: number | string
  /** The elements of policy_published. */
  readonly policy?: Readonly<Record<string, string>>
  readonly records?: readonly RecordValues[]
}

export function buildAggregateReport({
  org = 'receiver.test',
  email = `dmarc@${org}`,
  id = '1',
  begin = BEGIN,
  end = BEGIN + DAY - 1,
  policy = { domain: 'example.com', p: 'none' },
  records = [{}],
}: AggregateReportValues = {}): string {
  const metadata =
    element('org_name', org) +
    element('email', email) +
    element('report_id', id) +
    element('date_range', element('begin', begin) + element('end', end))
  const published = Object.entries(policy).map(([name, value]) => element(name, value))
  return `<?xml version="1.0"?>\n${element(
    'feedback',
    element('report_metadata', metadata) +
      element('policy_published', published.join('')) +
      records.map(buildRecord).join(''),
  )}`
}

/** By default, mail of example.com that passes both. */
export function buildRecord({
  ip = '192.0.2.1',
  count = 1,
  disposition = 'none',
  dkim = 'pass',
  spf = 'pass',
  headerFrom = 'example.com',
  envelopeFrom = 'example.com',
  reasons = [],
  dkimResults = [{ domain: 'example.com', result: 'pass', selector: 's' }],
  spfResults = [{ domain: 'example.com', result: 'pass' }],
}: RecordValues = {}): string {
  const evaluated =
    element('disposition', disposition) +
    element('dkim', dkim) +
    element('spf', spf) +
    reasons.map((reason) => element('reason', fields(reason))).join('')
  const results = [
    ...dkimResults.map((result) => element('dkim', fields(result))),
    ...spfResults.map((result) => element('spf', fields(result))),
  ]
  return element(
    'record',
    element(
      'row',
      element('source_ip', ip) + element('count', count) + element('policy_evaluated', evaluated),
    ) +
      element(
        'identifiers',
        element('envelope_from', envelopeFrom) + element('header_from', headerFrom),
      ) +
      element('auth_results', results.join('')),
  )
}

function fields(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => element(name, String(value)))
    .join('')
}

function element(name: string, content: string | number): string {
  return `<${name}>${content}</${name}>`
}
