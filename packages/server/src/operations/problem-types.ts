/** Every way a request can end without a result: one row each, shared by all surfaces (RFC 9457). */

interface ProblemType {
  readonly status: 400 | 402 | 404 | 405 | 408 | 409 | 413 | 414 | 429 | 431 | 500 | 502 | 503 | 504
  readonly title: string
  /** What it means and what to do next, for the page at the problem's address. */
  readonly meaning: string
}

export const PROBLEM_TYPES = {
  invalid_input: {
    status: 400,
    title: 'The input cannot be used',
    meaning:
      'A parameter is missing, given twice, or not what it should be. The detail says which one and why. Correct it and ask again; nothing was looked up.',
  },
  malformed_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning:
      'What arrived is not a well-formed HTTP request: often an address with characters that must be percent-encoded, or a Host header that names no host.',
  },
  malformed_payment: {
    status: 400,
    title: 'The payment cannot be read',
    meaning:
      'What was sent as a payment is not an x402 version 2 payment with an EIP-3009 authorization: over HTTP base64 of it in one PAYMENT-SIGNATURE header, over MCP the object itself in `_meta`. Nothing was charged.',
  },
  payment_required: {
    status: 402,
    title: 'This report has a price',
    meaning:
      'The PAYMENT-REQUIRED header, and the body or the tool’s result too, say what it costs and how to pay by x402 version 2. Where a payment was sent, `error` and the detail say why it was not taken; nothing was charged then.',
  },
  unknown_domain: {
    status: 404,
    title: 'The domain does not exist',
    meaning:
      'The DNS says that there is no such name (NXDOMAIN). Check the spelling, or register and delegate the domain first.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    meaning: 'The path is not one of ours. The service lists what it has at /openapi.json.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method does not apply here',
    meaning: 'The Allow header names the methods that do.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'A request must arrive whole within 15 seconds, its headers within 10.',
  },
  report_not_ready: {
    status: 409,
    title: 'The report is not ready',
    meaning:
      'The condition says why: `waiting`, the same payment is being worked on in another request, so send it again after Retry-After seconds and get that report; `rejected_or_not_received`, the payment did not arrive; `analysis_failed`, it did but the report could not be made, so send the same payment again. A payment buys one report and is charged once.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: 'The detail says how much is allowed. Nothing we ask for needs more.',
  },
  uri_too_long: {
    status: 414,
    title: 'The address is too long',
    meaning:
      'A request’s path and query may have 2,048 characters together. Nothing we ask for needs more.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'All free checks together answer a caller only so often; the RateLimit-Policy header says how often in how many seconds. Wait as many seconds as Retry-After says, and the next request will be answered. One that was refused does not count.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'A request’s headers may have 16 KB together.',
  },
  internal: {
    status: 500,
    title: 'Something broke on our side',
    meaning:
      'The fault is ours and has been logged under the request id. Try again; if it stays, tell us the id. Where a payment was sent, send the same one again and never sign a new one: if it was charged, you get the report for it.',
  },
  dns_unavailable: {
    status: 502,
    title: 'The DNS could not be asked',
    meaning:
      'Every resolver failed to answer a question this result depends on, so there is no result: we do not report as missing what we could not look up. Try again in a moment; if only one domain is affected, its name servers or its DNSSEC signatures are at fault.',
  },
  facilitator_unavailable: {
    status: 502,
    title: 'The payment could not be carried out',
    meaning:
      'Whoever checks and settles payments for us did not answer. Do not sign a new payment: send the same one again. If it had gone through, you get the report for it; if not, it is settled then. Either way you pay once.',
  },
  dns_timeout: {
    status: 504,
    title: 'The DNS did not answer in time',
    meaning:
      'A question this result depends on was not answered before the deadline, so there is no result: slow is not the same as missing. Try again in a moment.',
  },
  not_ready: {
    status: 503,
    title: 'This instance cannot do its work',
    meaning:
      'No DNS resolver answers it, so every check would end in an error. Ask another instance; this one recovers by itself.',
  },
  overloaded: {
    status: 503,
    title: 'Too much at once',
    meaning:
      'This instance is at its limit. Nothing was charged. Ask again after Retry-After seconds.',
  },
  ledger_unavailable: {
    status: 503,
    title: 'Payments cannot be taken at the moment',
    meaning:
      'What keeps one payment from being taken twice cannot be reached, so none is taken. Nothing was charged. Send the same payment again after Retry-After seconds; the free checks go on meanwhile.',
  },
  shutting_down: {
    status: 503,
    title: 'This instance is shutting down',
    meaning:
      'It finishes what it has begun and takes nothing new. Ask again; another instance will answer.',
  },
} as const satisfies Record<string, ProblemType>

export type ProblemCode = keyof typeof PROBLEM_TYPES

/** Why a report that was paid for is not there. */
export const REPORT_CONDITIONS = ['waiting', 'rejected_or_not_received', 'analysis_failed'] as const
export type ReportCondition = (typeof REPORT_CONDITIONS)[number]
