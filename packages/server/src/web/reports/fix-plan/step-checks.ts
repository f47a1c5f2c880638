/** What the free checks must show before a step counts as done; `check-step.js` compares it. */
import { hasCodePointMarks, type PlanRecord, type PlanStep } from '@mailgrade/core'

/** How one record is compared with what a free check returns. */
interface RecordCheck {
  /** The path and query of the check. */
  readonly url: string
  readonly purpose: PlanRecord['purpose']
  readonly type: PlanRecord['type']
  readonly name: string
  /** What must be published, or must be gone if `isDeleted`; null for any valid key. */
  readonly value: string | null
  readonly isDeleted: boolean
  /** The values that must be gone. */
  readonly replaces: readonly string[]
  /** Seconds until a change is visible everywhere. */
  readonly ttl: number
}

export interface StepChecks {
  readonly checks: readonly RecordCheck[]
  /** The names of the records that no free check shows. */
  readonly unchecked: readonly string[]
}

/** Null if no free check shows whether the step is done. */
export function stepChecks(
  { verify }: PlanStep,
  records: readonly PlanRecord[],
): StepChecks | null {
  if (verify.url === null) return null
  const [base = ''] = checkPath(verify.url).split(/\/v1\/\w+\?/)
  const results = records.map((record) => recordCheck(record, base) ?? record.name)
  const checks = results.filter((result) => typeof result !== 'string')
  const unchecked = results.filter((result) => typeof result === 'string')
  return checks.length > 0 ? { checks, unchecked } : null
}

/** Relative, because the service may have other names than its base URL. */
function checkPath(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** The page that shows the same check to people. */
export function checkPagePath(url: string): string {
  return keepWww(checkPath(url).replace(/\/v1\/\w+\?/, '/?'))
}

/** Null if no free check shows this record. */
function recordCheck(record: PlanRecord, base: string): RecordCheck | null {
  const query = checkQuery(record)
  const { purpose, type, name, value, action, replaces, ttl, placeholders } = record
  const has = (text: string) => placeholders.some(({ token }) => text.includes(token))
  const isOpen = has(value)
  // A key is known by its name; the value of any other record must be known as well.
  if (!query || has(name) || (isOpen && purpose !== 'dkim')) return null
  // What the page shows of these is not what is published.
  if ([name, value, ...replaces].some(hasCodePointMarks)) return null
  if (action === 'delete' && !isShownByCheck(record)) return null
  return {
    url: `${base}/v1/${query}`,
    purpose,
    type,
    name,
    value: isOpen ? null : value,
    isDeleted: action === 'delete',
    replaces: replaces.filter((replaced) => replaced !== value),
    ttl,
  }
}

/** The checks leave out what is no record of its kind, so it would seem to be gone. */
function isShownByCheck({ purpose, type, value }: PlanRecord): boolean {
  switch (purpose) {
    case 'spf':
      return /^v=spf1( |$)/i.test(value)
    case 'dmarc':
      return /^v=DMARC1\s*(;|$)/.test(value)
    case 'dkim':
      // A CNAME may lead nowhere.
      return type === 'TXT' && /(^|;)\s*p\s*=/.test(value)
    default:
      return purpose === 'mx'
  }
}

/** Null for a record that the checks do not look at. */
function checkQuery({ purpose, type, name }: PlanRecord): string | null {
  const domainAfter = (prefix: string) =>
    name.startsWith(prefix) ? name.slice(prefix.length) : null
  switch (purpose) {
    case 'spf':
      return type === 'TXT' ? toQuery('spf', name) : null
    case 'mx':
      return toQuery('mx', name)
    case 'dmarc':
      return toQuery('dmarc', domainAfter('_dmarc.'))
    case 'tls-rpt':
      return toQuery('check', domainAfter('_smtp._tls.'))
    case 'mta-sts':
      return toQuery('check', domainAfter('_mta-sts.'))
    case 'dkim': {
      const [, selector, domain] = /^(.+?)\._domainkey\.(.+)$/.exec(name) ?? []
      return selector && domain ? toQuery('dkim', domain, { selector }) : null
    }
  }
}

function toQuery(check: string, domain: string | null, more = {}): string | null {
  if (domain === null) return null
  return keepWww(`${check}?${new URLSearchParams({ domain, ...more })}`)
}

/** Without `exact`, a check of `www.example.com` is about `example.com`. */
function keepWww(path: string): string {
  return /[?&]domain=www\./.test(path) ? `${path}&exact=true` : path
}
