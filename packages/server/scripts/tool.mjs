/**
 * Calls an MCP tool, pays if it has a price, and prints each message:
 * `npm run tool -- email_security_score domain=good.test`. Without a tool it lists the tools.
 */
import { stringifySafely } from '@mailgrade/core'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  checkParameters,
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

const PAYMENT_KEY = 'x402/payment'
const PAYMENT_RESPONSE_KEY = 'x402/payment-response'

const [name, ...pairs] = process.argv.slice(2)

await runMain(async () => {
  const client = new Client(
    { name: 'mailgrade-tool', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  const url = resolveServiceUrl('/mcp')
  await client.connect(new StreamableHTTPClientTransport(url)).catch((error) => {
    const { status, text } = error.data ?? {}
    throw status ? new Error(`${url} returned ${status}: ${text}`) : serviceUnreachable(url)
  })
  if (name) await callAndPay(client, Object.fromEntries(pairs.map(parsePair)))
  else await listTools(client)
})

async function listTools(client) {
  const { tools } = await client.listTools()
  for (const tool of tools) printText(`${tool.name}\n${tool.description}`)
}

/** The service ignores an argument that it does not know; its list of tools names the others. */
async function checkArguments(client, input) {
  const { tools } = await client.listTools()
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) {
    const names = tools.map((candidate) => candidate.name).join(', ')
    throw new Error(
      `There’s no tool with that name: ${name}. The tools are ${names}. Nothing was signed.`,
    )
  }
  const { properties = {}, required = [] } = tool.inputSchema
  checkParameters(Object.keys(input), Object.keys(properties), required)
}

async function callAndPay(client, input) {
  await checkArguments(client, input)
  const request = `${name} ${JSON.stringify(input)}`
  printText(`> ${request}`)
  const first = await callTool(client, input)
  const required = first.structuredContent
  if (!required.accepts) return printResult(first)
  printText(`< ${required.error}: ${formatPrice(required.accepts[0])}`)

  const payment = await signPayment(required, request)
  printText(
    `> ${request}\n  _meta["${PAYMENT_KEY}"]: signed by ${payment.payload.authorization.from}`,
  )
  const { result } = await sendUntilSettled(
    () => attemptPayment(client, input, payment),
    stringifySafely({ [PAYMENT_KEY]: payment }),
  )
  printResult(result)
  printJson(`< _meta["${PAYMENT_RESPONSE_KEY}"]`, result._meta?.[PAYMENT_RESPONSE_KEY])
  await printBalance(required, resolveServiceUrl('/'))
}

function callTool(client, input, _meta = {}) {
  return client.callTool({ name, arguments: input, _meta })
}

/** Null if the service did not answer. */
async function attemptPayment(client, input, payment) {
  const result = await callTool(client, input, { [PAYMENT_KEY]: payment }).catch(() => null)
  if (!result) return null
  const { code, charged, status = 200, retryAfterSeconds: retryAfter } = result.structuredContent
  return { result, code, charged, status, retryAfter }
}

function printResult({ content, structuredContent, isError }) {
  printText(`< ${content[0].text}`)
  printJson('< structuredContent', structuredContent)
  if (isError) throw new Error('No report. You weren’t charged.')
}

function parsePair(pair) {
  const [parameter, ...value] = pair.split('=')
  return [parameter, value.join('=')]
}
