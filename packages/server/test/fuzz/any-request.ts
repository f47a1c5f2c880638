/** Random requests to everything that the OpenAPI document, tools/list and the sitemap list. */
import fc from 'fast-check'
import type { DescribedOperation } from './described-api.js'
import type { FuzzRequest } from './fuzz-request.js'
import { hostileText } from './hostile-texts.js'
import { malformedHttpRequest } from './malformed-http.js'
import { type ListedTool, mcpRequest } from './mcp-requests.js'
import { paymentVariant } from './payment-variants.js'
import { fuzzedQuery, percentEncode, validQuery } from './query-strings.js'
import { requestHeaders, toSingleLine } from './request-headers.js'

export interface ApiSurface {
  readonly operations: readonly DescribedOperation[]
  readonly tools: readonly ListedTool[]
  /** Paths of all pages and documents. */
  readonly pages: readonly string[]
}

const GET = { method: 'GET', payment: null, resource: null, body: null, copies: 1 } as const
const OTHER_METHODS = [
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'PURGE',
  'TRACE',
  'QUERY',
]

function operationRequest({
  path,
  parameters,
  isPaid,
}: DescribedOperation): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      query: fuzzedQuery(parameters),
      headers: requestHeaders,
      payment: isPaid ? fc.option(paymentVariant, { freq: 3 }) : fc.constant(null),
      copies: fc.oneof(
        { weight: 9, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.constant(3) },
      ),
    })
    .map(({ query, ...rest }) => ({
      ...GET,
      kind: 'operation',
      label: `GET ${path}`,
      target: path + query,
      resource: path,
      ...rest,
    }))
}

/** A valid query with a payment, so settlement is reached often. */
function paidRequest({
  path,
  parameters: [name = ''],
}: DescribedOperation): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({ query: validQuery(name), payment: paymentVariant, copies: fc.constantFrom(1, 1, 2) })
    .map(({ query, ...rest }) => ({
      ...GET,
      kind: 'operation',
      label: `GET ${path}`,
      target: path + query,
      resource: path,
      headers: [],
      ...rest,
    }))
}

function otherMethodRequest({ path, parameters }: DescribedOperation): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      query: fuzzedQuery(parameters),
      headers: requestHeaders,
      method: fc.constantFrom(...OTHER_METHODS),
    })
    .map(({ query, ...rest }) => ({
      ...GET,
      kind: 'other',
      label: 'other methods',
      target: path + query,
      ...rest,
    }))
}

function pageRequest(paths: readonly string[], operations: readonly DescribedOperation[]) {
  const home = fuzzedQuery(['domain']).map((query) => `/${query}`)
  const reports = fc
    .constantFrom(...operations.filter(({ isPaid }) => isPaid))
    .chain((operation) =>
      fuzzedQuery(operation.parameters).map(
        (query) => operation.path.replace('/v1', '/reports') + query,
      ),
    )
  const staticPage = fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom('', '?x=<fz>', '/', '?domain=good.test'))
    .map((parts) => parts.join(''))
  return fc
    .record({
      target: fc.oneof(
        { weight: 3, arbitrary: home },
        { weight: 3, arbitrary: reports },
        staticPage,
      ),
      headers: requestHeaders,
      isBrowser: fc.boolean(),
    })
    .map(
      ({ target, headers, isBrowser }): FuzzRequest => ({
        ...GET,
        kind: 'page',
        label: `page ${target.startsWith('/reports') ? '/reports/*' : target.startsWith('/?') ? '/?domain=' : 'static'}`,
        target,
        headers: isBrowser
          ? [...headers.filter(([name]) => name !== 'Accept'), ['Accept', 'text/html,*/*;q=0.8']]
          : headers,
      }),
    )
}

/** Paths without a route, and some that look like a route. */
const unknownPathRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    target: fc.oneof(
      hostileText.map((text) => `/${toSingleLine(text)}`),
      hostileText.map((text) => `/${percentEncode(text)}`),
      hostileText.map((text) => `/problems/${percentEncode(text)}`),
      hostileText.map((text) => `/assets/${percentEncode(text)}/style.css`),
      fc.constantFrom(
        '//evil.example/v1/check',
        '/v1/../v1/check?domain=good.test',
        '/V1/CHECK?domain=good.test',
        '/%76%31/check?domain=good.test',
        '/v1/check/?domain=good.test',
        '/v1/check%2f?domain=good.test',
        '/docs/..%2f..%2fpackage.json',
        '/assets/x/..%2f..%2f..%2fpackage.json',
        '//evil.example/',
        '/\\evil.example/',
        '/metrics',
        '/.env',
        '/.git/config',
        '/sandbox/chain',
      ),
    ),
    headers: requestHeaders,
  })
  .map((rest) => ({ ...GET, kind: 'other', label: 'unknown paths', ...rest }))

export function anyFuzzRequest({
  operations,
  tools,
  pages,
}: ApiSurface): fc.Arbitrary<FuzzRequest> {
  const operation = fc.constantFrom(...operations)
  const paid = fc.constantFrom(...operations.filter(({ isPaid }) => isPaid))
  return fc.oneof(
    { weight: 16, arbitrary: operation.chain(operationRequest) },
    { weight: 3, arbitrary: paid.chain(paidRequest) },
    { weight: 2, arbitrary: operation.chain(otherMethodRequest) },
    { weight: 8, arbitrary: mcpRequest(tools) },
    { weight: 5, arbitrary: pageRequest(pages, operations) },
    { weight: 3, arbitrary: unknownPathRequest },
    { weight: 2, arbitrary: malformedHttpRequest },
  )
}
