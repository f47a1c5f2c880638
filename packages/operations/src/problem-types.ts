/** Every way a request can end without a result: one row each, shared by all surfaces (RFC 9457). */

interface ProblemType {
  readonly status: 400 | 402 | 404 | 405 | 408 | 409 | 413 | 414 | 429 | 431 | 500 | 502 | 503 | 504
  readonly title: string
}

export const MAX_URL_CHARACTERS = 2_048

export const PROBLEM_TYPES = {
  invalid_input: {
    status: 400,
    title: 'Invalid input',
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
  },
  malformed_payment: {
    status: 400,
    title: 'Malformed payment',
  },
  payment_required: {
    status: 402,
    title: 'Payment required',
  },
  unknown_domain: {
    status: 404,
    title: 'Domain does not exist',
  },
  not_found: {
    status: 404,
    title: 'Not found',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
  },
  report_not_ready: {
    status: 409,
    title: 'Report not ready',
  },
  identifier_used: {
    status: 409,
    title: 'Payment identifier already used',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
  },
  uri_too_long: {
    status: 414,
    title: 'URL too long',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
  },
  internal: {
    status: 500,
    title: 'Internal error',
  },
  dns_unavailable: {
    status: 502,
    title: 'DNS unavailable',
  },
  facilitator_unavailable: {
    status: 502,
    title: 'Payment service unavailable',
  },
  dns_timeout: {
    status: 504,
    title: 'DNS timeout',
  },
  not_ready: {
    status: 503,
    title: 'Not ready: no DNS resolver is responding',
  },
  overloaded: {
    status: 503,
    title: 'Server busy',
  },
  ledger_unavailable: {
    status: 503,
    title: 'Payment ledger unavailable',
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
  },
} as const satisfies Record<string, ProblemType>

export type ProblemCode = keyof typeof PROBLEM_TYPES

/** Why a paid report is not ready. */
export const REPORT_CONDITIONS = ['waiting', 'rejected_or_not_received', 'analysis_failed'] as const
export type ReportCondition = (typeof REPORT_CONDITIONS)[number]

/** The details of requests that are rejected before any operation sees them. */
export const REJECTED_REQUEST_DETAILS = {
  malformed_request:
    'Send an HTTP request with one valid Host header and a percent-encoded URL: %C3%BC, not ü.',
  request_timeout: 'Send the whole request within 15 seconds.',
  uri_too_long: `The path and query can have at most ${MAX_URL_CHARACTERS} characters in total.`,
  headers_too_large: 'The headers can have at most 16 KB in total, in at most 99 fields.',
} as const satisfies Partial<Record<ProblemCode, string>>
