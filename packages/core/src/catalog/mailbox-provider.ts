/**
 * Who runs the mailboxes, or the gateway in front of them: the names of their mail servers, and the
 * marks they leave in the SPF record and under `_domainkey` of a domain that they serve.
 */
import type { HostPattern } from './host-pattern.js'
import type { ServiceSetup } from './service-setup.js'

export interface MailboxProvider {
  readonly id: string
  readonly name: string
  readonly kind: 'mailbox' | 'gateway' | 'forwarder'
  readonly mx: readonly HostPattern[]
  /** Hosts that an SPF record names when it lets this provider send. */
  readonly spf: readonly HostPattern[]
  /** The DKIM selectors that can be guessed; none where each customer has their own. */
  readonly selectors: readonly string[]
  /** Where its DKIM CNAMEs lead; none where customers publish the key itself. */
  readonly dkimTargets: readonly HostPattern[]
  /** What its customers publish. */
  readonly setup: ServiceSetup
}
