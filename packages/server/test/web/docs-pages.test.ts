/** The documentation as HTML: its menus, its size, and what each endpoint page shows. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { endpointDocsPath } from '@mailgrade/operations/service-paths'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { staticPagePaths } from '../../src/web/page-paths.js'
import { createTestApp } from '../support/test-app.js'

const BROWSER = { accept: 'text/html' }
const DOCS_PATHS = staticPagePaths(OPERATIONS).filter((path) => /^\/(docs|problems)\b/.test(path))
const OPERATOR_PATHS = [
  '/docs/operators',
  '/docs/guides/production',
  '/docs/guides/configuration',
  '/docs/guides/operations',
  '/docs/guides/accounting',
  '/docs/guides/security',
]
const CALLER_PATHS = [
  '/docs',
  ...OPERATIONS.map(endpointDocsPath),
  '/docs/guides/api',
  '/docs/guides/payments',
  '/docs/guides/payment-extensions',
  '/docs/guides/mcp',
  '/docs/guides/score',
  '/docs/guides/email-check',
  '/docs/guides/fix-plan',
  '/docs/findings',
  '/problems',
  '/openapi.json',
  '/llms.txt',
  '/.well-known/x402',
  '/.well-known/api-catalog',
]

const app = createTestApp(zoneDns(''), { env: {} })

async function readPage(path: string): Promise<string> {
  return (await app.get(path, BROWSER)).text()
}

interface MenuLink {
  readonly href: string
  readonly current: string | null
}

function menuLinks(html: string): MenuLink[] {
  const [, menu = ''] = /<nav aria-label="Documentation">(.*?)<\/nav>/s.exec(html) ?? []
  return [...menu.matchAll(/<a href="([^"]*)"(?: aria-current="([^"]*)")?/g)].map(
    ([, href = '', current = null]) => ({ href, current }),
  )
}

describe('the menu', () => {
  test('of a caller has everything for callers, and one link for operators at the end', async () => {
    const links = menuLinks(await readPage('/docs/api/spf'))
    expect(links.map(({ href }) => href)).toEqual([...CALLER_PATHS, '/docs/operators'])
  })

  test('of an operator has the guides for operators, and one link back', async () => {
    const links = menuLinks(await readPage('/docs/guides/security'))
    expect(links.map(({ href }) => href)).toEqual([...OPERATOR_PATHS, '/docs'])
  })

  test.each(DOCS_PATHS)('marks %s', async (path) => {
    const current = menuLinks(await readPage(path)).filter((link) => link.current !== null)
    expect(current).toEqual(
      path.startsWith('/problems/')
        ? [{ href: '/problems', current: 'true' }]
        : [{ href: path, current: 'page' }],
    )
  })
})

test.each(DOCS_PATHS)('%s has less than 100 KB', async (path) => {
  expect(Buffer.byteLength(await readPage(path))).toBeLessThan(100_000)
})

test('the start page shows a response exactly as curl prints it', async () => {
  const html = await readPage('/docs')
  const [, shown = ''] = /<code>(\{&quot;domain.*?)<\/code>/.exec(html) ?? []
  const body = await (await app.get('/v1/mx?domain=good.test')).text()
  const withoutTimes = (json: string) =>
    json.replace(/"checkedAt":"[^"]*"/, '').replace(/"durationMs":\d+/, '')
  expect(withoutTimes(shown.replaceAll('&quot;', '"'))).toBe(withoutTimes(body))
  expect(html).toContain('curl &#39;https://mailgrade.example/v1/mx?domain=good.test&#39;')
})

test('only endpoint pages load the script of their form', async () => {
  const loading = await Promise.all(
    DOCS_PATHS.map(async (path) =>
      /<script type="module" src="\/assets\/[\w-]+\/try-it\.js"/.test(await readPage(path))
        ? [path]
        : [],
    ),
  )
  expect(loading.flat()).toEqual(OPERATIONS.map(endpointDocsPath))
})

test.each(OPERATIONS.filter(isPaid))('$path shows how to install and to pay', async (operation) => {
  const html = await readPage(endpointDocsPath(operation))
  expect(html).toContain('npm install @x402/fetch @x402/evm viem')
  expect(html).toContain('await response.json()')
})

describe('GET /mcp', () => {
  const EXPLAINED = 'This URL is for MCP clients'

  test('explains itself to a browser, with the status and Allow that clients rely on', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const response = await app.get('/mcp', { accept })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await response.text()
    expect(html).toContain(EXPLAINED)
    expect(html).toContain(
      'claude mcp add --transport http mailgrade https://mailgrade.example/mcp',
    )
    const tools = [...html.matchAll(/<dt><code>(\w+)<\/code> <small>([^<]+)</g)]
    expect(tools.map(([, name, price]) => [name, price])).toEqual([
      ['check_domain_email_security', 'Free'],
      ['email_security_score', '0.01 USD'],
      ['check_email_address', '0.01 USD'],
      ['email_fix_plan', '1.00 USD'],
      ['pricing', 'Free'],
    ])
  })

  test.each([
    ['no Accept', {}],
    ['an event stream', { accept: 'text/event-stream' }],
    ['JSON', { accept: 'application/json, text/event-stream' }],
    ['anything', { accept: '*/*' }],
    ['JSON before HTML', { accept: 'application/json, text/html;q=0.9' }],
  ])('answers %s as before', async (_, headers) => {
    const response = await app.get('/mcp', headers)
    expect([response.status, await response.text()]).toEqual([
      405,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"GET is not allowed here; use POST."}}',
    ])
    const { 'x-request-id': _id, ...others } = Object.fromEntries(response.headers)
    expect(others).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'PAYMENT-REQUIRED, PAYMENT-RESPONSE, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      allow: 'POST, OPTIONS',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  test.each(['HEAD', 'PUT', 'DELETE'])('%s from a browser gets no page', async (method) => {
    const response = await app.request('/mcp', { method, headers: BROWSER })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      405,
      'application/json',
    ])
  })
})

test('a mistyped endpoint gets the right one in its 404', async () => {
  const response = await app.get('/v1/checks?domain=good.test')
  expect([response.status, await response.json()]).toMatchObject([
    404,
    {
      code: 'not_found',
      detail: 'There’s no page here. Did you mean /v1/check? For all endpoints, see /openapi.json.',
    },
  ])
})
