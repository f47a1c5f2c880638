/** What a person sees when the service starts. */
import type { Config } from './config.js'
import type { PaymentTerms } from './payments/payment-terms.js'

const MODES = {
  sandbox: {
    text: 'sandbox (.test domains are examples and need no internet; all others are checked live)',
    payments: 'play money on the demo chain',
    domains: ['good.test', 'parked.test'],
  },
  live: { text: 'live', payments: 'USDC', domains: ['example.com', 'iana.org'] },
}
const DEFAULT_URL = 'http://localhost:3000'

export function startupBanner(
  { mode, baseUrl, service }: Config,
  terms: PaymentTerms,
  port: number,
): string {
  const { text, payments, domains } = MODES[mode]
  const addresses = [...domains.map((domain) => `/v1/mx?domain=${domain}`), '/openapi.json']
  const tries = addresses.map((address) => `curl '${baseUrl}${address}'`)
  if (mode === 'sandbox') tries.push(...buyFrom(baseUrl))
  return `
  ${service.name} is listening on port ${port}: ${baseUrl}
  Mode: ${text}
  Payments: ${payments}, ${terms.network} to ${terms.payTo}
  MCP: ${baseUrl}/mcp

  Open ${baseUrl} in a browser, or try:
${tries.map((command) => `    ${command}`).join('\n')}

`
}

function buyFrom(baseUrl: string): string[] {
  const where = baseUrl === DEFAULT_URL ? '' : `MAILGRADE_URL=${baseUrl} `
  return [
    `${where}npm run pay -- "/v1/score?domain=monitoring.test"`,
    `${where}npm run tool -- email_security_score domain=monitoring.test`,
  ]
}
