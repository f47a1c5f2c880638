/** Warnings about what a plan cannot do or does not know. */
import { createFinding, type Finding } from '../../checks/finding.js'
import { formatFullList, formatList } from '../../checks/format-list.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import { sendingProfile } from '../check/check-reports.js'
import type { PlanContext } from './plan-context.js'
import type { RecordsPlan } from './plan-records.js'
import { expectedTextLength, type PlannedRecord } from './planned-record.js'
import { nameRelativeToZone } from './render/panel-record.js'

type Warn = (context: PlanContext, plan: RecordsPlan) => Finding | null

export function planWarnings(
  context: PlanContext,
  plan: RecordsPlan,
  transport: TransportReport,
): Finding[] {
  const warnings = WARNINGS.flatMap((warn) => warn(context, plan) ?? [])
  return [...warnings, ...unavailable(context, transport)]
}

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'mx.host-unavailable',
  'transport.lookup-unavailable',
])

/** The plan leaves what is unknown as it is, so its reader must know. */
function unavailable({ facts: { reports } }: PlanContext, transport: TransportReport): Finding[] {
  return [...reports.mx.issues, ...transport.issues].filter(({ id }) => UNAVAILABLE.has(id))
}

const domainIsAlias: Warn = ({ facts }) => {
  const [target] = facts.alias
  if (target === undefined) return null
  const { domain } = facts
  return createFinding(
    'plan.domain-is-alias',
    {
      title: `${domain} is an alias of ${target}`,
      detail:
        'No other record can exist beside a CNAME. Receivers read the SPF and MX records of the target, which this plan does not change. It covers only names below the domain.',
      fix: `Publish SPF and MX records at ${target}, or replace the CNAME at ${domain} with A and AAAA records and request a plan again.`,
    },
    [{ name: domain, type: 'CNAME', value: target }],
  )
}

const sendersToMove: Warn = ({ facts }, { spf }) => {
  if (!spf || spf.moved.length === 0) return null
  const senders = spf.moved.map(({ term, service }) =>
    service ? `${service.name} (${term})` : term,
  )
  const isStrict = facts.reports.dmarc.alignment?.spf === 'strict'
  return createFinding('plan.senders-to-move', {
    title: `No room in the SPF record for ${formatFullList(senders)}`,
    detail:
      'Receivers make at most 10 lookups and then report a permanent error for all senders. The planned record stays within the limit and leaves these senders out, so their mail passes DMARC only via DKIM.',
    fix: isStrict
      ? `Set up DKIM for ${facts.domain} itself at each of them: with aspf=s in the DMARC record, a subdomain is not aligned.`
      : `Let each of them send, or at least bounce, from its own subdomain, such as news.${facts.domain}, with an SPF record there that has its term. DMARC counts a subdomain as aligned. If the service signs with DKIM for ${facts.domain}, nothing more is needed.`,
  })
}

const termsLeftOut: Warn = ({ facts }, { spf }) => {
  const broken = (spf?.dropped ?? []).filter(
    ({ reason }) => reason === 'broken' || reason === 'allows-everyone',
  )
  const terms = [...broken.map(({ term }) => term), ...(spf?.unreadable ?? [])]
  if (terms.length === 0) return null
  return createFinding('plan.terms-left-out', {
    title: `Left out of the SPF record: ${formatFullList(terms)}`,
    detail:
      'With them the record is broken or allows every server. If one of them was for a real sender, that sender is missing in the planned record.',
    fix: `Check which service sends for ${facts.domain} via ${formatFullList(terms)}, and add the term that it documents today before "all".`,
  })
}

const selectorTaken: Warn = (_, { dkim: { selectorConflicts } }) => {
  if (selectorConflicts.length === 0) return null
  const services = formatList(selectorConflicts.map(({ service }) => service))
  const names = formatList(selectorConflicts.map(({ name }) => name))
  return createFinding('plan.selector-taken', {
    title: `No free selector for the DKIM key of ${services}`,
    detail: `The record would be published at ${names}, which another service uses. A name holds one key.`,
    fix: `Choose another selector at ${services}, and publish the record that it then shows.`,
  })
}

const severalMailboxProviders: Warn = ({ facts, services }) => {
  const names = services.mailboxProviders.map(({ entry }) => entry.name)
  if (names.length < 2) return null
  return createFinding(
    'plan.several-mailbox-providers',
    {
      title: `Mail is delivered to ${formatList(names)}`,
      detail:
        'Senders try the most preferred mail server and fall back to the others, so a message may be delivered where no one reads it. The plan allows all of them to send.',
      fix: `If ${facts.domain} has moved, delete the MX records of the provider it left, and remove its include from the SPF record.`,
    },
    services.mailboxProviders.map(({ evidence }) => ({
      name: facts.domain,
      type: 'MX',
      value: evidence.replace(/^MX /, ''),
    })),
  )
}

