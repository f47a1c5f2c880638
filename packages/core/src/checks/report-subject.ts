/** The domain that a report is about: the first fields of every report. */
import { z } from 'zod'
import { type DomainName, toUnicodeDomain } from '../names/domain-name.js'

export const reportSubjectFields = {
  domain: z.string().describe('Lower case, A-labels, no trailing dot'),
  unicodeDomain: z.string().optional().describe('Only for an internationalized name'),
}

export function toReportSubject(domain: DomainName): { domain: string; unicodeDomain?: string } {
  const unicodeDomain = toUnicodeDomain(domain)
  return { domain, ...(unicodeDomain && { unicodeDomain }) }
}
