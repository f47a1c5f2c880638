/** DNS from zone files: for tests, demos, and whoever writes zone files. */
export { octetsOf } from './escaped-text.js'
export { canonicalName } from './wire/name.js'
export { parseZone, type ZoneRecord } from './zone/parse-zone.js'
export { readEntries } from './zone/tokens.js'
export { createZoneDns, type ZoneDns } from './zone/zone-dns.js'
