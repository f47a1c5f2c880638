/** Every mechanism, by its name in the URL. */
import { dnssec, mtaSts, mx, tlsRpt } from './delivery-mechanisms.js'
import type { Mechanism, MechanismName } from './mechanism.js'
import { bimi, dkim, dmarc, spf } from './sender-mechanisms.js'

export const MECHANISMS: Readonly<Record<MechanismName, Mechanism>> = {
  spf,
  dkim,
  dmarc,
  mx,
  'mta-sts': mtaSts,
  'tls-rpt': tlsRpt,
  bimi,
  dnssec,
}
