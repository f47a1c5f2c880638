/** A DNS-over-HTTPS client (RFC 8484), and a `Dns` backed by zone files. */
export * from './dns.js'
export { createDohDns, type DohDns, type DohDnsOptions } from './doh-dns.js'
export { createReportDns, type ReportDns } from './report-dns.js'
