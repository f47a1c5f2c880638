/** More zones of real services; the address ranges are examples. */
import { GOOD_KEY_RECORD, txtZoneLine } from './dkim-fixture.js'

/** A CNAME that leads to a good key. */
export function signedCname(selector: string, target: string, domain = 'acme.test'): string {
  return `${selector}._domainkey.${domain}. CNAME ${target}.
    ${txtZoneLine(target, GOOD_KEY_RECORD)}`
}

export function dmarcZoneLine(tags: string, domain = 'acme.test'): string {
  return `_dmarc.${domain}. TXT "v=DMARC1; ${tags}"\n`
}

export function nameServers(...hosts: readonly string[]): string {
  return hosts.map((host) => `acme.test. NS ${host}.\n`).join('')
}

export const AT_ROUTE53 = nameServers('ns-100.awsdns-12.com', 'ns-1600.awsdns-08.co.uk')
export const AT_GODADDY = nameServers('ns01.domaincontrol.com', 'ns02.domaincontrol.com')
export const AT_NAMECHEAP = nameServers('dns1.registrar-servers.com', 'dns2.registrar-servers.com')
export const AT_DIGITALOCEAN = nameServers('ns1.digitalocean.com', 'ns2.digitalocean.com')
export const AT_LINODE = nameServers('ns1.linode.com', 'ns2.linode.com')
export const AT_AZURE = nameServers('ns1-04.azure-dns.com', 'ns2-04.azure-dns.net')
export const AT_IONOS = nameServers('ns1045.ui-dns.de', 'ns1097.ui-dns.org')
export const AT_OVH = nameServers('dns19.ovh.net', 'ns19.ovh.net')
export const AT_GANDI = nameServers('ns-104-a.gandi.net', 'ns-165-b.gandi.net')

