/** What the answers for selectors hold: keys, dangling CNAMEs, or only a wildcard's records. */
import type { DnsAnswer } from '@mailgrade/doh/dns'
import type { MailService } from '../../catalog/mail-services.js'
import {
  findForwarderBySelector,
  findServiceByDkimTarget,
  findTenants,
  isForwarder,
} from '../../catalog/mail-services.js'
import { readTxtRecords, toDisplayText } from '../txt-records.js'
import type { DanglingCname, DkimKey, ProviderRef } from './dkim-facts.js'
import { type KeyRecord, parseKeyRecord } from './key-record.js'

export interface SelectorAnswer {
  readonly selector: string
  readonly name: string
  readonly answer: DnsAnswer<'TXT'>
}

/** The first few key records at a selector. */
export function findKeys(
  { selector, name, answer }: SelectorAnswer,
  providers: readonly MailService[],
): DkimKey[] {
  if (answer.kind !== 'records') return []
  const { cnames } = answer
  const provider = findCnameProvider(selector, cnames) ?? findSelectorProvider(selector, providers)
  const { keys, texts: txtRecords } = selectKeyRecords(readTxtRecords(answer))
  const forwarder = provider !== null && isForwarder(provider.id)
  const txtRecordCount = answer.records.length
  // The spread comes last, because V8 takes microseconds for each property added after one.
  return keys.map((key) => ({
    selector,
    name,
    cnames,
    provider,
    forwarder,
    txtRecords,
    txtRecordCount,
    ...key,
  }))
}

/** A wildcard's keys belong to every selector, not to the random one that revealed them. */
export function findWildcardKeys({ answer }: SelectorAnswer, domainKey: string): DkimKey[] {
  return findKeys({ selector: '*', name: `*.${domainKey}`, answer }, [])
}

export function findDanglingCnames({ selector, name, answer }: SelectorAnswer): DanglingCname[] {
  const isAbsent = answer.kind === 'nodata' || answer.kind === 'nxdomain'
  if (!isAbsent || answer.cnames.length === 0) return []
  return [{ name, cnames: answer.cnames, provider: findCnameProvider(selector, answer.cnames) }]
}

/** Whether this selector has a record or a CNAME; null when the query failed. */
export function isAnswered({ answer }: SelectorAnswer): boolean | null {
  return answer.kind === 'failed' ? null : answer.kind === 'records' || answer.cnames.length > 0
}

/**
 * An answer that a random selector gets too comes from a wildcard, and says nothing about a
 * selector. But receivers accept its key at a selector that is known to be in use.
 */
export function excludeWildcardAnswers(
  answers: readonly SelectorAnswer[],
  wildcardProbe: SelectorAnswer,
  isInUse: (answer: SelectorAnswer) => boolean,
): readonly SelectorAnswer[] {
  if (!isAnswered(wildcardProbe)) return answers
  const wildcard = fingerprint(wildcardProbe)
  const hasRecord = ({ answer }: SelectorAnswer) =>
    answer.kind !== 'nodata' && answer.kind !== 'nxdomain'
  return answers.filter(
    (answer) => (isInUse(answer) && hasRecord(answer)) || fingerprint(answer) !== wildcard,
  )
}

/** The same for all selectors under one wildcard; a DNAME puts the selector into the target. */
function fingerprint({ selector, answer }: SelectorAnswer): string {
  const targets = answer.cnames.map((target) =>
    target.startsWith(`${selector}.`) ? `*${target.slice(selector.length)}` : target,
  )
  const txtRecords = answer.kind === 'failed' ? [] : readTxtRecords(answer).sort()
  return JSON.stringify([answer.kind, targets, txtRecords])
}

/**
 * The service that hosts the target, which identifies it better than the selector, or the one that
 * sends through that service with this selector.
 */
function findCnameProvider(selector: string, cnames: readonly string[]): ProviderRef | null {
  const target = cnames.findLast((host) => findServiceByDkimTarget(host))
  const host = target === undefined ? null : findServiceByDkimTarget(target)
  const tenant = host && findTenants(host).find(({ selectors }) => selectors.includes(selector))
  const service = tenant?.service ?? host
  return service && { id: service.id, name: service.name }
}

/** A forwarder's key is recognized only by its CNAME or a selector that no one else uses. */
function findSelectorProvider(
  selector: string,
  providers: readonly MailService[],
): ProviderRef | null {
  const service =
    findForwarderBySelector(selector) ??
    providers.find(({ id, selectors }) => selectors.includes(selector) && !isForwarder(id))
  return service ? { id: service.id, name: service.name } : null
}

/** One is correct, two occur; a few are enough to show the problem. */
const MAX_RECORDS = 4

interface SelectedKeyRecords {
  readonly keys: readonly KeyRecord[]
  /** Keys first, then other records. */
  readonly texts: readonly string[]
}

/** Reads and shows a few TXT records at a selector, however many there are. */
function selectKeyRecords(texts: readonly string[]): SelectedKeyRecords {
  // Servers rotate the order of records; the selection must not depend on it.
  const inOrder = texts.length > MAX_RECORDS ? texts.toSorted(longestFirst) : texts
  const keys: KeyRecord[] = []
  const others: string[] = []
  for (const text of inOrder) {
    if (keys.length === MAX_RECORDS) break
    const key = parseKeyRecord(text)
    if (key) keys.push(key)
    else if (others.length < MAX_RECORDS) others.push(text)
  }
  const records = keys.map(({ record }) => record)
  return { keys, texts: [...records, ...others.map(toDisplayText)].slice(0, MAX_RECORDS) }
}

/** A key is longer than its revocation, and says more about the selector. */
function longestFirst(one: string, other: string): number {
  return other.length - one.length || (one < other ? -1 : 1)
}
