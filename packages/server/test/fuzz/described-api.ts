/** The parts of the OpenAPI document that the fuzz test reads. */

export interface DescribedOperation {
  readonly path: string
  /** Names of the query parameters. */
  readonly parameters: readonly string[]
  readonly isPaid: boolean
}

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
    // Any other method would go untested.
    if (Object.keys(others).length > 0) throw new Error(`${path} has methods other than GET`)
    const parameters = (get.parameters ?? []).filter((parameter) => parameter.in === 'query')
    return { path, parameters: parameters.map(({ name }) => name), isPaid: '402' in get.responses }
  })
}
