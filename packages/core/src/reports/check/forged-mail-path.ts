/** The path of a forged message through this domain's settings, step by step. */
import type { StatusName } from '../status-words.js'
import { allowsEveryone, effectiveTreatment } from './check-reports.js'
import type { DomainReport } from './domain-report.js'

export interface ForgedMailStop {
  readonly name: string
  readonly text: string
  /** How much it helps against forgery; none for a fact that is the same everywhere. */
  readonly status?: Exclude<StatusName, 'unknown'>
}

export function describeForgedMail(report: DomainReport): ForgedMailStop[] {
  return [
    { name: 'A scammer', text: `sends mail as boss@${report.domain}` },
    { name: 'SPF', ...spfStop(report) },
    { name: 'DKIM', ...dkimStop(report) },
    { name: 'DMARC', ...dmarcStop(report) },
    end(report),
  ]
}

const SPF_STOPS = {
  pass: { text: 'lets every server pass', status: 'fail' },
  fail: { text: 'fails: this server isn’t on your list', status: 'pass' },
  softfail: { text: 'soft fail: looks suspicious, isn’t blocked', status: 'warn' },
  neutral: { text: 'says nothing about this server', status: 'warn' },
} as const

function spfStop(report: DomainReport): Omit<ForgedMailStop, 'name'> {
  const { records, valid, allResult } = report.spf
  if (allowsEveryone(report)) return SPF_STOPS.pass
  if (records.length === 0) return { text: 'no list of allowed servers', status: 'fail' }
  if (!valid) return { text: 'broken: receivers can’t use your list', status: 'fail' }
  return SPF_STOPS[allResult ?? 'neutral']
}

function dkimStop({ dkim }: DomainReport): Omit<ForgedMailStop, 'name'> {
  return dkim.issues.some(({ id }) => id === 'dkim.weak-key')
    ? { text: 'your short key may be cracked and misused', status: 'fail' }
    : { text: 'no valid signature from your domain' }
}

function dmarcStop(report: DomainReport): Omit<ForgedMailStop, 'name'> {
  const { policy, testing } = report.dmarc
  if (allowsEveryone(report)) return { text: 'passes, because SPF passed', status: 'fail' }
  if (policy === null) return { text: 'no policy: receivers decide', status: 'fail' }
  const test = testing && policy !== 'none' ? ' in test mode' : ''
  return {
    text: `policy “${policy}”${test}: ${ORDERS[effectiveTreatment(report.dmarc)]}`,
    status: TREATMENT_STATUSES[effectiveTreatment(report.dmarc)],
  }
}

const ORDERS = { none: 'do nothing', quarantine: 'move it to spam', reject: 'refuse it' }
const TREATMENT_STATUSES = { none: 'fail', quarantine: 'warn', reject: 'pass' } as const

const ENDS = {
  none: { name: 'Delivered', text: 'It lands in the inbox' },
  quarantine: { name: 'Spam folder', text: 'People may still open it' },
  reject: { name: 'Refused', text: 'It never arrives' },
}

function end(report: DomainReport): ForgedMailStop {
  const treatment = allowsEveryone(report) ? 'none' : effectiveTreatment(report.dmarc)
  return { ...ENDS[treatment], status: TREATMENT_STATUSES[treatment] }
}
