/** The text that the service prints when it starts. */
import type { Config } from './config.js'
import type { PaymentTerms } from './payments/payment-terms.js'

const MODES = {
  sandbox: {
    text: 'sandbox (.test domains are examples and work offline; all others are checked live)',
    payments: 'play money on the demo chain',
    domains: ['good.test', 'parked.test'],
  },
  live: { text: 'live', payments: 'USDC', domains: ['example.com', 'iana.org'] },
  off: {
    text: 'free checks only',
    payments: 'off (set PAYMENTS=live to sell reports)',
    domains: ['example.com', 'iana.org'],
  },
}
const DEFAULT_URL = 'http://localhost:3000'

export function startupBanner(
  { mode, baseUrl, service }: Config,
  terms: PaymentTerms | null,
  { version, port }: { readonly version: string; readonly port: number },
): string {
  const { text, payments, domains } = MODES[mode]
  const paths = [...domains.map((domain) => `/v1/mx?domain=${domain}`), '/openapi.json']
  const commands = paths.map((path) => `curl '${baseUrl}${path}'`)
  if (mode === 'sandbox') commands.push(...paymentCommands(baseUrl))
  return `
  ${service.name} ${version} is listening on port ${port}: ${baseUrl}
  Mode: ${text}
  Payments: ${payments}${terms ? `, ${terms.network} to ${terms.payTo}` : ''}
  MCP: ${baseUrl}/mcp

  Open ${baseUrl} in a browser, or try:
${commands.map((command) => `    ${command}`).join('\n')}

`
}

function paymentCommands(baseUrl: string): string[] {
  const env = baseUrl === DEFAULT_URL ? '' : `MAILGRADE_URL=${baseUrl} `
  return [
    `${env}npm run pay -- "/v1/score?domain=monitoring.test"`,
    `${env}npm run tool -- email_security_score domain=monitoring.test`,
  ]
}
