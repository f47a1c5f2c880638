/** Everything that was seen of a domain's DKIM, before any judgement. */
import type { DomainName } from '../../names/domain-name.js'
import type { KeyRecord } from './key-record.js'

export interface ProviderRef {
  readonly id: string
  readonly name: string
}

export interface DkimKey extends KeyRecord {
  readonly selector: string
  readonly name: string
  /** Targets of the CNAMEs that lead to the key, in order. */
  readonly cnames: readonly string[]
  readonly provider: ProviderRef | null
  /** A handful of the TXT records at the name. */
  readonly txtRecords: readonly string[]
  /** How many there are. */
  readonly txtRecordCount: number
}

/** A selector whose CNAMEs lead to no TXT record. */
export interface DanglingCname {
  readonly name: string
  readonly cnames: readonly string[]
  readonly provider: ProviderRef | null
}

export interface DkimFacts {
  readonly domain: DomainName
  /** The selector that the caller gave; null when selectors were guessed. */
  readonly requestedSelector: string | null
  readonly selectorsTried: readonly string[]
  readonly selectorsFailed: readonly string[]
  /** Every name that could not be looked up, also those asked only to know what answers are worth. */
  readonly failedNames: readonly string[]
  readonly keys: readonly DkimKey[]
  readonly danglingCnames: readonly DanglingCname[]
  /** Whether even a selector that nobody uses is answered; null when that was not, or could not be, looked up. */
  readonly wildcard: boolean | null
  /** A handful of the key records that such a selector is answered with, as those of `*`. */
  readonly wildcardKeys: readonly DkimKey[]
  /** Whether there are names below `_domainkey`. */
  readonly domainKeyState: 'exists' | 'missing' | 'unproven'
  /** The domain declares that it sends no mail. */
  readonly sendsNoMail: boolean
  /** Who runs the mailboxes. */
  readonly mailboxProvider: ProviderRef | null
}
