/** All requests that can be made of what the OpenAPI document and the sitemap list. */
import fc from 'fast-check'
import type { FuzzRequest } from './fuzz-request.js'
import type { ListedTool } from './fuzzed-mcp-messages.js'
import { malformedHttpRequest } from './malformed-http.js'
import { mcpRequest } from './mcp-requests.js'
import { paymentVariant } from './payment-variants.js'
import { fuzzedQuery, validQuery } from './query-strings.js'
import { requestHeaders } from './request-headers.js'
import { unknownPathRequest } from './unknown-path-request.js'

export interface DescribedOperation {
  readonly path: string
  /** Of the query. */
  readonly parameters: readonly string[]
  readonly isPaid: boolean
}

export interface ApiSurface {
  readonly operations: readonly DescribedOperation[]
  readonly tools: readonly ListedTool[]
  /** The paths of all pages and documents. */
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

function operationPlan({
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

/** Somebody who buys in earnest, so that the sales below the surface are reached often. */
function salePlan({
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

function otherMethodPlan({ path, parameters }: DescribedOperation): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      query: fuzzedQuery(parameters),
      headers: requestHeaders,
      method: fc.constantFrom(...OTHER_METHODS),
    })
    .map(({ query, ...rest }) => ({
      ...GET,
      kind: 'elsewhere',
      label: 'other methods',
      target: path + query,
      ...rest,
    }))
}

function pagePlan(paths: readonly string[], operations: readonly DescribedOperation[]) {
  const home = fuzzedQuery(['domain']).map((query) => `/${query}`)
  const reports = fc
    .constantFrom(...operations.filter(({ isPaid }) => isPaid))
    .chain((operation) =>
      fuzzedQuery(operation.parameters).map(
        (query) => operation.path.replace('/v1', '/reports') + query,
      ),
    )
  const still = fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom('', '?x=<fz>', '/', '?domain=good.test'))
    .map((parts) => parts.join(''))
  return fc
    .record({
      target: fc.oneof({ weight: 3, arbitrary: home }, { weight: 3, arbitrary: reports }, still),
      headers: requestHeaders,
      isBrowser: fc.boolean(),
    })
    .map(
      ({ target, headers, isBrowser }): FuzzRequest => ({
        ...GET,
        kind: 'page',
        label: `page ${target.startsWith('/reports') ? '/reports/*' : target.startsWith('/?') ? '/?domain=' : 'that stands still'}`,
        target,
        headers: isBrowser
          ? [...headers.filter(([name]) => name !== 'Accept'), ['Accept', 'text/html,*/*;q=0.8']]
          : headers,
      }),
    )
}

export function anyFuzzRequest({
  operations,
  tools,
  pages,
}: ApiSurface): fc.Arbitrary<FuzzRequest> {
  const operation = fc.constantFrom(...operations)
  const sold = fc.constantFrom(...operations.filter(({ isPaid }) => isPaid))
  return fc.oneof(
    { weight: 16, arbitrary: operation.chain(operationPlan) },
    { weight: 3, arbitrary: sold.chain(salePlan) },
    { weight: 2, arbitrary: operation.chain(otherMethodPlan) },
    { weight: 8, arbitrary: mcpRequest(tools) },
    { weight: 5, arbitrary: pagePlan(pages, operations) },
    { weight: 3, arbitrary: unknownPathRequest },
    { weight: 2, arbitrary: malformedHttpRequest },
  )
}
