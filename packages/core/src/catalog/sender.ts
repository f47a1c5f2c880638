/**
 * Services that send mail for their customers: campaigns, receipts, tickets, signatures.
 *
 * Some send through the servers of another. An include then belongs to the owner of the host:
 * `amazonses.com` is Amazon SES, not Resend.
 */
import type { HostPattern } from './host-pattern.js'
import type { DefaultDmarc, ServiceEvidence, ServiceSetup } from './service-setup.js'

export interface Sender {
  readonly id: string
  readonly name: string
  /** Hosts that an SPF record names to authorize this service. */
  readonly spf: readonly HostPattern[]
  /**
   * Whether MAIL FROM can be exactly the customer's domain.
   *
   * SPF checks the domain of MAIL FROM (RFC 7208 §2.4), and DMARC counts a pass only if that domain
   * is aligned with From (RFC 9989). With `never`, the service uses its own bounce domain, or a
   * subdomain with its own record, so its include in the record of the domain has no effect on its
   * mail. With `always`, it needs the include. With `optional`, that depends on the setup.
   */
  readonly returnPathAtRoot: 'never' | 'optional' | 'always'
  /** The usual DKIM selectors; empty when each customer has their own. */
  readonly selectors: readonly string[]
  /** The targets of its DKIM CNAMEs; empty when customers publish the key itself. */
  readonly dkimTargets: readonly HostPattern[]
  readonly evidence?: ServiceEvidence
  /** What it asks customers to publish at `_dmarc`. */
  readonly defaultDmarc?: DefaultDmarc
  /** `mx` is always empty. */
  readonly setup: ServiceSetup
}
