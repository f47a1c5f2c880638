/** What aggregate reports or a message prove about one source of mail. */
export interface StreamEvidence {
  readonly from: 'reports' | 'message'
  /**
   * `service`: one of the catalog. `own`: a server with the domain's own key or in its SPF record.
   * `unknown`: it may be the owner's, and only the owner knows.
   */
  readonly kind: 'service' | 'own' | 'unknown'
  /**
   * `certain`: it passes DMARC, or the owner says so. `likely`: a service of the catalog that anyone
   * could use. `possible`: only the owner knows.
   */
  readonly certainty: 'certain' | 'likely' | 'possible'
  /** Of the catalog; null for the other kinds. */
  readonly serviceId: string | null
  /** The service, the own domain, or the domain or network of an unknown source. */
  readonly name: string
  /** The servers that send most, at most 20. */
  readonly addresses: readonly string[]
  /** The domain in From. */
  readonly at: string
  readonly messages: number
  readonly spfAligned: number
  readonly dkimAligned: number
  /** `YYYY-MM` in UTC, in order. */
  readonly months: readonly string[]
  /** Of the domain in From, or of a name in its organization, that signatures name. */
  readonly keys: readonly { readonly domain: string; readonly selector: string }[]
  /** The domains in MAIL FROM, those of the service included. */
  readonly envelopeDomains: readonly string[]
  /** ISO 8601, UTC; null for a message without a date. */
  readonly lastSeen: string | null
}
