/** The service in the sandbox, at the very address that its documents name. */
import { createServer } from 'node:net'
import { listenAnywhere } from '@mailgrade/testing/site'
import { type Service, startService } from '../support/service.js'

export interface Sandbox extends Service {
  readonly document: Document
}

/** What the tests read of the OpenAPI document. */
export interface Document {
  readonly info: object
  readonly paths: Readonly<Record<string, { readonly get: { readonly responses: Responses } }>>
}

type Responses = Readonly<Record<string, { readonly content: Readonly<Record<string, MediaType>> }>>

export interface MediaType {
  readonly example?: Readonly<Record<string, unknown>>
  readonly examples?: Readonly<Record<string, { readonly value: object }>>
}

/** The example of the report that an operation makes. */
export function reportIn({ paths }: Document, path: string): Readonly<Record<string, unknown>> {
  const { example } = paths[path]?.get.responses[200]?.content['application/json'] ?? {}
  if (!example) throw new Error(`${path} has no example`)
  return example
}

export async function startSandbox(): Promise<Sandbox> {
  const port = await freePort()
  const service = await startService({
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    CONTACT_EMAIL: 'hello@mailgrade.example',
    SITE_URL: 'https://mailgrade.example',
    RATE_LIMIT_PER_MINUTE: '1000',
  })
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
  return { ...service, document }
}

async function freePort(): Promise<number> {
  const holder = createServer()
  const port = await listenAnywhere(holder)
  await new Promise((resolve) => holder.close(resolve))
  return port
}
