/** What every name below a domain answers, which shows nothing about any of them. */
import type { DnsAnswer } from '@mailgrade/doh/dns'
import { readTxtRecords } from '../checks/txt-records.js'

/** The answers for a random name. */
export interface WildcardAnswers {
  readonly txt: DnsAnswer<'TXT'>
  readonly mx: DnsAnswer<'MX'>
}

export function isSameText(one: DnsAnswer<'TXT'>, wildcard: DnsAnswer<'TXT'>): boolean {
  if (wildcard.kind === 'failed') return false
  const describe = (answer: DnsAnswer<'TXT'>) =>
    JSON.stringify([answer.cnames, answer.kind === 'failed' ? [] : readTxtRecords(answer).sort()])
  const hasAnswer = wildcard.cnames.length > 0 || wildcard.kind === 'records'
  return hasAnswer && describe(one) === describe(wildcard)
}
