/** Warnings about what a plan cannot do or does not know. */
import { findProviderByMx } from '../../../catalog/mail-services.js'
import { createFinding, type Finding } from '../../../checks/finding.js'
import { formatFullList, formatList } from '../../../checks/format-list.js'
import type { TransportReport } from '../../../checks/transport/transport-report.js'
import { effectiveTreatment, sendingProfile } from '../../check/check-reports.js'
import { findUnusedReceivers, type PlanContext } from '../plan-context.js'
import type { RecordsPlan } from '../plan-records.js'
import { expectedTextLength, type PlannedRecord } from '../planned-record.js'
import { nameRelativeToZone } from '../render/panel-record.js'
import { isMailboxHost, type SenderInUse } from '../services-in-use.js'
import { RISK_WARNINGS, STAGE_WARNINGS } from './policy-warnings.js'
import { SPF_WARNINGS } from './spf-warnings.js'
import { forCount, type Warn } from './warn.js'

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
      fix: `First look up the MX and TXT records of ${target}, which ${domain} loses with the CNAME. Then replace the CNAME at ${domain} with A and AAAA records, publish copies of these MX and TXT records at ${domain} in the same change, and get a new plan. If you run ${target}, you can publish SPF and MX records there instead.`,
    },
    [{ name: domain, type: 'CNAME', value: target }],
  )
}

const proxiedRecords: Warn = (_, { dkim: { proxied } }) => {
  if (proxied.length === 0) return null
  return createFinding('plan.proxied-record', {
    title: `Proxied by the DNS host: ${formatList(proxied)}`,
    detail: 'Receivers get addresses of the proxy instead of a CNAME, so they do not find the key.',
    fix: forCount(
      proxied,
      'Open this CNAME record at the DNS host and switch it from proxied to DNS only.',
      'Open these CNAME records at the DNS host and switch them from proxied to DNS only.',
    ),
  })
}

