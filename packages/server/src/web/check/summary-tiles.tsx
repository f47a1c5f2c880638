/** A clear word on each mechanism, and the way to the details. */
import type { DomainReport } from '@mailgrade/core'
import { StatusBadge, type StatusName } from '../parts/status-badge.js'
import { hasUncountedLookups } from './spf-tree-view.js'

interface Tile {
  readonly id: string
  readonly name: string
  readonly status: StatusName
  readonly words: string
}

export function SummaryTiles({ report }: { report: DomainReport }) {
  return (
    <ul class="tiles">
      {tilesOf(report).map(({ id, name, status, words }) => (
        <li class={status}>
          <div>
            <a href={`#${id}`}>{name}</a> <StatusBadge status={status} />
          </div>
          <span>{words}</span>
        </li>
      ))}
    </ul>
  )
}

function tilesOf({ spf, dmarc, dkim, mx }: DomainReport): Tile[] {
  return [
    { id: 'spf', name: 'SPF', status: spf.status, words: spfWords(spf) },
    { id: 'dmarc', name: 'DMARC', status: dmarc.status, words: dmarcWords(dmarc) },
    { id: 'dkim', name: 'DKIM', status: dkim.status, words: dkimWords(dkim) },
    { id: 'mx', name: 'MX', status: mx.status, words: mxWords(mx) },
  ]
}

function spfWords({ records, lookupCount, lookupLimit, valid, tree }: DomainReport['spf']): string {
  if (records.length === 0) return 'No record'
  if (records.length > 1) return `${records.length} records; only one is allowed`
  const budget = `${hasUncountedLookups(tree) ? 'at least ' : ''}${lookupCount} of ${lookupLimit} lookups`
  return valid ? budget : `Receivers cannot use it; ${budget}`
}

function dmarcWords({ policy, inherited, testing }: DomainReport['dmarc']): string {
  if (policy === null) return 'No policy'
  return `Policy ${policy}${testing ? ', testing' : ''}${inherited ? ', inherited' : ''}`
}

const NO_KEY = {
  absent: 'No key',
  unknown: 'No key under the names tried, which proves nothing',
}

function dkimWords({ keys, presence }: DomainReport['dkim']): string {
  const usable = keys.filter(({ valid }) => valid)
  if (usable.length === 0 && keys.length > 0) return 'No key that receivers can use'
  if (presence !== 'present') return NO_KEY[presence]
  const sizes = usable.map(({ keyType, keySize }) =>
    keyType === 'rsa' ? `${keySize} bit` : keyType,
  )
  const count = usable.length === 1 ? '1 key' : `${usable.length} keys`
  return `${count}: ${[...new Set(sizes)].join(', ')}`
}

function mxWords({ records, nullMx, implicitMx, provider }: DomainReport['mx']): string {
  if (nullMx) return 'Accepts no mail, and says so'
  if (provider) return provider.name
  if (records.length > 0) return records.length === 1 ? '1 server' : `${records.length} servers`
  return implicitMx ? 'No record; mail goes to the domain itself' : 'No mail server'
}
