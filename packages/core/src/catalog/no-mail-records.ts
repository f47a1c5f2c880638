/** Records that DNS hosts publish for domains that send no mail. */

/** A DKIM record without a key, which revokes all selectors as a wildcard (RFC 6376 §3.6.1). */
export const NO_MAIL_KEY = /^v=DKIM1;\s*p=\s*;?\s*$/i

export const NO_MAIL_POLICY = /^v=DMARC1;\s*p=reject;\s*sp=reject;\s*adkim=s;\s*aspf=s\s*;?\s*$/i
