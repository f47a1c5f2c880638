/** Everything that was seen of a domain's DKIM, before any judgement. */
import type { DomainName } from '../../names/domain-name.js'
import type { KeyRecord } from './key-record.js'

export interface Provider {
  readonly id: string
  readonly name: string
}

export interface FoundKey extends KeyRecord {
  readonly selector: string
  readonly name: string
  /** Targets of the CNAMEs that lead to the key, in order. */
  readonly cname: readonly string[]
  readonly provider: Provider | null
  /** A handful of the TXT records at the name. */
  readonly texts: readonly string[]
  /** How many there are. */
  readonly textCount: number
}

/** A selector whose CNAMEs lead to no TXT record. */
export interface DanglingAlias {
  readonly name: string
  readonly cname: readonly string[]
  readonly provider: Provider | null
}

export interface DkimFacts {
  readonly domain: DomainName
  /** The selector that the caller gave; null when selectors were guessed. */
  readonly named: string | null
  readonly selectorsTried: readonly string[]
  readonly selectorsFailed: readonly string[]
  /** Every name that could not be looked up, also those asked only to know what answers are worth. */
  readonly namesFailed: readonly string[]
  readonly keys: readonly FoundKey[]
  readonly dangling: readonly DanglingAlias[]
  /** Whether even a selector that nobody uses is answered; null when that was not, or could not be, looked up. */
  readonly wildcard: boolean | null
  /** A handful of the key records that such a selector is answered with, as those of `*`. */
  readonly wildcardKeys: readonly FoundKey[]
  /** Whether there are names below `_domainkey`. */
  readonly domainKey: 'exists' | 'missing' | 'unproven'
  /** The domain declares that it sends no mail. */
  readonly sendsNoMail: boolean
  /** Who runs the mailboxes. */
  readonly mailbox: Provider | null
}
