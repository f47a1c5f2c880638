/** What a person sees when the service starts. */
import type { Config } from './config.js'

const MODES = {
  sandbox: {
    text: 'sandbox (demo domains under .test need no internet; any other is looked up live)',
    domains: ['good.test', 'parked.test'],
  },
  live: { text: 'live', domains: ['example.com', 'iana.org'] },
}

export function banner({ mode, baseUrl, service }: Config, port: number): string {
  const { text, domains } = MODES[mode]
  const addresses = [...domains.map((domain) => `/v1/mx?domain=${domain}`), '/openapi.json']
  return `
  ${service.name} is listening on port ${port}: ${baseUrl}
  Mode: ${text}

  Try:
${addresses.map((address) => `    curl '${baseUrl}${address}'`).join('\n')}

`
}
