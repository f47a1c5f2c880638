/**
 * A service that runs mailboxes, or a gateway in front of them: its mail servers, and the hosts that
 * it leaves in a customer's SPF record and at `_domainkey`.
 */
import type { HostPattern } from './host-pattern.js'
import type { DefaultDmarc, ServiceEvidence, ServiceSetup } from './service-setup.js'

export interface MailboxProvider {
  readonly id: string
  readonly name: string
  readonly kind: 'mailbox' | 'gateway' | 'forwarder'
  /** Empty when they belong to another service, through which it is sold. */
  readonly mx: readonly HostPattern[]
  /** Hosts that an SPF record names to authorize this provider. */
  readonly spf: readonly HostPattern[]
  /** MAIL FROM is never exactly the customer's domain; see `Sender`. */
  readonly returnPathAtRoot?: 'never'
  /** The usual DKIM selectors; empty when each customer has their own. */
  readonly selectors: readonly string[]
  /** The targets of its DKIM CNAMEs; empty when customers publish the key itself. */
  readonly dkimTargets: readonly HostPattern[]
  readonly evidence?: ServiceEvidence
  /** What it publishes at `_dmarc` for domains on its name servers. */
  readonly defaultDmarc?: DefaultDmarc
  /** Only for forwarders: whether mail can be sent as the domain through it, and how. */
  readonly sending?: { readonly can: boolean; readonly how?: string }
  /** The day on which the service ends, `2027-03-31`. */
  readonly endsOn?: string
  /** What its customers publish. */
  readonly setup: ServiceSetup
}
