/** When each alert must fire, and when it must stay quiet. */

/** Values by series, one per minute from minute 0 on, in Prometheus's notation. */
type Series = Readonly<Record<string, string>>

export interface AlertCase {
  readonly alert: string
  readonly firing: Series
  readonly quiet: Series
  /** The alert fires at this minute and not before. */
  readonly firesAtMinute: number
}

const FIRST_INSTANCE = 'job="mailgrade",instance="one"'
const SECOND_INSTANCE = 'job="mailgrade",instance="two"'
const risingValues = (step: number) => `0+${step}x120`
const constantValues = (value: number) => `${value}+0x120`

const requestsSeries = (outcome: string, operation = 'check') =>
  `mailgrade_requests_total{${FIRST_INSTANCE},surface="http",operation="${operation}",outcome="${outcome}"}`
const dnsQueriesSeries = (outcome: string) =>
  `mailgrade_dns_queries_total{${FIRST_INSTANCE},resolver="dns.example",outcome="${outcome}"}`
const paymentsSeries = (outcome: string) =>
  `mailgrade_payments_total{${FIRST_INSTANCE},operation="score",outcome="${outcome}"}`
const checkDurationSeries = (le: string) =>
  `mailgrade_request_duration_seconds_bucket{${FIRST_INSTANCE},surface="http",operation="check",le="${le}"}`
const storeCommandDurationSeries = (le: string) =>
  `mailgrade_store_command_duration_seconds_bucket{${FIRST_INSTANCE},command="claim",le="${le}"}`
const resolverAvailableSeries = (name: string) =>
  `mailgrade_resolver_available{${FIRST_INSTANCE},resolver="${name}"}`
