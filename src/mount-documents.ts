/** Everything that machines read about the service, each at its path. */
import type { Hono } from 'hono'
import { openApiDocument } from './discovery/openapi.js'
import type { ServiceInfo } from './discovery/service-info.js'
import { mountDocument } from './http/document.js'
import type { HttpEnv } from './http/http-env.js'
import type { Operation } from './operations/operation.js'

export interface DocumentsOptions {
  readonly operations: readonly Operation[]
  readonly service: ServiceInfo
  /** What each operation answers to its own example, by its id. */
  readonly examples: () => Promise<ReadonlyMap<string, object>>
}

export function mountDocuments(http: Hono<HttpEnv>, options: DocumentsOptions): void {
  const { operations, service, examples } = options
  mountDocument(http, '/openapi.json', {
    type: 'application/json',
    body: async () => JSON.stringify(openApiDocument(operations, service, await examples())),
  })
}
