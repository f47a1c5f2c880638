/** Every limit of SPF: what RFC 7208 allows, how much of a record is read, and what counts as wide. */

/** §4.6.4: a receiver that reaches one of these returns permerror. */
export const LOOKUP_LIMIT = 10
export const VOID_LOOKUP_LIMIT = 2
export const MAX_MX_HOSTS = 10
/** §4.6.4: receivers look at no more names of a sender's address. */
export const MAX_PTR_NAMES = 10

/** Receivers stop after 10 lookups, so a few more records are enough to show the excess. */
export const MAX_RECORDS = 30
/** Addresses are queried only to count void lookups; real records need fewer. */
export const MAX_ADDRESS_QUERIES = 40
export const MAX_LEVELS = 12
/** Of all records together, beyond which no more are read. */
export const MAX_TERMS = 500
/** Ten times what fits in the 512 octets of §3.4; the rest becomes one invalid term. */
export const MAX_RECORD_TERMS = 250
/** A record with thousands of includes is cut. */
export const MAX_TREE_NODES = 100
/** The terms of a record among which known services are looked for. */
export const MAX_SENDER_TERMS = 100
/** Records that include each other by the hundred multiply beyond what a number holds. */
export const MAX_COST = 1_000_000
/** Far more than any receiver passes on. */
export const MAX_EXPLANATION_LENGTH = 1_000
/** Invalid terms that a finding explains. */
export const MAX_EXPLAINED_TERMS = 6

/** A shorter prefix authorizes more addresses than one sender has. */
export const NARROW_PREFIX = { ipv4: 16, ipv6: 32 } as const
/** What is added to a record leaves room for the lookups of any known provider. */
export const LOOKUPS_LEFT = 5
export const MAX_PROPOSED_OCTETS = 400

/** No organization holds a larger block than a /8. */
export const WIDEST_KEPT_PREFIX = 8
/** Drafts of a planned record. Real records need fewer; those that include each other need hundreds. */
export const MAX_DRAFTS = 10
/** More terms of someone else would not be kept up to date. */
export const MAX_TAKEN_OVER = 10
/** Longer address lists are not expanded. */
export const MAX_EXPANDED_ADDRESSES = 4
/** Senders that a plan is tested with; more would not be read. */
export const MAX_TESTED_SENDERS = 25
