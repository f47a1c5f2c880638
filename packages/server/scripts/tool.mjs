/**
 * Calls a tool over MCP, pays if it has a price, and prints the conversation:
 * `npm run tool -- email_security_score domain=good.test`. Without a tool it lists them.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  formatPrice,
  printBalance,
  printJson,
  printText,
  resolveServiceUrl,
  runMain,
  sendUntilSettled,
  serviceUnreachable,
  signPayment,
} from './payer.mjs'

const [name, ...pairs] = process.argv.slice(2)

await runMain(async () => {
  const client = new Client(
    { name: 'mailgrade-tool', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  const url = resolveServiceUrl('/mcp')
  await client.connect(new StreamableHTTPClientTransport(url)).catch((error) => {
    const { status, text } = error.data ?? {}
    throw status ? new Error(`${url} answered ${status}: ${text}`) : serviceUnreachable(url)
  })
  if (name) await converse(client, Object.fromEntries(pairs.map(split)))
  else await list(client)
})

async function list(client) {
  const { tools } = await client.listTools()
  for (const tool of tools) printText(`${tool.name}\n${tool.description}`)
}

async function converse(client, given) {
  const question = `${name} ${JSON.stringify(given)}`
  printText(`> ${question}`)
  const first = await call(client, given)
  const required = first.structuredContent
  if (!required.accepts) return finish(first)
  printText(`< ${required.error}: ${formatPrice(required.accepts[0])}`)

  const payment = await signPayment(required, question)
  printText(
    `> ${question}\n  _meta["x402/payment"]: signed by ${payment.payload.authorization.from}`,
  )
  const { result } = await sendUntilSettled(
    () => attempt(client, given, payment),
    JSON.stringify({ 'x402/payment': payment }),
  )
  finish(result)
  printJson('< _meta["x402/payment-response"]', result._meta?.['x402/payment-response'])
  await printBalance(required, resolveServiceUrl('/'))
}

function call(client, given, _meta = {}) {
  return client.callTool({ name, arguments: given, _meta })
}

async function attempt(client, given, payment) {
  const result = await call(client, given, { 'x402/payment': payment }).catch(() => null)
  if (!result) return null
  const { code, charged, status = 200, retryAfterSeconds: retryAfter } = result.structuredContent
  return { result, code, charged, status, retryAfter }
}

function finish({ content, structuredContent, isError }) {
  printText(`< ${content[0].text}`)
  printJson('< structuredContent', structuredContent)
  if (isError) throw new Error('No report, and nothing was paid.')
}

function split(pair) {
  const [parameter, ...value] = pair.split('=')
  return [parameter, value.join('=')]
}
