/** Every way a request can end without a result: one row each, shared by all surfaces (RFC 9457). */

interface ProblemType {
  readonly status: 400 | 402 | 404 | 405 | 408 | 409 | 413 | 414 | 429 | 431 | 500 | 502 | 503 | 504
  readonly title: string
  /** What it means and what to do next, for the page at the problem's URL. */
  readonly meaning: string
}

export const MAX_URL_CHARACTERS = 2_048

export const PROBLEM_TYPES = {
  invalid_input: {
    status: 400,
    title: 'Invalid input',
    meaning:
      'A parameter is missing, given twice or not valid, or a tool has no such argument. The detail says which one and why. Nothing was looked up or charged. Correct the parameter and send the request again.',
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning:
      'The request is not well-formed HTTP. Common causes are characters in the URL that must be percent-encoded, and a Host header that is missing, invalid or given twice.',
  },
  malformed_payment: {
    status: 400,
    title: 'Malformed payment',
    meaning:
      'The payment is not an x402 version 2 payment with an EIP-3009 authorization. Nothing was charged. Over HTTP, send it as base64 in one PAYMENT-SIGNATURE header. Over MCP, send the object itself in `_meta`.',
  },
  payment_required: {
    status: 402,
    title: 'Payment required',
    meaning:
      'The PAYMENT-REQUIRED header and the body (over MCP, the tool result) state the price and how to pay with x402 version 2. If you sent a payment, it was not accepted and nothing was charged: `error` and the detail say why.',
  },
  unknown_domain: {
    status: 404,
    title: 'Domain does not exist',
    meaning:
      'DNS has no such name (NXDOMAIN). Check the spelling, or register and delegate the domain first.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning:
      'There is nothing at this URL. /openapi.json lists every endpoint. An instance that sells no reports also returns this for the paid endpoints.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The Allow header lists the methods you can use.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning:
      'The request took too long to arrive. Send the headers within 10 seconds and the whole request within 15.',
  },
  report_not_ready: {
    status: 409,
    title: 'Report not ready',
    meaning:
      'The `condition` says why. `waiting`: another request is using this payment; send it again after Retry-After seconds to get the report. `rejected_or_not_received`: the payment did not arrive. `analysis_failed`: the payment arrived but the report could not be made; send the same payment again. A payment buys one report and is charged once.',
  },
  identifier_used: {
    status: 409,
    title: 'Payment identifier already used',
    meaning:
      'An earlier payment of the same wallet has the same payment identifier, and it was charged or may have been. Nothing was charged for the new payment. Send the earlier payment again to get its report. To buy another report, use a new identifier.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'The detail states the limit. No request needs more.',
  },
  uri_too_long: {
    status: 414,
    title: 'URL too long',
    meaning: 'Path and query may have 2,048 characters in total. No request needs more.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'You reached the limit for free checks, which all of them share. The RateLimit-Policy header states the number of requests and the window in seconds. Wait the number of seconds in Retry-After; the next request is then answered. Rejected requests do not count. With a payment, too many of your paid requests ended without a report, an earlier payment failed on the chain, or the outcome of earlier payments is unknown. The detail says which, and what to do.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The headers of a request may have 16 KB in total, in at most 99 fields.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning:
      'The error is on our side and is logged with the request id. Try again. If the error persists, contact us with the id. If you sent a payment, send the same one again and do not sign a new one: if it was charged, you get its report.',
  },
  dns_unavailable: {
    status: 502,
    title: 'DNS unavailable',
    meaning:
      'No resolver could answer a query that the result depends on, so there is no result. A failed lookup is never reported as a missing record. Try again in a moment. If only one domain is affected, check its name servers and its DNSSEC signatures.',
  },
  facilitator_unavailable: {
    status: 502,
    title: 'Payment service unavailable',
    meaning:
      'The facilitator, which verifies and settles payments, did not answer. Do not sign a new payment: send the same one again. If it was settled, you get its report; if not, it is settled then. You pay once.',
  },
  dns_timeout: {
    status: 504,
    title: 'DNS timeout',
    meaning:
      'A query that the result depends on was not answered in time, so there is no result. A slow answer is never reported as a missing record. Try again in a moment.',
  },
  not_ready: {
    status: 503,
    title: 'Not ready: no DNS resolver answers',
    meaning:
      'This instance reaches no DNS resolver, so every check would fail. Use another instance. This one recovers by itself.',
  },
  overloaded: {
    status: 503,
    title: 'Server busy',
    meaning:
      'This instance is at its limit. Nothing was charged. Try again after Retry-After seconds.',
  },
  ledger_unavailable: {
    status: 503,
    title: 'Payment ledger unavailable',
    meaning:
      'The ledger that prevents double charging is unavailable, so no payment is accepted. Nothing was charged. Send the same payment again after Retry-After seconds. The free checks still work.',
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
    meaning:
      'This instance finishes the requests it has and accepts no payments. Nothing was charged. Send the same payment again: another instance answers.',
  },
} as const satisfies Record<string, ProblemType>

export type ProblemCode = keyof typeof PROBLEM_TYPES

/** Why a paid report is not ready. */
export const REPORT_CONDITIONS = ['waiting', 'rejected_or_not_received', 'analysis_failed'] as const
export type ReportCondition = (typeof REPORT_CONDITIONS)[number]

/** The details of requests that are rejected before any operation sees them. */
export const REJECTED_REQUEST_DETAILS = {
  malformed_request:
    'Send HTTP with one valid Host header and a percent-encoded URL: %C3%BC, not ü.',
  request_timeout: 'Send the whole request within 15 seconds.',
  uri_too_long: `Path and query may have ${MAX_URL_CHARACTERS} characters in total.`,
  headers_too_large: 'The headers may have 16 KB in total, in at most 99 fields.',
} as const satisfies Partial<Record<ProblemCode, string>>
