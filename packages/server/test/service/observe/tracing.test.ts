/** The spans that a trace collector gets. */
import { expect, onTestFinished, test } from 'vitest'
import { startServiceProcess } from '../../support/service-process.js'
import { sendDemoPayment, signDemoPayment } from './demo-payer.js'
import { type CollectedSpan, startTraceCollector, type TraceCollector } from './trace-collector.js'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLERS_SPAN = '00f067aa0ba902b7'
const SCORE = '/v1/score?domain=good.test'

async function start({ url }: Pick<TraceCollector, 'url'>, env: Record<string, string> = {}) {
  const service = await startServiceProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  })
  onTestFinished(() => void service.process.kill('SIGKILL'))
  return service
}

test('joins the caller’s trace and carries the request id of the log', async () => {
  const collector = await startTraceCollector()
  const { url, output } = await start(collector)
  const response = await fetch(`${url}/v1/mx?domain=good.test`, {
    headers: { traceparent: `00-${TRACE_ID}-${CALLERS_SPAN}-01` },
  })
  const requestId = response.headers.get('x-request-id')

  const spans = await collector.waitForSpan('GET /v1/mx')
  const request = spans.find(({ name }) => name === 'GET /v1/mx')
  expect(request).toMatchObject({
    traceId: TRACE_ID,
    parentSpanId: CALLERS_SPAN,
    service: 'mailgrade',
    isError: false,
    attributes: {
      'http.route': '/v1/mx',
      'http.response.status_code': 200,
      'mailgrade.operation': 'mx',
      'mailgrade.request_id': requestId,
    },
  })
  expect(output.stdout).toContain(`"requestId":"${requestId}","method":"GET","route":"/v1/mx"`)
  const report = spans.find(({ name }) => name === 'report')
  expect(report?.parentSpanId).toBe(request?.spanId)
  const queries = spans.filter(({ name }) => name === 'dns query')
  expect(queries.map(({ parentSpanId }) => parentSpanId)).toEqual(queries.map(() => report?.spanId))
  expect(queries.map(({ attributes }) => attributes['dns.question.type'])).toContain('MX')
})

test('traces the steps of a payment without the domain or the payment', async () => {
  const collector = await startTraceCollector()
  const { url } = await start(collector, { OTEL_SERVICE_NAME: 'grader' })
  const payment = await signDemoPayment(url, SCORE)
  expect(await sendDemoPayment(payment, url + SCORE)).toBe(200)

  const spans = await collector.waitForSpan('complete payment')
  const names = namesIn(spans, spans.find(({ name }) => name === 'complete payment')?.traceId)
  expect(names).toEqual(
    expect.arrayContaining([
      'reserve payment',
      'verify payment',
      'report',
      'prepare report',
      'settle payment',
    ]),
  )
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['grader']))
  const sent = collector.texts.join('\n')
  expect(sent).not.toContain('good.test')
  expect(sent).not.toContain(payment.slice(0, 40))
})

test('sells nothing for a payment that was signed for another report', async () => {
  const { url } = await start({ url: 'http://127.0.0.1:9' })
  const payment = await signDemoPayment(url, SCORE)
  const other = `${url}/v1/email-check?email=ann@good.test`
  expect(await sendDemoPayment(payment, other)).toBe(402)
  expect(await sendDemoPayment(payment, url + SCORE)).toBe(200)
})

test('marks our problems as errors, but not problems of the caller', async () => {
  const collector = await startTraceCollector()
  const { url } = await start(collector, {
    PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    FACILITATOR_URL: 'http://127.0.0.1:9',
    DOH_URLS: 'http://127.0.0.1:9/dns-query',
  })
  await fetch(`${url}/v1/spf`)
  await fetch(`${url}/v1/mx?domain=acme.test`)
  const spans = await collector.waitForSpan('GET /v1/mx')
  const ended = (name: string) => {
    const { isError, attributes } = spans.find((span) => span.name === name) as CollectedSpan
    return [isError, attributes['error.type']]
  }
  expect(ended('GET /v1/spf')).toEqual([false, 'invalid_input'])
  expect(ended('GET /v1/mx')).toEqual([true, 'dns_unavailable'])
})

test('answers requests when the collector is unreachable', async () => {
  const { url, process: child } = await start({ url: 'http://127.0.0.1:9' })
  expect((await fetch(`${url}/v1/mx?domain=good.test`)).status).toBe(200)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await ended).toBe(0)
})

function namesIn(spans: readonly CollectedSpan[], traceId: string | undefined): string[] {
  return spans.filter((span) => span.traceId === traceId).map(({ name }) => name)
}
