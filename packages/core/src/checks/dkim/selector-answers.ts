/** Answers about selectors, sorted into keys, cnames that lead nowhere, and what is nobody's. */
import type { DnsAnswer } from '@mailgrade/doh/dns'
import { findServiceByDkimTarget } from '../../catalog/mail-services.js'
import type { MailboxProvider } from '../../catalog/mailbox-providers.js'
import { readTxtRecords, toDisplayText } from '../txt-records.js'
import type { DanglingCname, DkimKey, ProviderRef } from './dkim-facts.js'
import { type KeyRecord, parseKeyRecord } from './key-record.js'

export interface SelectorAnswer {
  readonly selector: string
  readonly name: string
  readonly answer: DnsAnswer<'TXT'>
}

/** A handful of the key records under a selector. */
export function findKeys(asked: SelectorAnswer, providers: readonly MailboxProvider[]): DkimKey[] {
  const { selector, name, answer } = asked
  if (answer.kind !== 'records') return []
  const { cnames } = answer
  const own = providers.find((provider) => provider.selectors.includes(selector))
  const provider = keeperOf(cnames) ?? (own ? { id: own.id, name: own.name } : null)
  const { keys, texts: txtRecords } = selectKeyRecords(readTxtRecords(answer))
  const place = {
    selector,
    name,
    cnames,
    provider,
    txtRecords,
    txtRecordCount: answer.records.length,
  }
  return keys.map((key) => ({ ...key, ...place }))
}

/** A wildcard's keys belong to every selector, and not to the one that was made up to find them. */
export function findWildcardKeys({ answer }: SelectorAnswer, domainKey: string): DkimKey[] {
  return findKeys({ selector: '*', name: `*.${domainKey}`, answer }, [])
}

export function findDanglingCnames({ name, answer }: SelectorAnswer): DanglingCname[] {
  const isAbsent = answer.kind === 'nodata' || answer.kind === 'nxdomain'
  if (!isAbsent || answer.cnames.length === 0) return []
  return [{ name, cnames: answer.cnames, provider: keeperOf(answer.cnames) }]
}

/** Whether even this selector is answered, be it with a record or with an alias. */
export function isAnswered({ answer }: SelectorAnswer): boolean | null {
  return answer.kind === 'failed' ? null : answer.kind === 'records' || answer.cnames.length > 0
}

/** Answers that a made-up selector gets as well are a wildcard's, and say nothing of a selector. */
export function excludeWildcardAnswers(
  all: readonly SelectorAnswer[],
  madeUp: SelectorAnswer,
): SelectorAnswer[] {
  if (!isAnswered(madeUp)) return [...all]
  const wildcard = essenceOf(madeUp)
  return all.filter((asked) => essenceOf(asked) !== wildcard)
}

/** What two selectors under one wildcard have in common; a DNAME puts the selector into the target. */
function essenceOf({ selector, answer }: SelectorAnswer): string {
  const targets = answer.cnames.map((target) =>
    target.startsWith(`${selector}.`) ? `*${target.slice(selector.length)}` : target,
  )
  const txtRecords = answer.kind === 'failed' ? [] : readTxtRecords(answer).sort()
  return JSON.stringify([answer.kind, targets, txtRecords])
}

/** Whoever keeps what the CNAMEs lead to: the target names the service better than the selector. */
function keeperOf(cname: readonly string[]): ProviderRef | null {
  const target = cname.findLast((host) => findServiceByDkimTarget(host))
  const service = target === undefined ? null : findServiceByDkimTarget(target)
  return service && { id: service.id, name: service.name }
}

/** One is right, two are met with, and more than these help nobody. */
const MOST_KEPT = 4

interface SelectedKeyRecords {
  readonly keys: readonly KeyRecord[]
  /** Keys first, then what else there is. */
  readonly texts: readonly string[]
}

function selectKeyRecords(texts: readonly string[]): SelectedKeyRecords {
  // Servers turn the order of records; a choice among them must not turn with it.
  const inOrder = texts.length > MOST_KEPT ? texts.toSorted(longestFirst) : texts
  const keys: KeyRecord[] = []
  const others: string[] = []
  for (const text of inOrder) {
    if (keys.length === MOST_KEPT) break
    const key = parseKeyRecord(text)
    if (key) keys.push(key)
    else if (others.length < MOST_KEPT) others.push(text)
  }
  const records = keys.map(({ record }) => record)
  return { keys, texts: [...records, ...others.map(toDisplayText)].slice(0, MOST_KEPT) }
}

/** A key is longer than its revocation, which says less of the selector. */
function longestFirst(one: string, other: string): number {
  return other.length - one.length || (one < other ? -1 : 1)
}
