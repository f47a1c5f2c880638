/** The metrics of a running service. */

import { startDohServer } from '@mailgrade/testing/doh-server'
import { expect, onTestFinished, test } from 'vitest'
import { connectMcpClient } from '../../support/mcp-client.js'
import { startServiceProcess } from '../../support/service-process.js'
import { sendDemoPayment, signDemoPayment } from './demo-payer.js'
import { scrapeMetrics, selectMetric } from './scrape-metrics.js'

async function start(env: Record<string, string>) {
  const service = await startServiceProcess({ METRICS_PORT: '0', ...env })
  onTestFinished(() => void service.process.kill('SIGKILL'))
  const { metricsPort } = await service.logged('listening')
  return {
    ...service,
    metrics: async (name: string) => selectMetric(await scrapeMetrics(metricsPort), name),
  }
}

test('counts requests by surface, operation and outcome', async () => {
  const { url, metrics } = await start({ RATE_LIMIT_PER_MINUTE: '7' })
  await fetch(`${url}/v1/spf?domain=good.test`)
  await fetch(`${url}/v1/spf?domain=nowhere.test`)
  await fetch(`${url}/?domain=good.test`, { headers: { Accept: 'text/html' } })
  await fetch(`${url}/badge/good.test.svg`)
  await fetch(`${url}/share/nowhere.test.png`)
  await fetch(`${url}/domains?domains=good.test`)
  const client = await connectMcpClient('current', url)
  await client.callTool('check_domain_email_security', { domain: 'good.test' })
  await fetch(`${url}/v1/mx?domain=good.test`)
  await fetch(`${url}/v1/score`)
  await fetch(`${url}/somewhere-else`)
  await fetch(`${url}/healthz`)

  expect(await metrics('mailgrade_requests_total')).toMatchObject({
    '{surface="http",operation="spf",outcome="ok"}': 1,
    '{surface="http",operation="spf",outcome="unknown_domain"}': 1,
    '{surface="page",operation="check",outcome="ok"}': 1,
    '{surface="image",operation="check",outcome="ok"}': 1,
    '{surface="image",operation="check",outcome="unknown_domain"}': 1,
    '{surface="other",operation="/domains",outcome="ok"}': 1,
    '{surface="mcp",operation="check",outcome="ok"}': 1,
    '{surface="http",operation="mx",outcome="rate_limited"}': 1,
    '{surface="http",operation="score",outcome="payment_required"}': 1,
    '{surface="other",operation="none",outcome="not_found"}': 1,
    '{surface="other",operation="/healthz",outcome="ok"}': 1,
  })
  expect(await metrics('mailgrade_request_duration_seconds_count')).toMatchObject({
    '{surface="http",operation="spf"}': 2,
  })
  expect(await metrics('mailgrade_rate_limited_total')).toEqual({ '': 1 })
  expect(await metrics('mailgrade_rate_limited_callers')).toEqual({ '': 1 })
  expect(await metrics('mailgrade_reports_limit')).toEqual({ '': 100 })
  expect(await metrics('mailgrade_reports_running')).toEqual({ '': 0 })
  expect(await metrics('mailgrade_build_info')).toEqual({
    '{version="0.4.0",mode="sandbox",network="eip155:84532"}': 1,
  })
})

test('counts a payment once, also when its report is fetched again', async () => {
  const { url, metrics } = await start({})
  const path = '/v1/score?domain=good.test'
  const payment = await signDemoPayment(url, path)
  expect(await sendDemoPayment(payment, url + path)).toBe(200)
  expect(await sendDemoPayment(payment, url + path)).toBe(200)
  expect(await sendDemoPayment(payment, `${url}/v1/score?domain=monitoring.test`)).toBe(402)

  expect(await metrics('mailgrade_payments_total')).toEqual({
    '{operation="score",outcome="delivered"}': 1,
    '{operation="score",outcome="redelivered"}': 1,
    '{operation="score",outcome="payment_already_used"}': 1,
  })
  expect(await metrics('mailgrade_settled_usd_total')).toEqual({ '{operation="score"}': 0.01 })
  expect(await metrics('mailgrade_ledger_entries')).toEqual({ '': 1 })
})

test('counts DNS queries by resolver and outcome, and shows paused resolvers', async () => {
  const resolver = await startDohServer('acme.test. MX 10 mx.acme.test.', 'http/1.1')
  onTestFinished(resolver.close)
  const dead = 'http://127.0.0.1:9/dns-query'
  const { url, metrics } = await start({
    PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    FACILITATOR_URL: 'http://127.0.0.1:9',
    DOH_URLS: `${dead},${resolver.url.href}`,
  })
  for (let turn = 0; turn < 5; turn++) await fetch(`${url}/v1/mx?domain=acme.test`)

  const queries = await metrics('mailgrade_dns_queries_total')
  expect(queries[`{resolver="${resolver.url.host}",outcome="records"}`]).toBe(5)
  expect(queries['{resolver="127.0.0.1:9",outcome="unreachable"}']).toBeGreaterThanOrEqual(5)
  expect(await metrics('mailgrade_resolver_available')).toEqual({
    '{resolver="127.0.0.1:9"}': 0,
    [`{resolver="${resolver.url.host}"}`]: 1,
  })
})

test('serves metrics on their own port only, and nothing else there', async () => {
  const { url, logged } = await start({})
  const { metricsPort } = await logged('listening')
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${metricsPort}/v1/spf?domain=good.test`)).status).toBe(404)
})

test('says what to do when METRICS_PORT is taken', async () => {
  const { logged } = await start({})
  const { metricsPort } = await logged('listening')
  const second = await startServiceProcess({ METRICS_PORT: String(metricsPort) })
  expect(await second.exitCode()).toBe(1)
  expect(second.output.stderr).toContain('METRICS_PORT to a free port')
})
