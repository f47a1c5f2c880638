/** DNS from zone files, for tests, demos and tools that write zone files. */
export { canonicalName, unescapeOctets } from './wire/wire-name.js'
export { parseZone, tokenizeZone, type ZoneRecord } from './zone/parse-zone.js'
export { createZoneDns, type ZoneDns } from './zone/zone-dns.js'