const mailboxesUnseen: Warn = ({ services: { mailboxProviders, senders } }) => {
  const [gateway] = mailboxProviders
  const isHidden =
    mailboxProviders.length > 0 && mailboxProviders.every(({ entry }) => entry.kind !== 'mailbox')
  if (!gateway || !isHidden || senders.some(({ entry }) => entry.setup.mx.length > 0)) return null
  return createFinding('plan.mailboxes-unseen', {
    title: `DNS does not show the mailbox provider behind ${gateway.entry.name}`,
    detail:
      'The MX records name only the gateway. The mailbox provider behind it sends your mail, so it needs a place in the SPF record and a DKIM key as well.',
    fix: 'Add the SPF include of your mailbox provider before "all", and turn on DKIM there.',
  })
}

const severalDnsHosts: Warn = ({ facts, services: { dnsHosts } }) => {
  const names = dnsHosts.map(({ entry }) => entry.name)
  if (names.length < 2) return null
  return createFinding(
    'plan.several-dns-hosts',
    {
      title: `The zone ${facts.zone.apex} is served by ${formatList(names)}`,
      detail:
        'Each of them answers some of the queries. If a record is published at only one of them, receivers see it only some of the time.',
      fix: 'Publish every record at all of them, or at the one that the others copy the zone from.',
    },
    facts.zone.nameServers.map((value) => ({ name: facts.zone.apex, type: 'NS', value })),
  )
}

const namesTooLong: Warn = ({ facts }, { namesTooLong: names }) => {
  if (names.length === 0) return null
  return createFinding('plan.name-too-long', {
    title: `${facts.domain} is too long for ${names.length} records that it needs`,
    detail:
      'A DNS name has at most 253 characters, and these records would be below the domain. The plan leaves them out.',
    fix: 'Send from a shorter name.',
  })
}

const delegatedNames: Warn = ({ facts }) => {
  if (facts.delegated.length === 0) return null
  return createFinding(
    'plan.delegated-names',
    {
      title: `Delegated to other name servers: ${formatList(facts.delegated)}`,
      detail: `NS records delegate these names, often to a service that manages DMARC or DKIM. Records at or below them do not belong in the zone ${facts.zone.apex}.`,
      fix: 'Make these changes at the service that serves these names.',
    },
    facts.delegated.map((name) => ({ name, type: 'NS', value: 'a zone of its own' })),
  )
}

const noSenderSeen: Warn = ({ facts, mailUse }) => {
  if (mailUse.sends || sendingProfile(facts.reports) === 'non-sending') return null
  return createFinding('plan.no-sender-seen', {
    title: `DNS does not show that ${facts.domain} sends mail`,
    detail:
      'It has no mail server, no sender in SPF and no DKIM key that we found. The plan therefore locks the domain: mail in its name is rejected from the first day.',
    fix: 'Before you publish, make sure that no web form, device or service sends with this domain. If one does, name it in the SPF record first and request a plan again.',
  })
}

const nullMxRefused: Warn = ({ facts }, { mx }) => {
  const host = mx?.nullMxRefusedBy
  if (!host) return null
  return createFinding('plan.null-mx-refused', {
    title: `${host.name} does not accept a null MX`,
    detail: `A null MX ("${facts.domain} MX 0 .") says that the domain accepts no mail. ${host.name} has no way to enter one, so the plan leaves it out.`,
    fix: 'Nothing to do: SPF with -all and DMARC with p=reject protect the domain without it. Mail to the domain fails later instead of at once.',
  })
}

const txtTooLong: Warn = ({ facts, services: { dnsHosts } }, { now }) => {
  const host = dnsHosts[0]?.entry
  const limit = host?.panel.maxTxt ?? null
  if (!host || limit === null) return null
  const tooLong = now.filter(
    (record) =>
      record.type === 'TXT' &&
      (record.action === 'create' || record.action === 'replace') &&
      nameRelativeToZone(record.name, facts.zone) !== null &&
      expectedTextLength(record) > limit,
  )
  if (tooLong.length === 0) return null
  const names = formatFullList(tooLong.map(({ name }) => name))
  const fixes = [...new Set(tooLong.map(({ purpose }) => TOO_LONG_FIXES[purpose] ?? SHORTEN))]
  return createFinding(
    'plan.txt-too-long',
    {
      title: `${host.name} does not accept the long text at ${names}`,
      detail: `${host.name} accepts at most ${limit} characters in a TXT record. The text at ${names} is longer.`,
      fix: fixes.join(' '),
    },
    tooLong.map(({ name, value }) => ({ name, type: 'TXT', value })),
  )
}

const SHORTEN = 'Shorten the text, or move the zone to a DNS host that accepts longer texts.'

const TOO_LONG_FIXES: Partial<Record<PlannedRecord['purpose'], string>> = {
  dkim: 'Create a DKIM key of 2048 bits instead of 4096 under a new selector: it fits, and it is strong enough. If the service offers CNAMEs for DKIM, use those.',
  spf: 'Remove SPF terms of services that you no longer use, or move a sender to a subdomain with its own SPF record.',
}

const WARNINGS: readonly Warn[] = [
  domainIsAlias,
  noSenderSeen,
  sendersToMove,
  termsLeftOut,
  selectorTaken,
  severalMailboxProviders,
  mailboxesUnseen,
  severalDnsHosts,
  delegatedNames,
  namesTooLong,
  txtTooLong,
  nullMxRefused,
]
