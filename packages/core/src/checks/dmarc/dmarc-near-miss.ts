/** Records that were surely meant as DMARC records, but that no receiver takes for one. */

import { hasValidPolicy } from './dmarc-policies.js'
import { type DmarcRecord, isDmarcRecord, parseDmarcRecord } from './dmarc-record.js'
import { proposeDmarcRecord } from './rewrite-dmarc-record.js'

/** Quotation marks, spaces and the like, which stand there when a record was pasted with them. */
const LEADING_MARKS = /^[^a-z\d]+/i

export function isDmarcNearMiss(text: string): boolean {
  if (isDmarcRecord(text)) return false
  const version = /^v\s*[=:]\s*dmarc/i.test(text.replace(LEADING_MARKS, ''))
  const record = readAnyway(text)
  // A DKIM key has a `p` as well, but no policy in it.
  return version || claimsVersion(record) || hasValidPolicy(record)
}

/** What was meant, as far as that can be told. */
export function repairDmarcNearMiss(text: string): string | null {
  const record = readAnyway(text)
  return hasValidPolicy(record) ? proposeDmarcRecord(record) : null
}

function readAnyway(text: string): DmarcRecord {
  const unmarked = text.replace(LEADING_MARKS, '').trimEnd()
  return parseDmarcRecord(/["']$/.test(unmarked) ? unmarked.slice(0, -1) : unmarked)
}

function claimsVersion(record: DmarcRecord): boolean {
  return record.tags.get('v')?.toLowerCase().startsWith('dmarc') ?? false
}
