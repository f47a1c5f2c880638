/** Findings about MTA-STS, TLS-RPT, BIMI and DANE records. */
import type { Failed } from '@mailgrade/doh/dns'
import { unavailabilityOf } from '../check-result.js'
import { type Finding, txtEvidence } from '../finding.js'
import { found, judge, type Rule } from '../rule.js'
import type { CheckedDane } from './check-dane.js'
import type { BimiRecord, TransportRecord, TransportReport } from './transport-report.js'
import { hasLogo, type TxtRecordFormat } from './txt-record-formats.js'

export interface CheckedRecord<Published = TransportRecord> {
  readonly published: Published
  readonly id: TxtRecordFormat['id']
  /** The one that the record belongs to. */
  readonly domain: string
  /** Whether there is a record of the right version. */
  readonly hasVersion: boolean
  /** Why it is invalid, as a clause. */
  readonly problem: string | null
  readonly evidence: Finding['evidence']
  /** Why `published` is unknown. */
  readonly failure: Failed | null
}

interface TransportFacts {
  readonly domain: string
  readonly mtaSts: CheckedRecord
  readonly tlsRpt: CheckedRecord
  readonly bimi: CheckedRecord<BimiRecord>
  readonly dane: CheckedDane
  /** Whether the resolver validated the domain's answers; null when unknown. */
  readonly validated: boolean | null
}

const RULES: readonly Rule<TransportFacts>[] = [
  ({ mtaSts, tlsRpt, bimi }) =>
    [mtaSts, tlsRpt, bimi].flatMap(({ id, domain, problem, evidence }) =>
      problem === null
        ? []
        : found(id, { domain, problem: `Here’s what’s wrong: ${problem}.` }, { evidence }),
    ),

  ({ domain, mtaSts }) =>
    mtaSts.published.valid ? found('transport.mta-sts-policy-not-checked', { domain }) : null,

  ({ domain, mtaSts, tlsRpt, bimi, validated }) => {
    const failed = [mtaSts, tlsRpt, bimi].filter(({ failure }) => failure !== null)
    const unknown = failed.map(({ published }) => published.name)
    const names = validated === null ? [...unknown, domain] : unknown
    if (names.length === 0) return null
    const why = unavailabilityOf(failed.flatMap(({ failure }) => failure ?? []))
    return found(
      why === 'over-limit'
        ? 'transport.lookup-unavailable (over-limit)'
        : 'transport.lookup-unavailable',
      { names },
    )
  },

  ({ dane: { failures } }) =>
    failures.length === 0
      ? null
      : found('transport.dane-unavailable', { names: failures.map(({ name }) => name) }),
]

export function judgeTransport(facts: TransportFacts): Finding[] {
  return judge(RULES, facts)
}

interface Enforcement {
  /** What receivers do with forged mail. */
  readonly treatment: 'none' | 'quarantine' | 'reject'
  /** The share of mail that the policy applies to. */
  readonly percent: number | null
}

const BIMI_RULES: readonly Rule<Pick<TransportReport, 'bimi'> & Enforcement>[] = [
  // §7.1 of the draft: a logo needs quarantine for all mail, or reject.
  ({ bimi: { name, record, valid }, treatment, percent }) => {
    const isEnforced =
      treatment === 'reject' || (treatment === 'quarantine' && (percent ?? 100) === 100)
    if (isEnforced || !valid || record === null || !hasLogo(record)) return null
    const evidence = [txtEvidence(name, record)]
    return found('transport.bimi-without-enforcement', {}, { evidence })
  },
]

/** What the DMARC policy means for BIMI, for a caller that knows both. */
export function judgeBimiEnforcement(
  { bimi }: Pick<TransportReport, 'bimi'>,
  enforcement: Enforcement,
): Finding[] {
  return judge(BIMI_RULES, { bimi, ...enforcement })
}
