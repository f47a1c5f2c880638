/** The free check as a page: the verdict, a tile for each mechanism, the fixes, and the details. */
import type { DomainReport } from '@mailgrade/core'
import { findingsBySeverity, isActionable } from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import type { OperationResult } from '../../operations/operation.js'
import { FindingList } from '../parts/finding-list.js'
import { formatUtc } from '../parts/page-display-text.js'
import { StatusBadge, type StatusName } from '../parts/status-badge.js'
import { DkimSection } from './dkim-section.js'
import { DmarcSection } from './dmarc-section.js'
import { MxSection } from './mx-section.js'
import { hasUncountedLookups, SpfSection } from './spf-section.js'
import { TransportSection } from './transport-section.js'

interface CheckViewProps {
  readonly report: OperationResult<DomainReport>
  /** The parameters of the page. */
  readonly values: FormValues
}

export function CheckView({ report, values }: CheckViewProps) {
  const { domain, unicodeDomain, status, summary, meta } = report
  return (
    <>
      <section class={`verdict ${status}`} aria-labelledby="verdict">
        <h1 id="verdict">
          {unicodeDomain ?? domain} <StatusBadge status={status} />
        </h1>
        {unicodeDomain && (
          <p>
            <code>{domain}</code>
          </p>
        )}
        <p class="summary">{withoutDomainPrefix(summary, domain)}</p>
      </section>
      <Tiles report={report} />
      <Fixes report={report} />
      <SpfSection report={report.spf} values={values} />
      <DmarcSection report={report.dmarc} />
      <DkimSection report={report.dkim} status={dkimStatus(report)} />
      <MxSection report={report.mx} />
      <TransportSection report={report.transport} />
      <p class="meta">
        Checked {formatUtc(meta.checkedAt)}: {meta.dnsQueries} DNS queries, {meta.durationMs} ms,{' '}
        {meta.resolvers.length === 1 ? 'resolver' : 'resolvers'}: {meta.resolvers.join(', ')}
      </p>
    </>
  )
}

/** The heading shows the domain already. */
function withoutDomainPrefix(summary: string, domain: string): string {
  const rest = summary.startsWith(`${domain}: `) ? summary.slice(domain.length + 2) : summary
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

interface Tile {
  readonly id: string
  readonly name: string
  /** What the mechanism decides. */
  readonly about: string
  readonly status: StatusName
  readonly words: string
}

function Tiles({ report }: { report: DomainReport }) {
  const { spf, dmarc, mx } = report
  const tiles: Tile[] = [
    { id: 'spf', name: 'SPF', about: 'who may send', status: spf.status, words: spfWords(spf) },
    {
      id: 'dmarc',
      name: 'DMARC',
      about: 'what happens to forged mail',
      status: dmarc.status,
      words: dmarcWords(dmarc),
    },
    {
      id: 'dkim',
      name: 'DKIM',
      about: 'signatures',
      status: dkimStatus(report),
      words: dkimWords(report),
    },
    { id: 'mx', name: 'MX', about: 'where mail goes', status: mx.status, words: mxWords(mx) },
  ]
  return (
    <ul class="tiles">
      {tiles.map(({ id, name, about, status, words }) => (
        <li class={status}>
          <div>
            <a href={`#${id}`}>{name}</a> <StatusBadge status={status} />
          </div>
          <small>{about}</small>
          <span>{words}</span>
        </li>
      ))}
    </ul>
  )
}

function spfWords({ records, lookupCount, lookupLimit, valid, tree }: DomainReport['spf']): string {
  if (records.length === 0) return 'No record'
  if (records.length > 1) return `${records.length} records; only one is allowed`
  const budget = `${hasUncountedLookups(tree) ? 'at least ' : ''}${lookupCount} of ${lookupLimit} lookups`
  return valid ? budget : `Receivers can’t use it; ${budget}`
}

function dmarcWords({ policy, inherited, testing }: DomainReport['dmarc']): string {
  if (policy === null) return 'No policy'
  return `Policy ${policy}${testing ? ', testing' : ''}${inherited ? ', inherited' : ''}`
}

const NO_KEY = {
  absent: 'No key',
  unknown: 'No key at the usual selectors',
}

/** A key that was not found is not a pass, even where nothing is wrong as far as known. */
function dkimStatus({ dkim, profile }: DomainReport): StatusName {
  const isUnknown = dkim.presence !== 'present' && profile === 'sending'
  return isUnknown && dkim.status === 'pass' ? 'unknown' : dkim.status
}

function dkimWords({ dkim: { keys, presence }, profile }: DomainReport): string {
  if (presence !== 'present' && profile !== 'sending') return 'Not needed: no mail is sent'
  const own = keys.filter(({ forwarder }) => !forwarder)
  if (presence !== 'present')
    return own.length > 0 ? 'No key that receivers accept' : NO_KEY[presence]
  const usable = own.filter(({ valid }) => valid)
  const sizes = usable.map(({ keyType, keySize }) =>
    keyType === 'rsa' ? `${keySize} bit` : keyType,
  )
  const count = usable.length === 1 ? '1 key' : `${usable.length} keys`
  return `${count}: ${[...new Set(sizes)].join(', ')}`
}

function mxWords({ records, nullMx, implicitMx, provider }: DomainReport['mx']): string {
  if (nullMx) return 'Accepts no mail (null MX)'
  if (provider) return provider.name
  if (records.length > 0) return records.length === 1 ? '1 server' : `${records.length} servers`
  return implicitMx ? 'No record; mail goes to the domain itself' : 'No mail server'
}

function Fixes({ report }: { report: DomainReport }) {
  const findings = findingsBySeverity(report)
  const faults = findings.filter(isActionable)
  const notes = [...findings.filter((found) => !isActionable(found)), ...report.transport.issues]
  return (
    <section aria-labelledby="fixes">
      <h2 id="fixes">What to fix</h2>
      {faults.length === 0 ? <p>Nothing.</p> : <FindingList findings={faults} />}
      {notes.length > 0 && (
        <details class="notes">
          <summary>Good to know ({notes.length})</summary>
          <FindingList findings={notes} />
        </details>
      )}
    </section>
  )
}
