/** Response headers in the OpenAPI document, described once and referred to. */
import type { OpenAPIHono } from '@hono/zod-openapi'

const HEADERS = {
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
    description: 'Seconds after which the next request will be answered.',
    schema: { type: 'integer', minimum: 1 },
  },
} as const

export const RATE_LIMIT_HEADERS = {
  'RateLimit-Policy': reference('RateLimit-Policy'),
  RateLimit: reference('RateLimit'),
}

export const RETRY_AFTER_HEADER = { 'Retry-After': reference('Retry-After') }

export function registerHeaders(registry: OpenAPIHono['openAPIRegistry']): void {
  for (const [name, header] of Object.entries(HEADERS)) {
    registry.registerComponent('headers', name, header)
  }
}

function reference(name: keyof typeof HEADERS) {
  return { $ref: `#/components/headers/${name}` }
}
