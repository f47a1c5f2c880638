/** What each renderer is tried with: a block of every kind, and the documents of a domain. */
import {
  type Block,
  describeCheck,
  describeDkim,
  describeDmarc,
  describeMx,
  describeScore,
  describeSpf,
} from '@mailgrade/core'
import { createZoneDns } from '@mailgrade/doh/zone'
import { DOCUMENT_BLOCKS } from '@mailgrade/testing/document-blocks'
import { checkDomain, scoreDomain } from '../../src/library.js'

export const BLOCKS: Readonly<Record<Block['kind'] | 'titledFacts', Block>> = DOCUMENT_BLOCKS

/** By command. As a part of the check, a mechanism may have other findings than alone. */
export async function documentsOf(zone: string): Promise<[string, readonly Block[]][]> {
  const dns = createZoneDns('zone', zone)
  const checked = await checkDomain('acme.test', { dns })
  const scored = await scoreDomain('acme.test', { dns })
  if (checked.kind !== 'report' || scored.kind !== 'report') throw new Error('no report')
  const { report } = checked
  const { blocks, findings } = describeCheck(report)
  return [
    ['check', [...blocks, ...findings]],
    ['score', describeScore(scored.report).blocks],
    ['spf', describeSpf(report.spf).blocks],
    ['dkim', describeDkim(report.dkim).blocks],
    ['dmarc', describeDmarc(report.dmarc).blocks],
    ['mx', describeMx(report.mx).blocks],
  ]
}
