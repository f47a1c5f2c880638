/** Response headers in the OpenAPI document, described once and referred to. */
import type { OpenAPIHono } from '@hono/zod-openapi'

const HEADERS = {
  'X-Request-Id': {
    description:
      'Names this very answer, in our log too. Yours, if you sent one of at most 64 letters, digits, dots, hyphens and underscores.',
    required: true,
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'The limit on free requests: at most `q` are answered in any `w` seconds, over all free endpoints together, to one IPv4 address or one IPv6 /64. Every GET and HEAD counts, whatever its answer, except those refused with 429.',
    schema: { type: 'string', example: '"free";q=30;w=60' },
  },
  RateLimit: {
    description:
      'What is left of it: `r` more requests would be answered now, and in `t` seconds one more than that.',
    schema: { type: 'string', example: '"free";r=12;t=8' },
  },
  'Retry-After': {
    description: 'Seconds after which it is worth asking again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'PAYMENT-RESPONSE': {
    description:
      'The receipt: base64 of an x402 SettlementResponse. With a 402, of a settlement that was refused.',
    schema: { type: 'string' },
  },
  'PAYMENT-REQUIRED': {
    description: 'The price and how to pay it: base64 of an x402 PaymentRequired object.',
    required: true,
    schema: { type: 'string' },
  },
} as const

export type DocumentedHeader = keyof typeof HEADERS

/** On every answer of a free operation. */
export const RATE_LIMIT_HEADERS: readonly DocumentedHeader[] = ['RateLimit-Policy', 'RateLimit']

export function headerRefs(names: readonly DocumentedHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export function registerOpenApiHeaders(registry: OpenAPIHono['openAPIRegistry']): void {
  for (const [name, header] of Object.entries(HEADERS)) {
    registry.registerComponent('headers', name, header)
  }
}
