/** The service in the sandbox, with its own URL as BASE_URL. */
import { findFreePort } from '@mailgrade/testing/free-port'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

export interface SandboxService extends ServiceProcess {
  readonly document: ExampleDocument
}

/** The parts of the OpenAPI document that the tests read. */
export interface ExampleDocument {
  readonly info: object
  readonly paths: Readonly<Record<string, { readonly get: { readonly responses: Responses } }>>
}

type Responses = Readonly<
  Record<string, { readonly content: Readonly<Record<string, ExampleMediaType>> }>
>

export interface ExampleMediaType {
  readonly example?: Readonly<Record<string, unknown>>
  readonly examples?: Readonly<Record<string, { readonly value: object }>>
}

/** The example report of an operation. */
export function exampleReport(
  { paths }: ExampleDocument,
  path: string,
): Readonly<Record<string, unknown>> {
  const { example } = paths[path]?.get.responses[200]?.content['application/json'] ?? {}
  if (!example) throw new Error(`${path} has no example`)
  return example
}

export async function startSandboxService(): Promise<SandboxService> {
  const port = await findFreePort()
  const service = await startServiceProcess({
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    CONTACT_EMAIL: 'hello@mailgrade.example',
    SITE_URL: 'https://mailgrade.example',
    RATE_LIMIT_PER_MINUTE: '1000',
  })
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as ExampleDocument
  return { ...service, document }
}
