/** Names of series, as instances report them, and how they go on from minute to minute. */

/** Series by name and labels; the values begin at minute 0, one a minute, in Prometheus's notation. */
type Series = Readonly<Record<string, string>>

export interface AlertCase {
  readonly alert: string
  readonly firing: Series
  readonly quiet: Series
  /** In minutes. Before it, the alert does not fire yet. */
  readonly firesAtMinute: number
}

export const FIRST_INSTANCE = 'job="mailgrade",instance="one"'
export const SECOND_INSTANCE = 'job="mailgrade",instance="two"'
/** So many more each minute. */
export const risingValues = (step: number) => `0+${step}x120`
export const constantValues = (value: number) => `${value}+0x120`

export const requestsSeries = (outcome: string, operation = 'check') =>
  `mailgrade_requests_total{${FIRST_INSTANCE},surface="http",operation="${operation}",outcome="${outcome}"}`
export const dnsQueriesSeries = (outcome: string) =>
  `mailgrade_dns_queries_total{${FIRST_INSTANCE},resolver="dns.example",outcome="${outcome}"}`
export const paymentsSeries = (outcome: string) =>
  `mailgrade_payments_total{${FIRST_INSTANCE},operation="score",outcome="${outcome}"}`
export const checkDurationSeries = (le: string) =>
  `mailgrade_request_duration_seconds_bucket{${FIRST_INSTANCE},surface="http",operation="check",le="${le}"}`
export const storeCommandDurationSeries = (le: string) =>
  `mailgrade_store_command_duration_seconds_bucket{${FIRST_INSTANCE},command="claim",le="${le}"}`
export const resolverAvailableSeries = (name: string) =>
  `mailgrade_resolver_available{${FIRST_INSTANCE},resolver="${name}"}`
export const buildInfoSeries = (where: string, version: string) =>
  `mailgrade_build_info{${where},version="${version}"}`
