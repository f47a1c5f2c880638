/** What the person who follows a plan has to know beyond its records. */
import { createFinding, type Finding } from '../../checks/finding.js'
import { formatFullList, formatList } from '../../checks/format-list.js'
import { sendingProfile } from '../check/check-reports.js'
import type { PlanContext } from './plan-context.js'
import type { RecordsPlan } from './plan-records.js'

type Warn = (situation: PlanContext, plan: RecordsPlan) => Finding | null

export function planWarnings(situation: PlanContext, plan: RecordsPlan): Finding[] {
  return WARNINGS.flatMap((warn) => warn(situation, plan) ?? [])
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
        'Beside a CNAME no other record can stand. Receivers read the SPF and MX records of the target, which the plan leaves alone; only names below the domain are planned here.',
      fix: `Publish SPF and MX records at ${target}, or replace the CNAME at ${domain} by A and AAAA records and ask for a plan again.`,
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
      'Receivers make 10 lookups and then report a permanent error for everybody. The record of the plan keeps to that and leaves these senders out, so that their mail passes DMARC by DKIM alone.',
    fix: isStrict
      ? `Have each of them sign with DKIM as ${facts.domain} itself: with aspf=s in the DMARC record a subdomain is not aligned.`
      : `Have each of them send, or at least bounce, from a subdomain of its own, such as news.${facts.domain}, with an SPF record there that holds its term. DMARC counts a subdomain as aligned. Where the service signs with DKIM for ${facts.domain}, nothing more is needed.`,
  })
}

const termsLeftOut: Warn = ({ facts }, { spf }) => {
  const broken = (spf?.dropped ?? []).filter(({ doom }) => doom === 'broken' || doom === 'open')
  const terms = [...broken.map(({ term }) => term), ...(spf?.unreadable ?? [])]
  if (terms.length === 0) return null
  return createFinding('plan.terms-left-out', {
    title: `Left out of the SPF record: ${formatFullList(terms)}`,
    detail:
      'With them the record is broken or open to everybody. If one of them was to let a real sender pass, that sender is not in the record of the plan.',
    fix: `Find out who was to send for ${facts.domain} by ${formatFullList(terms)}, and name them before "all" as they want to be named today.`,
  })
}

const selectorTaken: Warn = (_, { dkim: { selectorConflicts } }) => {
  if (selectorConflicts.length === 0) return null
  const services = formatList(selectorConflicts.map(({ service }) => service))
  const names = formatList(selectorConflicts.map(({ name }) => name))
  return createFinding('plan.selector-taken', {
    title: `No place for the DKIM key of ${services}`,
    detail: `The record would stand at ${names}, which somebody else has. A name holds one key.`,
    fix: `Have ${services} use another selector, and publish the record that it then shows.`,
  })
}

const severalMailboxProviders: Warn = ({ facts, services: parties }) => {
  const names = parties.mailboxProviders.map(({ entry }) => entry.name)
  if (names.length < 2) return null
  return createFinding(
    'plan.several-mailbox-providers',
    {
      title: `Mail is delivered to ${formatList(names)}`,
      detail:
        'Senders try the most preferred mail server and fall back to the others, so a message may end up where nobody looks. The plan lets all of them send.',
      fix: `If ${facts.domain} has moved, delete the MX records of the provider it left, and take its include out of the SPF record.`,
    },
    parties.mailboxProviders.map(({ evidence }) => ({
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
    title: `Nothing shows who runs the mailboxes behind ${gateway.entry.name}`,
    detail:
      'The MX records name only who passes the mail on. Whoever runs the mailboxes sends from them, and needs a place in the SPF record and a DKIM key as well.',
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
        'Each of them answers some of the questions. If a record is published at one only, receivers see it now and then.',
      fix: 'Publish every record at all of them, or where the others copy the zone from.',
    },
    facts.zone.nameServers.map((value) => ({ name: facts.zone.apex, type: 'NS', value })),
  )
}

const namesTooLong: Warn = ({ facts }, { namesTooLong: tooLong }) => {
  if (tooLong.length === 0) return null
  return createFinding('plan.name-too-long', {
    title: `${facts.domain} is too long for ${tooLong.length} records that it would need`,
    detail:
      'A name in the DNS has at most 253 characters, and these records stand below the domain. The plan leaves them out.',
    fix: 'Send from a shorter name.',
  })
}

const delegatedNames: Warn = ({ facts }) => {
  if (facts.delegated.length === 0) return null
  return createFinding(
    'plan.delegated-names',
    {
      title: `Served elsewhere: ${formatList(facts.delegated)}`,
      detail: `NS records hand these names to other name servers, as services that manage DMARC or DKIM for their customers want it. Records at or below them do not go into the zone ${facts.zone.apex}.`,
      fix: 'Make these changes where the names are served, or have the service make them.',
    },
    facts.delegated.map((name) => ({ name, type: 'NS', value: 'a zone of its own' })),
  )
}

const noSenderSeen: Warn = ({ facts, mailUse }) => {
  if (mailUse.sends || sendingProfile(facts.reports) === 'non-sending') return null
  return createFinding('plan.no-sender-seen', {
    title: `Nothing shows that ${facts.domain} sends mail`,
    detail:
      'It has no mail server, nobody is named in SPF, and no DKIM key was found. The plan therefore locks it: mail in its name is rejected from the first day.',
    fix: 'Before you publish, make sure that no web form, device or service sends with this domain. If one does, name it in the SPF record first and ask for a plan again.',
  })
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
]
