/** A DNS-over-HTTPS client (RFC 8484), and a `Dns` backed by zone files. */
export * from './dns.js'
export { createDohDns, type DohDns, type DohOptions } from './doh/doh-dns.js'
export { createLookup, type Lookup } from './lookup.js'
