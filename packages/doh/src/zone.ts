/** DNS from zone files, for tests, demos and tools that write zone files. */
export { unescapeOctets } from './escaped-text.js'
export { canonicalName } from './wire/wire-name.js'
export { parseZone, type ZoneRecord } from './zone/parse-zone.js'
export { tokenizeZone } from './zone/tokenize-zone.js'
export { createZoneDns, type ZoneDns } from './zone/zone-dns.js'
