/** Who we are over MCP, the same to clients, on the server card and in the registry. */
import { API_VERSION } from '../operations/table.js'

/** The one tool that is no operation. */
export const PRICING_TOOL = 'pricing'

/** Registries take no more than 100 characters. */
const DESCRIPTION =
  'Is a domain’s email safe from spoofing, and which DNS records make it so? SPF, DKIM, DMARC, MX.'

export interface Service {
  readonly baseUrl: string
  readonly name: string
  readonly siteUrl: string | null
}

export interface Identity {
  /** Like no other server's, for it begins with the domain in reverse: `com.example/mailgrade`. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly version: string
  readonly websiteUrl: string
}

export function identityOf({ baseUrl, name, siteUrl }: Service): Identity {
  return {
    name: `${namespaceOf(new URL(baseUrl).hostname)}/mailgrade`,
    title: name,
    description: DESCRIPTION,
    version: API_VERSION,
    websiteUrl: siteUrl ?? baseUrl,
  }
}

function namespaceOf(host: string): string {
  const isDomain = /\.[a-z][a-z0-9-]*$/.test(host)
  return isDomain ? host.split('.').reverse().join('.') : 'local'
}
