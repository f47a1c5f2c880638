/** RFC 1035 §3.1 allows 255 octets on the wire: two more than the text has. */
export const MAX_DOMAIN_LENGTH = 253
/** RFC 1035 §2.3.4. */
export const MAX_LABEL_LENGTH = 63
