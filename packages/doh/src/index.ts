/** A DNS-over-HTTPS client (RFC 8484). `@mailgrade/doh/zone` answers queries from zone files. */
export * from './dns.js'
export {
  createDohDns,
  type DohDns,
  type DohDnsOptions,
  queryTimeoutWithin,
  type ResolverStatus,
} from './doh-dns.js'
export type { OnAnswer, OnUnexpectedError, ResolverClock } from './doh-resolver.js'
export { randomLabel } from './random-label.js'
export { createReportDns, type ReportDns, type ReportDnsOptions } from './report-dns.js'
