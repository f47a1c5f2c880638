/** Answers about selectors, sorted into keys, aliases that lead nowhere, and what is nobody's. */

import type { Answer } from '@mailgrade/doh/dns'
import type { MailboxProvider } from '../../catalog/mailbox-providers.js'
import { serviceOfDkimTarget } from '../../catalog/services.js'
import { textsOf } from '../txt.js'
import type { DanglingAlias, FoundKey, Provider } from './dkim-facts.js'
import { keepRecords } from './kept-records.js'

export interface Asked {
  readonly selector: string
  readonly name: string
  readonly answer: Answer<'TXT'>
}

/** A handful of the key records under a selector. */
export function keysIn(asked: Asked, providers: readonly MailboxProvider[]): FoundKey[] {
  const { selector, name, answer } = asked
  if (answer.kind !== 'records') return []
  const cname = answer.cnames
  const own = providers.find((provider) => provider.selectors.includes(selector))
  const provider = keeperOf(cname) ?? (own ? { id: own.id, name: own.name } : null)
  const { keys, texts } = keepRecords(textsOf(answer))
  const place = { selector, name, cname, provider, texts, textCount: answer.records.length }
  return keys.map((key) => ({ ...key, ...place }))
}

/** A wildcard's keys belong to every selector, and not to the one that was made up to find them. */
export function wildcardKeysIn({ answer }: Asked, domainKey: string): FoundKey[] {
  return keysIn({ selector: '*', name: `*.${domainKey}`, answer }, [])
}

export function danglingIn({ name, answer }: Asked): DanglingAlias[] {
  const isAbsent = answer.kind === 'nodata' || answer.kind === 'nxdomain'
  if (!isAbsent || answer.cnames.length === 0) return []
  return [{ name, cname: answer.cnames, provider: keeperOf(answer.cnames) }]
}

/** Whether even this selector is answered, be it with a record or with an alias. */
export function isAnswered({ answer }: Asked): boolean | null {
  return answer.kind === 'failed' ? null : answer.kind === 'records' || answer.cnames.length > 0
}

/** Answers that a made-up selector gets as well are a wildcard's, and say nothing of a selector. */
export function withoutWildcard(all: readonly Asked[], madeUp: Asked): Asked[] {
  if (!isAnswered(madeUp)) return [...all]
  const wildcard = essenceOf(madeUp)
  return all.filter((asked) => essenceOf(asked) !== wildcard)
}

/** What two selectors under one wildcard have in common; a DNAME puts the selector into the target. */
function essenceOf({ selector, answer }: Asked): string {
  const targets = answer.cnames.map((target) =>
    target.startsWith(`${selector}.`) ? `*${target.slice(selector.length)}` : target,
  )
  const texts = answer.kind === 'failed' ? [] : textsOf(answer).sort()
  return JSON.stringify([answer.kind, targets, texts])
}

/** Whoever keeps what the CNAMEs lead to: the target names the service better than the selector. */
function keeperOf(cname: readonly string[]): Provider | null {
  const target = cname.findLast((host) => serviceOfDkimTarget(host))
  const service = target === undefined ? null : serviceOfDkimTarget(target)
  return service && { id: service.id, name: service.name }
}
