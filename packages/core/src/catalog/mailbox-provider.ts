/**
 * A service that runs mailboxes, or a gateway in front of them: its mail servers, and the hosts that
 * it leaves in a customer's SPF record and at `_domainkey`.
 */
import type { HostPattern } from './host-pattern.js'
import type { ServiceSetup } from './service-setup.js'

export interface MailboxProvider {
  readonly id: string
  readonly name: string
  readonly kind: 'mailbox' | 'gateway' | 'forwarder'
  readonly mx: readonly HostPattern[]
  /** Hosts that an SPF record names to authorize this provider. */
  readonly spf: readonly HostPattern[]
  /** The usual DKIM selectors; empty when each customer has their own. */
  readonly selectors: readonly string[]
  /** The targets of its DKIM CNAMEs; empty when customers publish the key itself. */
  readonly dkimTargets: readonly HostPattern[]
  /** What its customers publish. */
  readonly setup: ServiceSetup
}
