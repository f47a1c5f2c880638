/** Names of series, as instances report them, and how they go on from minute to minute. */

/** Series by name and labels; the values begin at minute 0, one a minute, in Prometheus's notation. */
type Series = Readonly<Record<string, string>>

export interface AlertStory {
  readonly alert: string
  readonly fires: Series
  readonly quiet: Series
  /** In minutes. Before it, the alert does not fire yet. */
  readonly from: number
}

export const ONE = 'job="mailgrade",instance="one"'
export const TWO = 'job="mailgrade",instance="two"'
/** So many more each minute. */
export const rising = (step: number) => `0+${step}x120`
export const steady = (value: number) => `${value}+0x120`

export const requests = (outcome: string, operation = 'check') =>
  `mailgrade_requests_total{${ONE},surface="http",operation="${operation}",outcome="${outcome}"}`
export const questions = (outcome: string) =>
  `mailgrade_dns_questions_total{${ONE},resolver="dns.example",outcome="${outcome}"}`
export const payments = (outcome: string) =>
  `mailgrade_payments_total{${ONE},operation="score",outcome="${outcome}"}`
export const checks = (le: string) =>
  `mailgrade_request_duration_seconds_bucket{${ONE},surface="http",operation="check",le="${le}"}`
export const commands = (le: string) =>
  `mailgrade_store_command_duration_seconds_bucket{${ONE},command="claim",le="${le}"}`
export const resolver = (name: string) => `mailgrade_resolver_available{${ONE},resolver="${name}"}`
export const build = (where: string, version: string) =>
  `mailgrade_build_info{${where},version="${version}"}`