const selectorTaken: Warn = (_, { dkim: { selectorConflicts } }) => {
  if (selectorConflicts.length === 0) return null
  const services = formatList(selectorConflicts.map(({ service }) => service))
  const names = formatList(selectorConflicts.map(({ name }) => name))
  return createFinding('plan.selector-taken', {
    title: `No free selector for the DKIM ${forCount(selectorConflicts, 'key', 'keys')} of ${services}`,
    detail: forCount(
      selectorConflicts,
      `The record would be published at ${names}, which another service uses. A name holds one key.`,
      `The records would be published at ${names}, which other services use. A name holds one key.`,
    ),
    fix: forCount(
      selectorConflicts,
      `Choose another selector at ${services}, and publish the record that you then see there.`,
      `Choose other selectors at ${services}, and publish the records that you then see there.`,
    ),
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

const unusedReceivesMail: Warn = (context) => {
  const { facts, answers } = context
  const unused = findUnusedReceivers(context)
  if (unused.length === 0) return null
  const names = formatList(unused.map(({ entry }) => entry.name))
  const again = answers.uses.length > 0 ? '' : ', and say that you use that provider'
  return createFinding(
    'plan.unused-receives-mail',
    {
      title: `Mail to ${facts.domain} is still delivered to ${names}`,
      detail: `You said that you no longer use ${names}, but the MX records still lead there. The plan keeps them, because only your new provider knows its own.`,
      fix: `Publish the MX records that your new mailbox provider shows, and delete these. Then get a new plan${again}.`,
    },
    facts.mx.targets
      .filter(({ exchange }) => unused.some(({ entry }) => entry === findProviderByMx(exchange)))
      .map(({ preference, exchange }) => ({
        name: facts.domain,
        type: 'MX',
        value: `${preference} ${exchange}`,
      })),
  )
}

const FATES = {
  reject: 'rejected',
  quarantine: 'put into spam',
  none: 'not authorized',
} as const

const mailboxesCannotSend: Warn = ({ facts, services, mailUse }) => {
  const host = services.mailboxProviders.find(({ entry }) => entry.kind === 'mailbox')?.entry
  if (mailUse.sends || !host) return null
  const fate = FATES[effectiveTreatment(facts.reports.dmarc)]
  return createFinding(
    'plan.mailboxes-cannot-send',
    {
      title: `Mail from the mailboxes at ${host.name} is ${fate} today`,
      detail: `The MX records lead to mailboxes at ${host.name}, but the SPF record allows no server to send as ${facts.domain}, and we found no DKIM key.`,
      fix: `If people send from these mailboxes, get a new plan and say that you use ${host.name}. If not, nothing has to change.`,
    },
    [{ name: facts.domain, type: 'TXT', value: facts.reports.spf.record ?? '' }],
  )
}

/** The owner uses them, and they pass by SPF alone once a setting is changed. */
const senderSettings: Warn = ({ facts, services, answers }) => {
  const steps = services.senders.flatMap(({ entry: { id, name, setup } }) => {
    const { screen, turnOn } = setup.spfSteps ?? {}
    const isNeeded = answers.uses.includes(id) && setup.dkim === null && turnOn !== undefined
    return isNeeded ? [{ name, fix: `In ${name}, open ${screen?.path}. ${turnOn}` }] : []
  })
  if (steps.length === 0) return null
  const names = formatList(steps.map(({ name }) => name))
  return createFinding('plan.sender-setting', {
    title: `${names} ${forCount(steps, 'passes', 'pass')} DMARC only with a changed setting`,
    detail: forCount(
      steps,
      `${names} does not sign with DKIM. Its mail passes DMARC only if it uses ${facts.domain} in the Return-Path, which the setting turns on.`,
      `${names} do not sign with DKIM. Their mail passes DMARC only if they use ${facts.domain} in the Return-Path, which the settings turn on.`,
    ),
    fix: steps.map(({ fix }) => fix).join(' '),
  })
}

const mailboxesUnseen: Warn = ({ services: { mailboxProviders, senders } }) => {
  const [gateway] = mailboxProviders
  const isHidden = gateway?.entry.kind === 'gateway' && !senders.some(isMailboxSender)
  if (!isHidden) return null
  return createFinding('plan.mailboxes-unseen', {
    title: `DNS does not show the mailbox provider behind ${gateway.entry.name}`,
    detail:
      'The MX records name only the gateway. If your mail does not leave through the gateway, the mailbox provider behind it needs a place in the SPF record and a DKIM key.',
    fix: 'Get a new plan and say which mailbox provider you use, such as Google Workspace or Microsoft 365.',
  })
}

function isMailboxSender({ entry, inUse }: SenderInUse): boolean {
  return isMailboxHost(entry) && inUse !== 'unsure'
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
    title: `${facts.domain} is too long for ${names.length === 1 ? 'a record' : `${names.length} records`} that it needs`,
    detail:
      'A DNS name has at most 253 characters, and these records would be below the domain. The plan leaves them out.',
    fix: 'Send from a shorter name.',
  })
}

const delegatedNames: Warn = ({ facts }) => {
  if (facts.zone.delegated.length === 0) return null
  return createFinding(
    'plan.delegated-names',
    {
      title: `Delegated to other name servers: ${formatList(facts.zone.delegated)}`,
      detail: forCount(
        facts.zone.delegated,
        `NS records delegate this name, often to a service that manages DMARC or DKIM. Records at or below it do not belong in the zone ${facts.zone.apex}.`,
        `NS records delegate these names, often to a service that manages DMARC or DKIM. Records at or below them do not belong in the zone ${facts.zone.apex}.`,
      ),
      fix: forCount(
        facts.zone.delegated,
        'Change records at or below this name at the service that runs it.',
        'Change records at or below these names at the services that run them.',
      ),
    },
    facts.zone.delegated.map((name) => ({ name, type: 'NS', value: 'a zone of its own' })),
  )
}

const noSenderSeen: Warn = ({ facts, mailUse }) => {
  if (mailUse.sends || sendingProfile(facts.reports) === 'non-sending') return null
  return createFinding('plan.no-sender-seen', {
    title: `DNS does not show that ${facts.domain} sends mail`,
    detail:
      'It has no mail server, no sender in SPF, no DKIM key that we found, and no subdomain that sends. The plan therefore locks the domain: mail in its name is rejected from the first day.',
    fix: 'Before you publish, make sure that no web form, device or service sends as this domain. If one does, get a new plan and say that you use it.',
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

const SHORTEN =
  'Shorten the text, or move the zone to a DNS host that accepts longer texts. If the domain has DNSSEC, remove the DS record and wait a day before you move.'

const TOO_LONG_FIXES: Partial<Record<PlannedRecord['purpose'], string>> = {
  dkim: 'Create a DKIM key of 2048 bits instead of 4096 under a new selector: it fits, and it is strong enough. If the service offers CNAMEs for DKIM, use those.',
  spf: 'Remove SPF terms of services that you no longer use, or move a sender to a subdomain with its own SPF record.',
}

const WARNINGS: readonly Warn[] = [
  ...RISK_WARNINGS,
  domainIsAlias,
  noSenderSeen,
  ...SPF_WARNINGS,
  selectorTaken,
  proxiedRecords,
  ...STAGE_WARNINGS,
  severalMailboxProviders,
  unusedReceivesMail,
  mailboxesCannotSend,
  senderSettings,
  mailboxesUnseen,
  severalDnsHosts,
  delegatedNames,
  namesTooLong,
  txtTooLong,
  nullMxRefused,
]
