/** DMARC in words: what a policy does, and where reports go. */
import type { DmarcReport } from './dmarc-report.js'

export const POLICY_EFFECTS = {
  none: 'none: forged mail is delivered',
  quarantine: 'quarantine: forged mail goes to the spam folder',
  reject: 'reject: forged mail is rejected',
} as const

/** What is wrong with a report destination; empty if nothing is. */
export function destinationProblems({
  valid,
  authorized,
  acceptsMail,
}: DmarcReport['rua'][number]): string {
  return [
    valid ? '' : ' (not valid)',
    authorized === false ? ' (has not authorized these reports)' : '',
    acceptsMail === false ? ' (accepts no mail)' : '',
    valid && (authorized ?? acceptsMail) === null ? ' (not checked)' : '',
  ].join('')
}

/** Where the policy comes from, to follow the name of its record. */
export function policySource({ recordName, inherited }: DmarcReport): string {
  return inherited ? `inherited from ${recordName?.replace(/^_dmarc\./, '')}` : 'its own record'
}
