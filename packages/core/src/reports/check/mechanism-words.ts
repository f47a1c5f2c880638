/** What was found for each mechanism, in a few words. */
import type { Tree } from '../../checks/spf/spf-report.js'
import type { StatusName } from '../status-words.js'
import {
  allowsEveryone,
  assessSpoofability,
  effectiveTreatment,
  type MechanismReports,
} from './check-reports.js'
import type { DomainReport } from './domain-report.js'

/** In the order that people read them. */
export const MECHANISM_TITLES = {
  spf: 'Who may send',
  dkim: 'Signed mail',
  dmarc: 'Blocking forged mail',
  mx: 'Receiving mail',
} as const satisfies Record<keyof MechanismReports, string>

export interface MechanismSummary {
  readonly status: StatusName
  /** What was found. */
  readonly words: string
}

export type MechanismSummaries = Readonly<Record<keyof MechanismReports, MechanismSummary>>

export function summarizeMechanisms(report: DomainReport): MechanismSummaries {
  const { spf, dmarc, mx } = report
  return {
    spf: { status: spf.status, words: spfWords(spf) },
    dkim: { status: dkimStatus(report), words: dkimWords(report) },
    dmarc: { status: dmarcStatus(report), words: dmarcWords(dmarc) },
    mx: { status: mx.status, words: mxWords(mx) },
  }
}

const UNCOUNTED: ReadonlySet<Tree['state']> = new Set(['dynamic', 'unasked', 'unavailable'])

/** Whether a part depends on the sender or was not looked up, so the count is a minimum. */
export function hasUncountedLookups({ state, children }: Tree): boolean {
  return UNCOUNTED.has(state) || children.some(hasUncountedLookups)
}

export function spfWords({
  records,
  lookupCount,
  lookupLimit,
  valid,
  tree,
  senders,
}: DomainReport['spf']): string {
  if (records.length === 0) return 'No record'
  if (records.length > 1) return `${records.length} records; only one is allowed`
  const prefix = hasUncountedLookups(tree) ? 'at least ' : ''
  const budget =
    lookupCount > lookupLimit
      ? `${prefix}${lookupCount} lookups; the limit is ${lookupLimit}`
      : `${prefix}${lookupCount} of ${lookupLimit} lookups`
  if (!valid) return `Receivers can’t use it: ${budget}`
  const names = senders.map(({ name }) => name)
  const others = names.length > 2 ? `, ${names.length - 2} more` : ''
  return [...(names.length > 0 ? [names.slice(0, 2).join(', ') + others] : []), budget].join(' · ')
}

export function dmarcWords({ policy, inherited, testing }: DomainReport['dmarc']): string {
  if (policy === null) return 'No policy'
  return `Policy ${policy}${testing ? ', testing' : ''}${inherited ? ', inherited' : ''}`
}

const NO_KEY = {
  absent: 'No key',
  unknown: 'No key at the usual selectors',
}

/** A key that was not found is not a pass, even where nothing is wrong as far as known. */
export function dkimStatus({ dkim, profile }: DomainReport): StatusName {
  const isUnknown = dkim.presence === 'unknown' && profile === 'sending'
  return isUnknown && dkim.status !== 'fail' ? 'unknown' : dkim.status
}

/** What happens to forged mail counts too, so the tile never contradicts the answer. */
export function dmarcStatus(report: DomainReport): StatusName {
  const treatment = allowsEveryone(report) ? 'none' : effectiveTreatment(report.dmarc)
  if (treatment === 'none') return 'fail'
  return treatment === 'reject' && assessSpoofability(report) === 'no'
    ? report.dmarc.status
    : 'warn'
}

export function dkimWords({
  dkim: { keys, presence },
  profile,
}: Pick<DomainReport, 'dkim' | 'profile'>): string {
  if (presence !== 'present' && profile !== 'sending') return 'Not needed: no mail is sent'
  const own = keys.filter(({ forwarder }) => !forwarder)
  if (presence !== 'present')
    return own.length > 0 ? 'No key that receivers accept' : NO_KEY[presence]
  const usable = own.filter(({ valid }) => valid)
  const sizes = usable.map(({ keyType, keySize }) =>
    keyType === 'rsa' ? `${keySize} bits` : keyType,
  )
  const count = usable.length === 1 ? '1 key' : `${usable.length} keys`
  return `${count}: ${[...new Set(sizes)].join(', ')}`
}

export function mxWords({ records, nullMx, implicitMx, provider }: DomainReport['mx']): string {
  if (nullMx) return 'Accepts no mail (null MX)'
  if (provider) return provider.name
  if (records.length > 0) return records.length === 1 ? '1 server' : `${records.length} servers`
  return implicitMx ? 'No record; mail goes to the domain itself' : 'No mail server'
}