export const MAILGUN = `
  mailgun.org. TXT "v=spf1 include:_spf.mailgun.org include:_spf.eu.mailgun.org ~all"
  _spf.mailgun.org. TXT "v=spf1 ip4:159.135.224.0/20 ip4:166.78.68.0/22 ~all"
  _spf.eu.mailgun.org. TXT "v=spf1 ip4:141.193.32.0/23 ~all"
  mxa.mailgun.org. A 34.160.63.108
  mxb.mailgun.org. A 34.160.63.109
  mailgun.org. A 34.110.180.34
`
export const SES = `
  amazonses.com. TXT "v=spf1 ip4:199.255.192.0/22 ip4:54.240.0.0/18 -all"
  feedback-smtp.eu-west-1.amazonses.com. A 54.240.4.10
  feedback-smtp.us-east-1.amazonses.com. A 54.240.8.10
`
export const POSTMARK = `
  spf.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ip4:104.245.209.192/26 ~all"
  pm.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ip4:104.245.209.192/26 ~all"
`
export const KLAVIYO = `
  send.klaviyo.com. TXT "v=spf1 ip4:168.245.1.0/24 ~all"
`
export const SHOPIFY = `
  shops.shopify.com. TXT "v=spf1 ip4:23.249.208.0/20 ~all"
`
export const HUBSPOT = `
  1234567.spf04.hubspotemail.net. TXT "v=spf1 ip4:158.247.16.0/20 ~all"
`
export const BREVO = `
  spf.brevo.com. TXT "v=spf1 ip4:185.41.28.0/22 ip4:77.32.128.0/18 ~all"
`
export const FRESHDESK = `
  email.freshdesk.com. TXT "v=spf1 ip4:168.245.2.0/24 ~all"
`
export const ATLASSIAN = `
  _spf.atlassian.net. TXT "v=spf1 ip4:104.192.136.0/21 ~all"
`
export const ZOHO_EU = `
  zohomail.eu. TXT "v=spf1 ip4:185.230.212.0/22 ~all"
  mx.zoho.eu. A 185.230.212.166
  mx2.zoho.eu. A 185.230.212.167
`
export const YANDEX = `
  _spf.yandex.net. TXT "v=spf1 ip4:77.88.0.0/18 ip4:178.154.224.0/19 ~all"
  mx.yandex.net. A 77.88.21.249
`
export const PROTON = `
  _spf.protonmail.ch. TXT "v=spf1 ip4:185.70.40.0/24 ip4:185.70.41.0/24 ~all"
  mail.protonmail.ch. A 185.205.70.128
  mailsec.protonmail.ch. A 185.70.42.129
`
export const OVH = `
  mx.ovh.com. TXT "v=spf1 ip4:46.105.33.0/25 ip4:178.32.228.192/26 ?all"
  mx1.mail.ovh.net. A 188.165.36.237
  mx2.mail.ovh.net. A 87.98.132.45
`
export const GANDI = `
  _mailcust.gandi.net. TXT "v=spf1 ip4:217.70.183.192/28 ip4:217.70.178.240/28 ?all"
  spool.mail.gandi.net. A 217.70.178.1
  fb.mail.gandi.net. A 217.70.178.2
`
export const PRIVATE_EMAIL = `
  spf.privateemail.com. TXT "v=spf1 ip4:198.54.118.0/24 ip4:198.54.122.0/24 ~all"
  mx1.privateemail.com. A 198.54.122.212
  mx2.privateemail.com. A 198.54.122.215
`
export const MICROSOFT_GOV = `
  spf.protection.office365.us. TXT "v=spf1 ip4:23.103.191.0/24 ip4:23.103.208.0/21 -all"
  acme.mail.protection.office365.us. A 23.103.199.10
`
export const TRANSIP = `
  _spf.transip.email. TXT "v=spf1 ip4:149.210.149.0/24 ~all"
  mx.transip.email. A 149.210.149.73
`
export const SECURESERVER = `
  secureserver.net. TXT "v=spf1 ip4:40.92.0.0/16 ip4:40.107.0.0/16 ip4:104.47.0.0/17 ip4:173.201.192.0/20 -all"
`
export const PROOFPOINT = `
  spf-001b2d01.pphosted.com. TXT "v=spf1 ip4:148.163.156.0/24 ip4:148.163.158.0/24 ~all"
  mx0a-001b2d01.pphosted.com. A 148.163.156.1
  mx0b-001b2d01.pphosted.com. A 148.163.158.5
`
export const CLOUDFLARE_ROUTING = `
  _spf.mx.cloudflare.net. TXT "v=spf1 ip4:104.30.0.0/20 ~all"
  route1.mx.cloudflare.net. A 162.159.205.11
  route2.mx.cloudflare.net. A 162.159.205.17
`
export const IMPROVMX = `
  spf.improvmx.com. TXT "v=spf1 ip4:5.161.55.0/24 ~all"
  mx1.improvmx.com. A 5.161.55.1
  mx2.improvmx.com. A 5.161.55.2
`
export const NAMECHEAP_FORWARDING = `
  spf.efwd.registrar-servers.com. TXT "v=spf1 ip4:162.255.118.0/24 ~all"
  eforward1.registrar-servers.com. A 162.255.118.52
  eforward2.registrar-servers.com. A 162.255.118.51
`
/** Four lookups. */
export const VENDOR_A = `
  spf.vendor-a.test. TXT "v=spf1 include:1.vendor-a.test include:2.vendor-a.test include:3.vendor-a.test ~all"
  1.vendor-a.test. TXT "v=spf1 ip4:192.0.2.0/26 ~all"
  2.vendor-a.test. TXT "v=spf1 ip4:192.0.2.64/26 ~all"
  3.vendor-a.test. TXT "v=spf1 ip4:192.0.2.128/26 ~all"
`
/** Four lookups. */
export const VENDOR_B = `
  spf.vendor-b.test. TXT "v=spf1 include:1.vendor-b.test include:2.vendor-b.test include:3.vendor-b.test ~all"
  1.vendor-b.test. TXT "v=spf1 ip4:198.51.100.0/26 ~all"
  2.vendor-b.test. TXT "v=spf1 ip4:198.51.100.64/26 ~all"
  3.vendor-b.test. TXT "v=spf1 ip4:198.51.100.128/26 ~all"
`
/** Four lookups. */
export const VENDOR_C = `
  spf.vendor-c.test. TXT "v=spf1 include:1.vendor-c.test include:2.vendor-c.test include:3.vendor-c.test ~all"
  1.vendor-c.test. TXT "v=spf1 ip4:203.0.113.0/26 ~all"
  2.vendor-c.test. TXT "v=spf1 ip4:203.0.113.64/26 ~all"
  3.vendor-c.test. TXT "v=spf1 ip4:203.0.113.128/26 ~all"
`
