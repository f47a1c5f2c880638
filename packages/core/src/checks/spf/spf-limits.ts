/** RFC 7208 §4.6.4: a receiver that reaches one of them returns permerror. */
export const LOOKUP_LIMIT = 10
export const VOID_LOOKUP_LIMIT = 2
