/** The headers of responses, as the OpenAPI document describes them. */
import type { OpenAPIHono } from '@hono/zod-openapi'

const HEADERS = {
  'X-Request-Id': {
    description:
      'Identifies this response, also in our log. It is yours if you sent one of at most 64 letters, digits, dots, hyphens and underscores.',
    required: true,
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'The limit on free requests: at most `q` in any `w` seconds, over all free endpoints together, for one IPv4 address or one IPv6 /64. Every GET and HEAD counts, whatever the response, except those rejected with 429.',
    schema: { type: 'string', example: '"free";q=30;w=60' },
  },
  RateLimit: {
    description:
      'What is left of the limit: `r` more requests are allowed now, and one more in `t` seconds.',
    schema: { type: 'string', example: '"free";r=12;t=8' },
  },
  'Retry-After': {
    description: 'The number of seconds to wait before you try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'PAYMENT-RESPONSE': {
    description:
      'The receipt: an x402 SettlementResponse as base64. It has a signed receipt in `extensions["offer-receipt"]` if the operator signs receipts. With a 402, the settlement that failed.',
    schema: { type: 'string' },
  },
  'PAYMENT-REQUIRED': {
    description: 'The price and how to pay it: an x402 PaymentRequired object as base64.',
    required: true,
    schema: { type: 'string' },
  },
} as const

export type DocumentedHeader = keyof typeof HEADERS

/** On every response of a free operation. */
export const RATE_LIMIT_HEADERS: readonly DocumentedHeader[] = ['RateLimit-Policy', 'RateLimit']

export function registerOpenApiHeaders(
  registry: OpenAPIHono['openAPIRegistry'],
  isSelling: boolean,
): void {
  for (const [name, header] of Object.entries(HEADERS)) {
    if (!isSelling && name.startsWith('PAYMENT-')) continue
    registry.registerComponent('headers', name, header)
  }
}

export function headerRefs(names: readonly DocumentedHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
