/** Everything the DNS says that an SPF record leads to, asked level by level (RFC 7208 §4.6.4). */
import type { Dns, DnsAnswer, DnsQuery, Failed, RecordType } from '@mailgrade/doh/dns'
import { type DnsUnavailable, dnsUnavailable } from '../check-result.js'
import { readTxtRecords } from '../txt-records.js'
import { isSpfRecord, parseSpf } from './parse-spf.js'
import { type ActiveTerm, activeTerms, type SpfRecord } from './spf-record.js'
import { resolveTermTarget } from './term-target.js'

/** Receivers give up after 10 lookups; beyond a few more there is nothing to learn. */
const MAX_RECORDS = 30
/** For counting void lookups; more than an honest record comes to. */
const MAX_ADDRESS_QUESTIONS = 40
const MAX_LEVELS = 12
/** §4.6.4: more mail servers than this are an error, whatever their addresses. */
export const MAX_MX_HOSTS = 10

type Known<T extends RecordType> = Exclude<DnsAnswer<T>, Failed>

export interface SpfAnswers {
  /** Undefined: it was not asked, because the budget was spent. */
  answer<T extends RecordType>(name: string, type: T): Known<T> | undefined
  /** The same for the SPF records of a name. They may be led to thousands of times, and are read once. */
  spfRecordsAt(name: string): readonly SpfRecord[] | undefined
}

export async function querySpfAnswers(
  dns: Dns,
  domain: string,
): Promise<{ kind: 'answers'; answers: SpfAnswers } | DnsUnavailable> {
  const known = new Map<string, Known<RecordType> | undefined>()
  const records = new Map<string, readonly SpfRecord[]>()
  const left = { TXT: MAX_RECORDS, other: MAX_ADDRESS_QUESTIONS }
  let questions: DnsQuery[] = [{ name: domain, type: 'TXT' }]

  for (let level = 0; level < MAX_LEVELS && questions.length > 0; level += 1) {
    const fresh = questions.filter((question) => {
      const key = keyOf(question)
      const budget = question.type === 'TXT' ? 'TXT' : 'other'
      if (known.has(key) || left[budget] === 0) return false
      left[budget] -= 1
      known.set(key, undefined)
      return true
    })
    const answers = await Promise.all(fresh.map(({ name, type }) => dns.query(name, type)))
    questions = []
    for (const [index, question] of fresh.entries()) {
      const answer = answers[index] as DnsAnswer
      if (answer.kind === 'failed') return dnsUnavailable(question.name, question.type, answer)
      known.set(keyOf(question), answer)
      if (question.type === 'TXT') {
        const read = readTxtRecords(answer as Known<'TXT'>)
          .filter(isSpfRecord)
          .map(parseSpf)
        records.set(question.name, read)
        questions.push(...ledToBy(read, question.name, domain))
      } else if (question.type === 'MX') {
        questions.push(...evaluatedMxHosts(answer as Known<'MX'>).flatMap(addressesOf))
      }
    }
  }
  const of = (name: string, type: RecordType) => known.get(keyOf({ name, type }))
  return {
    kind: 'answers',
    answers: { answer: of as SpfAnswers['answer'], spfRecordsAt: (name) => records.get(name) },
  }
}

function keyOf({ name, type }: DnsQuery): string {
  return `${type} ${name}`
}

function ledToBy(records: readonly SpfRecord[], name: string, origin: string): DnsQuery[] {
  // With several records receivers stop; at the start we go on, to show what merging would cost.
  if (records.length > 1 && name !== origin) return []
  return records.flatMap((record) =>
    activeTerms(record).flatMap((term) => questionsOf(term, { domain: name, origin })),
  )
}

function questionsOf(term: ActiveTerm, reader: { domain: string; origin: string }): DnsQuery[] {
  const target = resolveTermTarget(term, reader)
  if (target.kind !== 'name') return []
  const { name } = target
  switch (term.kind) {
    case 'include':
    case 'redirect':
      return [{ name, type: 'TXT' }]
    case 'a':
      return addressesOf(name)
    case 'mx':
      return [{ name, type: 'MX' }]
    case 'exists':
      return [{ name, type: 'A' }]
    default:
      return []
  }
}

function addressesOf(name: string): DnsQuery[] {
  return [
    { name, type: 'A' },
    { name, type: 'AAAA' },
  ]
}

/** The hosts whose addresses receivers look up for `mx`: none when there are too many. */
export function evaluatedMxHosts(answer: Known<'MX'>): string[] {
  if (answer.kind !== 'records' || answer.records.length > MAX_MX_HOSTS) return []
  return answer.records.map((mx) => mx.exchange).filter((host) => host !== '.')
}