const buildInfoSeries = (where: string, version: string) =>
  `mailgrade_build_info{${where},version="${version}"}`

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'MailgradeAllDown',
    firing: { [`up{${FIRST_INSTANCE}}`]: '1 1 0x30' },
    quiet: { [`up{${FIRST_INSTANCE}}`]: '1x30' },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeInstanceDown',
    firing: { [`up{${FIRST_INSTANCE}}`]: '1x30', [`up{${SECOND_INSTANCE}}`]: '1 1 0x30' },
    quiet: { [`up{${FIRST_INSTANCE}}`]: '1x30', [`up{${SECOND_INSTANCE}}`]: '1 1 0 1x30' },
    firesAtMinute: 4,
  },
  {
    alert: 'MailgradeRestarting',
    firing: { [`process_start_time_seconds{${FIRST_INSTANCE}}`]: '1 2 3 4x60' },
    quiet: { [`process_start_time_seconds{${FIRST_INSTANCE}}`]: '1 2x60' },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeInternalErrors',
    firing: { [`mailgrade_internal_errors_total{${FIRST_INSTANCE}}`]: '0 0 1x60' },
    quiet: { [`mailgrade_internal_errors_total{${FIRST_INSTANCE}}`]: '5x60' },
    firesAtMinute: 2,
  },
  {
    alert: 'MailgradeEventLoopLag',
    firing: { [`nodejs_eventloop_lag_p99_seconds{${FIRST_INSTANCE}}`]: '0.5x60' },
    quiet: { [`nodejs_eventloop_lag_p99_seconds{${FIRST_INSTANCE}}`]: '0.05x60' },
    firesAtMinute: 5,
  },
  {
    alert: 'MailgradeMemoryHigh',
    firing: { [`process_resident_memory_bytes{${FIRST_INSTANCE}}`]: '450e6x60' },
    quiet: { [`process_resident_memory_bytes{${FIRST_INSTANCE}}`]: '300e6x60' },
    firesAtMinute: 15,
  },
  {
    alert: 'MailgradeVersionsDiffer',
    firing: {
      [buildInfoSeries(FIRST_INSTANCE, '1')]: '1x120',
      [buildInfoSeries(SECOND_INSTANCE, '2')]: '1x120',
    },
    quiet: {
      [buildInfoSeries(FIRST_INSTANCE, '1')]: '1x120',
      [buildInfoSeries(SECOND_INSTANCE, '1')]: '1x120',
    },
    firesAtMinute: 30,
  },
  {
    alert: 'MailgradeNoResolver',
    firing: { [resolverAvailableSeries('a')]: '1 0x5', [resolverAvailableSeries('b')]: '1 0x5' },
    quiet: { [resolverAvailableSeries('a')]: '1 0x5', [resolverAvailableSeries('b')]: '1x5' },
    firesAtMinute: 2,
  },
  {
    alert: 'MailgradeResolverResting',
    firing: { [resolverAvailableSeries('a')]: '0x60', [resolverAvailableSeries('b')]: '1x60' },
    quiet: { [resolverAvailableSeries('a')]: '0 0 0 1x60', [resolverAvailableSeries('b')]: '1x60' },
    firesAtMinute: 10,
  },
  {
    alert: 'MailgradeDnsFailing',
    firing: {
      [dnsQueriesSeries('records')]: risingValues(900),
      [dnsQueriesSeries('http-status')]: risingValues(100),
    },
    quiet: {
      [dnsQueriesSeries('records')]: risingValues(700),
      [dnsQueriesSeries('servfail')]: risingValues(290),
      [dnsQueriesSeries('timeout')]: risingValues(10),
    },
    firesAtMinute: 11,
  },
  {
    alert: 'MailgradeFailing',
    firing: {
      [requestsSeries('ok')]: risingValues(90),
      [requestsSeries('dns_timeout')]: risingValues(10),
    },
    quiet: {
      [requestsSeries('ok')]: risingValues(60),
      [requestsSeries('unknown_domain')]: risingValues(40),
    },
    firesAtMinute: 6,
  },
  {
    alert: 'MailgradeSlow',
    firing: {
      [checkDurationSeries('2.5')]: risingValues(90),
      [checkDurationSeries('5')]: risingValues(100),
      [checkDurationSeries('+Inf')]: risingValues(100),
    },
    quiet: {
      [checkDurationSeries('1')]: risingValues(100),
      [checkDurationSeries('2.5')]: risingValues(100),
      [checkDurationSeries('+Inf')]: risingValues(100),
    },
    firesAtMinute: 11,
  },
  {
    alert: 'MailgradeOverloaded',
    firing: {
      [requestsSeries('ok')]: risingValues(1000),
      [requestsSeries('overloaded')]: risingValues(1),
    },
    quiet: {
      [requestsSeries('ok')]: risingValues(1000),
      [requestsSeries('overloaded')]: constantValues(7),
    },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeBusy',
    firing: {
      [`mailgrade_reports_running{${FIRST_INSTANCE}}`]: '190x60',
      [`mailgrade_reports_limit{${FIRST_INSTANCE}}`]: '200x60',
    },
    quiet: {
      [`mailgrade_reports_running{${FIRST_INSTANCE}}`]: '90x60',
      [`mailgrade_reports_limit{${FIRST_INSTANCE}}`]: '200x60',
    },
    firesAtMinute: 5,
  },
  {
    alert: 'MailgradeManyLimited',
    firing: {
      [requestsSeries('ok')]: risingValues(30),
      [requestsSeries('rate_limited')]: risingValues(60),
    },
    quiet: {
      [requestsSeries('ok')]: risingValues(60),
      [requestsSeries('rate_limited')]: risingValues(30),
    },
    firesAtMinute: 16,
  },
  {
    alert: 'MailgradeFacilitatorUnavailable',
    firing: {
      [paymentsSeries('delivered')]: risingValues(9),
      [paymentsSeries('facilitator_unavailable')]: '0 1 2 3 4x60',
    },
    quiet: {
      [paymentsSeries('delivered')]: risingValues(9),
      [paymentsSeries('facilitator_unavailable')]: '0 0 1x60',
    },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeUnknownOutcomes',
    firing: {
      [`mailgrade_payments_unknown{${FIRST_INSTANCE}}`]: '0 0 1x30',
      [`mailgrade_payments_unknown{${SECOND_INSTANCE}}`]: '0x30',
    },
    quiet: { [`mailgrade_payments_unknown{${FIRST_INSTANCE}}`]: '0x30' },
    firesAtMinute: 2,
  },
  {
    alert: 'MailgradeNoPaymentSucceeds',
    firing: {
      [paymentsSeries('wrong_network')]: risingValues(1),
      [paymentsSeries('delivered')]: constantValues(50),
    },
    quiet: {
      [paymentsSeries('wrong_network')]: risingValues(1),
      [paymentsSeries('delivered')]: '0x5 1x100',
    },
    firesAtMinute: 15,
  },
  {
    alert: 'MailgradeNoPaymentSucceeds',
    firing: {
      [paymentsSeries('wrong_payee')]: risingValues(1),
      [paymentsSeries('expired')]: risingValues(1),
    },
    quiet: {
      [paymentsSeries('insufficient_funds')]: risingValues(9),
      [paymentsSeries('expired')]: risingValues(9),
    },
    firesAtMinute: 15,
  },
  {
    alert: 'MailgradeLedgerNearFull',
    firing: { [`mailgrade_ledger_entries{${FIRST_INSTANCE}}`]: '42000x60' },
    quiet: { [`mailgrade_ledger_entries{${FIRST_INSTANCE}}`]: '39000x60' },
    firesAtMinute: 5,
  },
  {
    alert: 'MailgradeStoreDown',
    firing: { [`mailgrade_store_up{${FIRST_INSTANCE}}`]: '1 0x30' },
    quiet: { [`mailgrade_store_up{${FIRST_INSTANCE}}`]: '1 0 1x30' },
    firesAtMinute: 2,
  },
  {
    alert: 'MailgradeStoreSlow',
    firing: {
      [storeCommandDurationSeries('0.1')]: risingValues(90),
      [storeCommandDurationSeries('1')]: risingValues(100),
      [storeCommandDurationSeries('+Inf')]: risingValues(100),
    },
    quiet: {
      [storeCommandDurationSeries('0.01')]: risingValues(100),
      [storeCommandDurationSeries('1')]: risingValues(100),
      [storeCommandDurationSeries('+Inf')]: risingValues(100),
    },
    firesAtMinute: 11,
  },
]
