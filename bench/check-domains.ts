/** Eight ways to set up a domain's mail, as templates: what a domain's name makes of each. */
import { SPKI } from '@mailgrade/testing/dkim-keys'

export interface ZoneCopy {
  /** The domain that is checked. */
  readonly checkedDomain: string
  /** Its records, in zone-file text whose origin is the domain. */
  readonly zoneText: string
  /**
   * The longest chain of questions of which each can only be named once the one before is
   * answered. As many times as it has links a check must wait for the DNS, however it is written.
   */
  readonly longestQueryChain: readonly string[]
}

const KEY = `"v=DKIM1; k=rsa; p=${SPKI[2048].slice(0, 200)}" "${SPKI[2048].slice(200)}"`

const OWN_SERVER = `
@     A   192.0.2.10
@     MX  10 mx
mx    A   192.0.2.11
`

export const googleWorkspaceZone = (domain: string): ZoneCopy => ({
  checkedDomain: domain,
  zoneText: `
@                 A   192.0.2.10
@                 MX  1 smtp.google.com.
@                 TXT "v=spf1 include:_spf.google.com ~all"
google._domainkey TXT ${KEY}
_dmarc            TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
_mta-sts          TXT "v=STSv1; id=20260901T000000"
_smtp._tls        TXT "v=TLSRPTv1; rua=mailto:tls@${domain}"
`,
  longestQueryChain: [`TXT ${domain}`, 'TXT _spf.google.com', 'TXT _netblocks.google.com'],
})

export function microsoft365Zone(domain: string): ZoneCopy {
  const tenant = domain.replaceAll('.', '-')
  const keys = `_domainkey.${tenant}.onmicrosoft.com.`
  return {
    checkedDomain: domain,
    zoneText: `
@                    A     192.0.2.10
@                    MX    0 ${tenant}.mail.protection.outlook.com.
@                    TXT   "v=spf1 include:spf.protection.outlook.com -all"
selector1._domainkey CNAME selector1-${tenant}.${keys}
selector2._domainkey CNAME selector2-${tenant}.${keys}
_dmarc               TXT   "v=DMARC1; p=quarantine; rua=mailto:dmarc@${domain}"
selector1-${tenant}.${keys} TXT ${KEY}
selector2-${tenant}.${keys} TXT ${KEY}
${tenant}.mail.protection.outlook.com. A 192.0.2.111
`,
    longestQueryChain: [`TXT ${domain}`, 'TXT spf.protection.outlook.com'],
  }
}

export const flatSpfZone = (domain: string): ZoneCopy => ({
  checkedDomain: domain,
  zoneText: `${OWN_SERVER}
@                  TXT "v=spf1 ip4:192.0.2.0/28 ip4:198.51.100.0/28 -all"
default._domainkey TXT ${KEY}
_dmarc             TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
  longestQueryChain: [`MX ${domain}`, `A mx.${domain}`],
})

/** Each record includes the next, and the tenth is the last that SPF lets a receiver follow. */
export function includeChainZone(domain: string): ZoneCopy {
  const links = Array.from({ length: 10 }, (_, index) => `link${index + 1}`)
  const records = links.map((link, index) => {
    const next = links[index + 1]
    return `${link} TXT "v=spf1 ${next ? `include:${next}.${domain}` : 'ip4:192.0.2.0/28'} -all"`
  })
  return {
    checkedDomain: domain,
    zoneText: `${OWN_SERVER}${records.join('\n')}
@                  TXT "v=spf1 include:link1.${domain} -all"
default._domainkey TXT ${KEY}
_dmarc             TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
    longestQueryChain: [`TXT ${domain}`, ...links.map((link) => `TXT ${link}.${domain}`)],
  }
}

/** Four records that include four each: twice what SPF allows, and no more than three levels. */
export function includeTreeZone(domain: string): ZoneCopy {
  const four = [1, 2, 3, 4]
  const including = (names: readonly string[]) =>
    `"v=spf1 ${names.map((name) => `include:${name}.${domain}`).join(' ')} -all"`
  const records = four.flatMap((branch) => [
    `b${branch} TXT ${including(four.map((leaf) => `l${branch}${leaf}`))}`,
    ...four.map((leaf) => `l${branch}${leaf} TXT "v=spf1 ip4:192.0.2.${branch * 8 + leaf} -all"`),
  ])
  return {
    checkedDomain: domain,
    zoneText: `${OWN_SERVER}${records.join('\n')}
@                  TXT ${including(four.map((branch) => `b${branch}`))}
default._domainkey TXT ${KEY}
_dmarc             TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
    longestQueryChain: [`TXT ${domain}`, `TXT b1.${domain}`, `TXT l11.${domain}`],
  }
}

export const noMailZone = (domain: string): ZoneCopy => ({
  checkedDomain: domain,
  zoneText: `
@      A   192.0.2.10
@      MX  0 .
@      TXT "v=spf1 -all"
_dmarc TXT "v=DMARC1; p=reject; rua=mailto:dmarc@reports.test"
`,
  longestQueryChain: [`TXT _dmarc.${domain}`, `TXT ${domain}._report._dmarc.reports.test`],
})

/** Every name below the domain has an answer, each selector that is tried among them. */
export const wildcardZone = (domain: string): ZoneCopy => ({
  checkedDomain: domain,
  zoneText: `${OWN_SERVER}
@      TXT "v=spf1 mx -all"
*      A   192.0.2.10
*      TXT "v=spf1 -all"
_dmarc TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
  longestQueryChain: [`MX ${domain}`, `A mx.${domain}`],
})

export const inheritedDmarcZone = (domain: string): ZoneCopy => ({
  checkedDomain: `team.${domain}`,
  zoneText: `
@                      A   192.0.2.10
team                   MX  1 smtp.google.com.
team                   TXT "v=spf1 include:_spf.google.com ~all"
google._domainkey.team TXT ${KEY}
_dmarc                 TXT "v=DMARC1; p=reject; sp=quarantine; rua=mailto:dmarc@reports.test"
`,
  longestQueryChain: [`TXT team.${domain}`, 'TXT _spf.google.com', 'TXT _netblocks.google.com'],
})
