/** Zones of well-known services with the lookup counts of the real ones; address ranges are examples. */

export const GOOGLE = `
  _spf.google.com. TXT "v=spf1 include:_netblocks.google.com include:_netblocks2.google.com include:_netblocks3.google.com ~all"
  _netblocks.google.com. TXT "v=spf1 ip4:74.125.0.0/16 ip4:209.85.128.0/17 ~all"
  _netblocks2.google.com. TXT "v=spf1 ip6:2607:f8b0:4000::/36 ip6:2a00:1450:4000::/36 ~all"
  _netblocks3.google.com. TXT "v=spf1 ip4:172.217.0.0/19 ip4:108.177.96.0/19 ~all"
  smtp.google.com. A 142.250.27.26
  smtp.google.com. AAAA 2a00:1450:4025:c03::1a
`

/** For acme.test. */
export const MICROSOFT = `
  spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/16 ip4:40.107.0.0/16 ip4:104.47.0.0/17 -all"
  acme-test.mail.protection.outlook.com. A 52.101.73.4
`

export const FASTMAIL = `
  spf.messagingengine.com. TXT "v=spf1 ip4:103.168.172.128/27 ip4:202.12.124.128/27 ?all"
  in1-smtp.messagingengine.com. A 103.168.172.216
  in2-smtp.messagingengine.com. A 202.12.124.216
`

export const IONOS = `
  _spf-eu.ionos.com. TXT "v=spf1 ip4:212.227.126.128/25 ip4:212.227.15.0/24 ?all"
  mx00.ionos.de. A 212.227.15.41
  mx01.ionos.de. A 217.72.192.67
  dmarc.ionos.de. TXT "v=DMARC1; p=none;"
`

export const TUTA = `
  spf.tutanota.de. TXT "v=spf1 ip4:81.3.6.160/28 -all"
  mail.tutanota.de. A 81.3.6.165
  mta-sts.tutanota.de. TXT "v=STSv1; id=20260101000000"
`

export const MIMECAST = `
  us._netblocks.mimecast.com. TXT "v=spf1 ip4:207.211.30.0/24 ip4:205.139.110.0/24 ~all"
  us-smtp-inbound-1.mimecast.com. A 205.139.110.141
  us-smtp-inbound-2.mimecast.com. A 207.211.30.141
`

/** Two lookups. */
export const SENDGRID = `
  sendgrid.net. TXT "v=spf1 ip4:167.89.0.0/17 ip4:198.21.0.0/21 include:ab.sendgrid.net ~all"
  ab.sendgrid.net. TXT "v=spf1 ip4:223.165.113.0/24 ~all"
`
export const MAILCHIMP = `
  servers.mcsv.net. TXT "v=spf1 ip4:205.201.128.0/20 ip4:198.2.128.0/18 ?all"
`
export const SALESFORCE = `
  _spf.salesforce.com. TXT "v=spf1 exists:%{i}._spf.mta.salesforce.com -all"
`
export const ZENDESK = `
  mail.zendesk.com. TXT "v=spf1 ip4:103.151.192.0/23 ip4:185.12.80.0/22 ~all"
`
export const HELPSCOUT = `
  helpscoutemail.com. TXT "v=spf1 ip4:54.240.8.0/24 ~all"
`
/** Five lookups, more than in reality. */
export const SENDER_NET = `
  sendersrv.com. TXT "v=spf1 include:one.sendersrv.com include:two.sendersrv.com include:three.sendersrv.com include:four.sendersrv.com ~all"
  one.sendersrv.com. TXT "v=spf1 ip4:168.245.0.0/24 ~all"
  two.sendersrv.com. TXT "v=spf1 ip4:167.89.1.0/24 ~all"
  three.sendersrv.com. TXT "v=spf1 ip4:167.89.2.0/24 ~all"
  four.sendersrv.com. TXT "v=spf1 ip4:167.89.3.0/24 ~all"
`
export const MOOSEND = `
  spfa.mailendo.com. TXT "v=spf1 ip4:87.253.232.0/21 ip4:185.189.236.0/22 ?all"
`

/** acme.test with DNS at Cloudflare. */
export const AT_CLOUDFLARE = `
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. NS bob.ns.cloudflare.com.
`
export const ON_GOOGLE = `${AT_CLOUDFLARE}
  acme.test. MX 1 smtp.google.com.
${GOOGLE}`
