/** What is wrong with where a domain's mail goes. */
import type { FindingId } from '../../catalog/findings/findings.js'
import { createFinding, type Finding } from '../finding.js'
import { isPrivateAddress } from '../private-address.js'
import type { MxFacts, MxTarget } from './discover-mx.js'

interface Rule {
  readonly id: FindingId
  readonly concerns: (target: MxTarget, all: readonly MxTarget[]) => boolean
  readonly words: (hosts: string, domain: string) => Pick<Finding, 'title' | 'detail' | 'fix'>
}

const RULES: readonly Rule[] = [
  {
    id: 'mx.null-and-others',
    concerns: (target, all) => target.kind === 'null' && all.some((other) => other.kind !== 'null'),
    words: (_, domain) => ({
      title: 'A null MX stands beside real mail servers',
      detail:
        'A null MX says that the domain accepts no mail; beside other records it must be ignored, but some senders obey it and return the mail.',
      fix: `Delete the null MX of ${domain} if the domain receives mail, or delete all its other MX records if it does not.`,
    }),
  },
  {
    id: 'mx.ip-literal',
    concerns: (target) => target.kind === 'ip-literal',
    words: (hosts) => ({
      title: `MX points to an IP address: ${hosts}`,
      detail:
        'An MX record holds a host name. Senders look up this one as a name, find nothing and cannot deliver there.',
      fix: `Give the mail server a host name with an address record, and name that host in the MX record instead of ${hosts}.`,
    }),
  },
  {
    id: 'mx.dangling',
    concerns: (target) => target.kind === 'host' && target.addresses.length === 0,
    words: (hosts) => ({
      title: `Mail server without an address: ${hosts}`,
      detail:
        'Senders that pick it wait and try elsewhere, or fail. If its domain can be registered, whoever does so can receive this mail.',
      fix: `Publish an A or AAAA record for ${hosts}, or remove it from the MX records.`,
    }),
  },
  {
    id: 'mx.cname',
    concerns: (target) => target.kind === 'host' && target.cnames.length > 0,
    words: (hosts) => ({
      title: `MX points to an alias: ${hosts}`,
      detail:
        'The name in an MX record must not be a CNAME; some senders refuse to follow it or lose their place in the list of mail servers.',
      fix: `Name the host that the alias leads to in the MX record, or replace the CNAME at ${hosts} by A and AAAA records.`,
    }),
  },
  {
    id: 'mx.private-address',
    concerns: (target) =>
      target.kind === 'host' &&
      target.addresses.length > 0 &&
      target.addresses.every(isPrivateAddress),
    words: (hosts) => ({
      title: `Mail server that nobody outside can reach: ${hosts}`,
      detail:
        'All its addresses are private, loopback or link-local, so no sender on the internet gets through.',
      fix: `Publish the public address of ${hosts}, or remove it from the MX records.`,
    }),
  },
  {
    id: 'mx.too-many',
    concerns: (target) => target.kind === 'unasked',
    words: () => ({
      title: 'More mail servers than senders will try',
      detail:
        'Senders give up after a few. Only the most preferred ones were looked up for this report.',
      fix: 'Keep the few mail servers that really receive mail and delete the other MX records.',
    }),
  },
]

export function judgeMx({ domain, targets, domainAddresses }: MxFacts): Finding[] {
  if (targets.length === 0) return [judgeMissing(domain, domainAddresses)]
  return RULES.flatMap(({ id, concerns, words }) => {
    const concerned = targets.filter((target) => concerns(target, targets))
    if (concerned.length === 0) return []
    const hosts = [...new Set(concerned.map((target) => target.exchange))].join(', ')
    const evidence = concerned.map(({ preference, exchange }) => ({
      name: domain,
      type: 'MX',
      value: `${preference} ${exchange}`,
    }))
    return [createFinding(id, words(hosts, domain), evidence)]
  })
}

function judgeMissing(domain: string, ownAddresses: readonly string[]): Finding {
  if (ownAddresses.length === 0) {
    return createFinding('mx.missing', {
      title: 'No mail server and no address',
      detail:
        'Mail to this domain fails, but only after senders have tried for days, because the domain does not say that it wants none.',
      fix: `Publish the MX records of your mailbox provider, or "${domain} MX 0 ." if the domain accepts no mail.`,
    })
  }
  return createFinding(
    'mx.implicit',
    {
      title: 'No MX record; mail goes to the web address',
      detail:
        'Without MX records senders deliver to the address of the domain itself, which is usually a web server that does not take mail.',
      fix: `Publish the MX records of your mailbox provider, or "${domain} MX 0 ." if the domain accepts no mail.`,
    },
    ownAddresses.map((address) => ({
      name: domain,
      type: address.includes(':') ? 'AAAA' : 'A',
      value: address,
    })),
  )
}
