/** What is said of a request that no operation gets to see: it is too long, too slow or not HTTP. */
import type { ProblemCode } from './problem-types.js'

export const MAX_URL_CHARACTERS = 2_048

export const REJECTED_REQUEST_DETAILS = {
  malformed_request:
    'Send HTTP with a valid Host header and a percent-encoded address: %C3%BC, not ü.',
  request_timeout: 'Send the whole request within 15 seconds.',
  uri_too_long: `Path and query may have ${MAX_URL_CHARACTERS} characters together.`,
  headers_too_large: 'The headers may have 16 KB together.',
} as const satisfies Partial<Record<ProblemCode, string>>
