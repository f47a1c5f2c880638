/** Zones whose plans the tests of several packages read. */
import { SPKI } from './dkim-keys.js'

/** A weak key to replace and later delete, a dead mail server, and a DMARC record too many. */
export const BUSY_ZONE = `
  acme.test. NS ns.acme.test.
  acme.test. MX 1 smtp.google.com.
  acme.test. MX 5 dead.acme.test.
  smtp.google.com. A 192.0.2.1
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 -all"
  acme.test. TXT "v=DMARC1; p=reject"
  google._domainkey.acme.test. TXT "v=DKIM1; k=rsa; p=${SPKI[1024]}"
  _dmarc.acme.test. TXT "v=DMARC1; p=none"
`
