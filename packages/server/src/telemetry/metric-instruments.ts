/** The counters and histograms. Dashboards and alerts rely on their names. */
import { Counter, Histogram, type Registry } from 'prom-client'

/** Up to 40 s, because a settlement may take 30 seconds. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 40]
const DNS_QUERY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5]
const STORE_COMMAND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1]

export function createMetricInstruments(registry: Registry) {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'mailgrade_requests_total',
      help: 'Requests by surface, operation and outcome',
      labelNames: ['surface', 'operation', 'outcome'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'mailgrade_request_duration_seconds',
      help: 'Time from the request to the end of its response',
      labelNames: ['surface', 'operation'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    payments: new Counter({
      name: 'mailgrade_payments_total',
      help: 'Payments by operation and outcome',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    settled: new Counter({
      name: 'mailgrade_settled_usd_total',
      help: 'Revenue from settled payments in US dollars',
      labelNames: ['operation'],
      registers,
    }),
    paymentSeconds: new Histogram({
      name: 'mailgrade_payment_duration_seconds',
      help: 'Time from a payment to its report',
      labelNames: ['operation'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    dnsQueries: new Counter({
      name: 'mailgrade_dns_queries_total',
      help: 'DNS queries by resolver and outcome',
      labelNames: ['resolver', 'outcome'],
      registers,
    }),
    dnsQuerySeconds: new Histogram({
      name: 'mailgrade_dns_query_duration_seconds',
      help: 'Time from a DNS query to its answer or timeout',
      labelNames: ['resolver'],
      buckets: DNS_QUERY_SECONDS,
      registers,
    }),
    storeCommands: new Counter({
      name: 'mailgrade_store_commands_total',
      help: 'Commands to the shared store by outcome',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    storeCommandSeconds: new Histogram({
      name: 'mailgrade_store_command_duration_seconds',
      help: 'Time from a store command to its reply',
      labelNames: ['command'],
      buckets: STORE_COMMAND_SECONDS,
      registers,
    }),
    rateLimited: new Counter({
      name: 'mailgrade_rate_limited_total',
      help: 'Free requests rejected by the rate limit',
      registers,
    }),
    internalErrors: new Counter({
      name: 'mailgrade_internal_errors_total',
      help: 'Unexpected errors; the log shows where they happened',
      registers,
    }),
  }
}
