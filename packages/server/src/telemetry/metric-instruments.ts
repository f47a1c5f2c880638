/** What is counted and measured, by the names that dashboards and alerts rely on. */
import { Counter, Histogram, type Registry } from 'prom-client'

/** The longest that a caller can wait: a settlement takes up to 30 seconds. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 40]
const QUESTION_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5]
const COMMAND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1]

export function createMetricInstruments(registry: Registry) {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'mailgrade_requests_total',
      help: 'Requests by what they asked for and how they ended',
      labelNames: ['surface', 'operation', 'outcome'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'mailgrade_request_duration_seconds',
      help: 'From the request to the end of its answer',
      labelNames: ['surface', 'operation'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    payments: new Counter({
      name: 'mailgrade_payments_total',
      help: 'Payments by what they were to buy and what became of them',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    settled: new Counter({
      name: 'mailgrade_settled_usd_total',
      help: 'Earned, in US dollars',
      labelNames: ['operation'],
      registers,
    }),
    saleSeconds: new Histogram({
      name: 'mailgrade_sale_duration_seconds',
      help: 'From a payment to its report',
      labelNames: ['operation'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    questions: new Counter({
      name: 'mailgrade_dns_questions_total',
      help: 'DNS questions by who was asked and what came back',
      labelNames: ['resolver', 'outcome'],
      registers,
    }),
    questionSeconds: new Histogram({
      name: 'mailgrade_dns_question_duration_seconds',
      help: 'From a DNS question to its answer or time-out',
      labelNames: ['resolver'],
      buckets: QUESTION_SECONDS,
      registers,
    }),
    commands: new Counter({
      name: 'mailgrade_store_commands_total',
      help: 'Commands to the shared store by how they ended',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    commandSeconds: new Histogram({
      name: 'mailgrade_store_command_duration_seconds',
      help: 'From a command to the shared store to its reply',
      labelNames: ['command'],
      buckets: COMMAND_SECONDS,
      registers,
    }),
    limited: new Counter({
      name: 'mailgrade_rate_limited_total',
      help: 'Free requests refused as too many',
      registers,
    }),
    faults: new Counter({
      name: 'mailgrade_faults_total',
      help: 'Faults of ours: the log has where they happened',
      registers,
    }),
  }
}
