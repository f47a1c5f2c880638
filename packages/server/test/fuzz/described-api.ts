/** The OpenAPI document as far as it is looked at here. */
import type { DescribedOperation } from './any-request.js'

export interface DescribedApi {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, { readonly get: Described }>>
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

interface DescribedResponse {
  readonly headers?: object
  readonly content?: Readonly<Record<string, object>>
}

export function describedOperations({ paths }: DescribedApi): DescribedOperation[] {
  return Object.entries(paths).map(([path, { get, ...others }]) => {
    // A method that nobody thought of here would go untested.
    if (Object.keys(others).length > 0) throw new Error(`${path} has more than GET`)
    const parameters = (get.parameters ?? []).filter((it) => it.in === 'query')
    return { path, parameters: parameters.map(({ name }) => name), isPaid: '402' in get.responses }
  })
}
