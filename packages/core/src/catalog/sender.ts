/**
 * Services that send mail in other people's names: campaigns, receipts, tickets, signatures.
 *
 * Several of them send through another one's servers. An include then belongs to the owner of the
 * host, for that is all that the record says: `amazonses.com` is Amazon SES and not Resend.
 */
import type { HostPattern } from './host-pattern.js'
import type { ServiceSetup } from './service-setup.js'

export interface Sender {
  readonly id: string
  readonly name: string
  /** Hosts that an SPF record names when it lets this service send. */
  readonly spf: readonly HostPattern[]
  /**
   * Whether its include can do any good in the SPF record of the domain in the From field.
   *
   * SPF looks at the domain of MAIL FROM (RFC 7208 §2.4), and DMARC counts a pass only when that
   * domain is aligned with the From field (RFC 9989). With `no` the service takes bounces at a
   * domain of its own, or at a subdomain set up for it that has a record of its own: nobody ever
   * holds its servers against the record of the From domain, so the include there cannot make
   * DMARC pass and only uses up lookups. With `yes` it sends with the From domain as MAIL FROM and
   * needs the include; with `optional` that depends on how the customer has set it up.
   */
  readonly alignsAtRoot: 'yes' | 'no' | 'optional'
  /** The DKIM selectors that can be guessed; none where each customer has their own. */
  readonly selectors: readonly string[]
  /** Where its DKIM CNAMEs lead; none where customers publish the key itself. */
  readonly dkimTargets: readonly HostPattern[]
  /** What its customers publish; `mx` is always empty. */
  readonly setup: ServiceSetup
}
