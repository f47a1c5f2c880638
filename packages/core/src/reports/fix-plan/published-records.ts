/** The published records that the pitfalls of a DNS host are about. */
import type { PublishedRecord } from '../../catalog/dns-hosts.js'
import type { DomainFacts } from './discover-domain.js'
import { ownWalkStep } from './dmarc/dmarc-draft.js'
import { nameRelativeToZone } from './render/panel-record.js'

export function listPublishedRecords(facts: DomainFacts): PublishedRecord[] {
  const { domain, zone, mx, dkim, alias, wildcard, reports } = facts
  const at = (name: string, type: PublishedRecord['type'], values: readonly string[]) => {
    const label = nameRelativeToZone(name, zone)
    return label === null ? [] : values.map((value) => ({ label, type, value }))
  }
  const isAlias = alias.length > 0
  const dmarc = ownWalkStep(facts.dmarc)
  const dkimAliases = [...dkim.keys, ...dkim.danglingCnames].flatMap(({ name, cnames }) =>
    at(name, 'CNAME', cnames.slice(0, 1)),
  )
  return [
    ...at(zone.apex, 'NS', zone.nameServers),
    ...at(domain, 'CNAME', alias.slice(0, 1)),
    ...(isAlias
      ? []
      : [
          ...at(
            domain,
            'MX',
            mx.targets.map(({ preference, exchange }) => `${preference} ${exchange}`),
          ),
          ...at(domain, 'TXT', reports.spf.records),
        ]),
    ...at(dmarc.name, 'CNAME', dmarc.cnames.slice(0, 1)),
    ...at(dmarc.name, 'TXT', dmarc.cnames.length > 0 ? [] : dmarc.texts),
    ...dkimAliases,
    ...at(
      `*._domainkey.${domain}`,
      'TXT',
      dkim.wildcardKeys.map(({ record }) => record),
    ),
    ...at(`*.${domain}`, 'CNAME', wildcard.cnames.slice(0, 1)),
  ]
}
