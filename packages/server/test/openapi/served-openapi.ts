/** The OpenAPI document as served, and the responses it documents. */
import type { Operation } from '@mailgrade/operations/operation'
import type { TestApp } from '../support/test-app.js'

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly 'x-guidance': string }
  readonly paths: Readonly<Record<string, { readonly get: DocumentedOperation }>>
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
  }
}

interface DocumentedOperation {
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

export interface OpenApiResponse {
  readonly headers: Readonly<Record<string, object>>
  readonly content: Readonly<Record<string, MediaType>>
}

interface MediaType {
  readonly schema: object
  readonly example?: Result
  readonly examples?: Readonly<Record<string, OpenApiExample>>
}

interface Result {
  readonly meta: object
}

export interface OpenApiExample {
  readonly summary: string
  /** The request that returns it, if that matters. */
  readonly description?: string
  readonly value: Readonly<Record<string, unknown>>
}

export async function fetchOpenApiDocument(service: TestApp): Promise<OpenApiDocument> {
  return (await service.get('/openapi.json')).json() as Promise<OpenApiDocument>
}

export function documentedOpenApiResponses(
  document: OpenApiDocument,
  { path }: Operation,
): DocumentedOperation['responses'] {
  const documented = document.paths[path]
  if (!documented) throw new Error(`${path} is not in the document`)
  return documented.get.responses
}

/** The JSON pointer (RFC 6901) to the schema of a response. */
export function schemaPointer({ path }: Operation, status: number, mediaType: string): string {
  const steps = ['paths', path, 'get', 'responses', String(status), 'content', mediaType, 'schema']
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
