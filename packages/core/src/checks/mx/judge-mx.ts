/** Findings about a domain's mail servers. */
import type { FindingId } from '../../catalog/findings/findings.js'
import { createFinding, type Finding } from '../finding.js'
import { formatList } from '../format-list.js'
import { OVER_LIMIT_FIX, UNAVAILABLE_BECAUSE, unavailabilityOf } from '../judge-unavailable.js'
import { isPrivateAddress } from '../private-address.js'
import { MAX_TARGETS, type MxFacts, type MxTarget } from './discover-mx.js'

/** RFC 5321 §5.1: a sender need not try more than two. */
export const MAX_SHOWN_ADDRESSES = 20

interface Rule {
  readonly id: FindingId
  readonly appliesTo: (target: MxTarget, all: readonly MxTarget[]) => boolean
  readonly text: (hosts: string, facts: MxFacts) => Pick<Finding, 'title' | 'detail' | 'fix'>
}

const RULES: readonly Rule[] = [
  {
    id: 'mx.null-and-others',
    appliesTo: (target, all) =>
      target.kind === 'null' && all.some((other) => other.kind !== 'null'),
    text: (_, { domain }) => ({
      title: 'Null MX beside real mail servers',
      detail:
        'A null MX says that the domain accepts no mail. Beside other MX records it must be ignored, but some senders obey it and bounce the mail.',
      fix: `Delete the null MX of ${domain} if the domain receives mail, or delete all its other MX records if it does not.`,
    }),
  },
  {
    id: 'mx.ip-literal',
    appliesTo: (target) => target.kind === 'ip-literal',
    text: (hosts) => ({
      title: `MX points to an IP address: ${hosts}`,
      detail:
        'An MX record must contain a host name. Senders look up this one as a name, find nothing and cannot deliver there.',
      fix: `Give the mail server a host name with an A or AAAA record, and use that name in the MX record instead of ${hosts}.`,
    }),
  },
  {
    id: 'mx.dangling',
    appliesTo: (target) => target.kind === 'host' && target.addresses?.length === 0,
    text: (hosts) => ({
      title: `Mail server without an address: ${hosts}`,
      detail:
        'Senders that pick it retry elsewhere or fail. If its domain can be registered, the new owner can receive this mail.',
      fix: `Publish an A or AAAA record for ${hosts}, or remove it from the MX records.`,
    }),
  },
  {
    id: 'mx.cname',
    appliesTo: (target) => target.kind === 'host' && target.cnames.length > 0,
    text: (hosts) => ({
      title: `MX points to a CNAME: ${hosts}`,
      detail:
        'The name in an MX record must not be a CNAME. Some senders refuse to follow it, or skip mail servers because of it.',
      fix: `Use the host that the CNAME leads to in the MX record, or replace the CNAME at ${hosts} with A and AAAA records.`,
    }),
  },
  {
    id: 'mx.private-address',
    appliesTo: (target) =>
      target.kind === 'host' &&
      target.failure === null &&
      target.addresses !== null &&
      target.addresses.length > 0 &&
      target.addresses.every(isPrivateAddress),
    text: (hosts) => ({
      title: `Mail server unreachable from the internet: ${hosts}`,
      detail:
        'All its addresses are private, loopback or link-local, so no sender on the internet can reach it.',
      fix: `Publish the public address of ${hosts}, or remove it from the MX records.`,
    }),
  },
  {
    id: 'mx.too-many',
    appliesTo: (target) => target.kind === 'unqueried',
    text: (_, { recordCount }) => ({
      title: `More mail servers than senders try: ${recordCount}`,
      detail: `Senders give up after a few. Only the ${MAX_TARGETS} most preferred ones were looked up for this report, and most of the others are left out.`,
      fix: 'Keep the few mail servers that receive mail and delete the other MX records.',
    }),
  },
  {
    id: 'mx.too-many-addresses',
    appliesTo: (target) =>
      target.kind === 'host' && (target.addresses?.length ?? 0) > MAX_SHOWN_ADDRESSES,
    text: (hosts) => ({
      title: `Mail server with more addresses than senders try: ${hosts}`,
      detail: `Senders give up after a few. Only ${MAX_SHOWN_ADDRESSES} addresses of each host are shown.`,
      fix: `Keep the few addresses of ${hosts} that receive mail and delete the other address records.`,
    }),
  },
]

export function judgeMx(facts: MxFacts): Finding[] {
  return [...judgeTargets(facts), ...judgeIncomplete(facts)]
}

function judgeTargets(facts: MxFacts): Finding[] {
  const { domain, targets, domainAddresses } = facts
  if (targets.length === 0) return [judgeMissing(domain, domainAddresses)]
  return RULES.flatMap(({ id, appliesTo, text }) => {
    const affected = targets.filter((target) => appliesTo(target, targets))
    if (affected.length === 0) return []
    const hosts = formatList(affected.map((target) => target.exchange))
    const evidence = affected.map(({ preference, exchange }) => ({
      name: domain,
      type: 'MX',
      value: `${preference} ${exchange}`,
    }))
    return [createFinding(id, text(hosts, facts), evidence)]
  })
}

function judgeIncomplete({ failures }: MxFacts): Finding[] {
  if (failures.length === 0) return []
  const hosts = formatList(failures.map(({ query }) => query.name))
  const why = unavailabilityOf(failures.map(({ failure }) => failure))
  const isOverLimit = why === 'over-limit'
  const because = isOverLimit
    ? `${UNAVAILABLE_BECAUSE[why]}, so not all addresses of ${hosts} were read`
    : `DNS did not answer every query for the addresses of ${hosts}`
  return [
    createFinding('mx.host-unavailable', {
      title: `Addresses could not be looked up: ${hosts}`,
      detail: `${because}. Addresses that are missing here are unknown and do not affect the result.`,
      fix: isOverLimit
        ? OVER_LIMIT_FIX
        : 'Try again in a few minutes. If it still fails, check the name servers of the host.',
    }),
  ]
}

function judgeMissing(domain: string, ownAddresses: readonly string[]): Finding {
  if (ownAddresses.length === 0) {
    return createFinding('mx.missing', {
      title: 'No mail server and no address',
      detail:
        'Mail to this domain bounces only after days of retries. A null MX makes it fail at once.',
      fix: `Publish the MX records of your mailbox provider or sending service, or "${domain} MX 0 ." if the domain neither sends nor accepts mail.`,
    })
  }
  return createFinding(
    'mx.implicit',
    {
      title: 'No MX record: mail goes to the domain’s own address',
      detail:
        'Without MX records, senders deliver to the address of the domain itself, usually a web server that does not accept mail.',
      fix: `If mail arrives at this server today, name it: "${domain} MX 10 ${domain}". Otherwise publish the MX records of your mailbox provider or sending service, or "${domain} MX 0 ." if the domain neither sends nor accepts mail.`,
    },
    ownAddresses.slice(0, MAX_SHOWN_ADDRESSES).map((address) => ({
      name: domain,
      type: address.includes(':') ? 'AAAA' : 'A',
      value: address,
    })),
  )
}
