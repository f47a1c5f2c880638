/** DMARC records where no receiver looks for them: they must be at `_dmarc` (RFC 9989 §4.5). */
import type { Dns } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { readTxtRecords, selectRecords } from '../txt-records.js'
import { isDmarcRecord } from './dmarc-record.js'

export interface MisplacedRecords {
  /** At the domain itself. */
  readonly atDomain: readonly string[]
  /** At the `_dmarc` name with the domain appended once more, as some DNS hosts do. */
  readonly atDoubledName: readonly string[]
}

export function doubledDmarcName(domain: string): string {
  return `_dmarc.${domain}.${domain}`
}

/** The DMARC records at a name. A failed query counts as none, because it only costs a hint. */
export async function queryMisplacedRecords(dns: Dns, name: string): Promise<string[]> {
  if (name.length > MAX_DOMAIN_LENGTH) return []
  const answer = await dns.query(name, 'TXT')
  const texts = answer.kind === 'failed' ? [] : readTxtRecords(answer).filter(isDmarcRecord)
  return [...selectRecords(texts, (text) => text)]
}
