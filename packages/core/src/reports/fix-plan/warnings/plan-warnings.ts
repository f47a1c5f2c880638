/** Warnings about what a plan cannot do or does not know. */
import type { Finding } from '../../../checks/finding.js'
import { formatFullList, truncateForDisplay } from '../../../checks/format-list.js'
import { found, judge, type Rule } from '../../../checks/rule.js'
import type { TransportReport } from '../../../checks/transport/transport-report.js'
import { isMailboxHost } from '../../../streams/find-senders.js'
import { effectiveTreatment, sendingProfile } from '../../check/check-reports.js'
import {
  findGatewaysInDoubt,
  findProviderOf,
  isLeaving,
  type PlanContext,
} from '../plan-context.js'
import { formatMx } from '../plan-mx.js'
import type { PlanFacts, RecordsPlan } from '../plan-records.js'
import { expectedTextLength } from '../planned-record.js'
import { nameRelativeToZone } from '../render/panel-record.js'
import { termsOfNamedServices } from '../spf/usable-spf.js'
import { RISK_WARNINGS, STAGE_WARNINGS } from './policy-warnings.js'
import { SPF_WARNINGS } from './spf-warnings.js'

export function planWarnings(
  context: PlanContext,
  plan: RecordsPlan,
  transport: TransportReport,
): Finding[] {
  return [...judge(RULES, { ...context, plan }), ...unavailable(context, transport)]
}

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'mx.host-unavailable',
  'transport.lookup-unavailable',
])

/** The plan leaves what is unknown as it is, so its reader must know. */
function unavailable({ facts: { reports } }: PlanContext, transport: TransportReport): Finding[] {
  return [...reports.mx.issues, ...transport.issues].filter(({ id }) => UNAVAILABLE.has(id))
}

const domainIsAlias: Rule<PlanFacts> = ({ facts: { domain, alias } }) => {
  const [value] = alias
  if (value === undefined) return null
  const evidence = [{ name: domain, type: 'CNAME', value }]
  return found('plan.domain-is-alias', { domain, target: truncateForDisplay(value) }, { evidence })
}

const noSenderSeen: Rule<PlanFacts> = ({ facts: { domain, reports }, mailUse }) =>
  mailUse.sends || sendingProfile(reports) === 'non-sending'
    ? null
    : found('plan.no-sender-seen', { domain })

const selectorTaken: Rule<PlanFacts> = ({ plan: { dkim } }) => {
  const { selectorConflicts: conflicts } = dkim
  if (conflicts.length === 0) return null
  return found('plan.selector-taken', {
    services: conflicts.map(({ service }) => service),
    names: conflicts.map(({ name }) => name),
  })
}

const proxiedRecords: Rule<PlanFacts> = ({ plan: { dkim } }) =>
  dkim.proxied.length > 0 ? found('plan.proxied-record', { names: dkim.proxied }) : null

const severalMailboxProviders: Rule<PlanFacts> = ({ facts: { domain }, services }) => {
  const providers = services.mailboxProviders.map(({ entry }) => entry.name)
  if (providers.length < 2) return null
  const evidence = services.mailboxProviders.map((provider) => {
    return { name: domain, type: 'MX', value: provider.evidence.replace(/^MX /, '') }
  })
  return found('plan.several-mailbox-providers', { domain, providers }, { evidence })
}

const unusedReceivesMail: Rule<PlanFacts> = (context) => {
  const { facts, leaving } = context
  if (leaving.length === 0) return null
  const { domain, mx } = facts
  const evidence = mx.targets
    .filter((target) => isLeaving(findProviderOf(target, facts) ?? { id: '' }, context))
    .map((target) => ({ name: domain, type: 'MX', value: formatMx(target) }))
  const providers = leaving.map(({ entry }) => entry.name)
  const isGateway = leaving.every(({ entry }) => entry.kind === 'gateway')
  return found(
    isGateway ? 'plan.unused-receives-mail (gateway)' : 'plan.unused-receives-mail',
    { domain, providers },
    { evidence },
  )
}

const mailboxesCannotSend: Rule<PlanFacts> = ({ facts, services, mailUse }) => {
  const { domain, reports } = facts
  const host = services.mailboxProviders.find(({ entry }) => entry.kind === 'mailbox')?.entry
  if (mailUse.sends || !host) return null
  const treatment = effectiveTreatment(reports.dmarc)
  const evidence = [{ name: domain, type: 'TXT', value: reports.spf.record ?? '' }]
  return found(
    `plan.mailboxes-cannot-send${treatment === 'none' ? '' : (` (${treatment})` as const)}`,
    { domain, provider: host.name },
    { evidence },
  )
}

/** The owner uses them, and they pass by SPF alone once a setting is changed. */
const senderSettings: Rule<PlanFacts> = ({ facts: { domain }, services, answers }) => {
  const entries = services.senders
    .map(({ entry }) => entry)
    .filter(({ id, setup }) => answers.uses.includes(id) && setup.dkim === null)
    .filter(({ setup }) => setup.spfSteps?.turnOn !== undefined)
  if (entries.length === 0) return null
  return found('plan.sender-setting', {
    domain,
    services: entries.map(({ name }) => name),
    screens: entries.flatMap(({ setup }) => setup.spfSteps?.screen?.path ?? []),
    settings: entries.map(({ setup }) => setup.spfSteps?.turnOn).join(' '),
  })
}

const mailboxesUnseen: Rule<PlanFacts> = ({ services: { mailboxProviders, senders } }) => {
  const [first] = mailboxProviders
  const isSeen = senders.some(({ entry, inUse }) => isMailboxHost(entry) && inUse !== 'unsure')
  if (first?.entry.kind !== 'gateway' || isSeen) return null
  return found('plan.mailboxes-unseen', { gateway: first.entry.name })
}

const gatewayMaySend: Rule<PlanFacts> = (context) => {
  const { facts, streams, answers } = context
  const { domain, reports } = facts
  const [inDoubt] = findGatewaysInDoubt(context)
  if (inDoubt) {
    const treatment = effectiveTreatment(reports.dmarc)
    const kase = treatment === 'none' ? '' : (` (${treatment})` as const)
    return found(`plan.gateway-may-send${kase}`, { domain, gateway: inDoubt.name })
  }
  const terms = [...termsOfNamedServices(context).values()]
  const unlisted = streams.find(
    ({ service, at, spf }) =>
      service?.kind === 'gateway' &&
      at === domain &&
      spf !== 'aligned' &&
      answers.uses.includes(service.id) &&
      !terms.includes(service),
  )
  if (!unlisted) return null
  return found('plan.gateway-may-send (term-unknown)', { domain, gateway: unlisted.name })
}

const severalDnsHosts: Rule<PlanFacts> = ({ facts: { zone }, services: { dnsHosts } }) => {
  const hosts = dnsHosts.map(({ entry }) => entry.name)
  if (hosts.length < 2) return null
  const evidence = zone.nameServers.map((value) => ({ name: zone.apex, type: 'NS', value }))
  return found('plan.several-dns-hosts', { hosts, zone: zone.apex }, { evidence })
}

const delegatedNames: Rule<PlanFacts> = ({ facts: { zone } }) => {
  const { apex, delegated: names } = zone
  if (names.length === 0) return null
  const evidence = names.map((name) => ({ name, type: 'NS', value: 'a zone of its own' }))
  return found('plan.delegated-names', { names, zone: apex }, { evidence })
}

const namesTooLong: Rule<PlanFacts> = ({ plan }) =>
  plan.namesTooLong.length > 0 ? found('plan.name-too-long', {}) : null

const txtTooLong: Rule<PlanFacts> = ({
  facts: { zone },
  services: { dnsHosts },
  plan: { now },
}) => {
  const host = dnsHosts[0]?.entry
  const limit = host?.panel.maxTxt ?? null
  if (!host || limit === null) return null
  const tooLong = now.filter(
    (record) =>
      record.type === 'TXT' &&
      (record.action === 'create' || record.action === 'replace') &&
      nameRelativeToZone(record.name, zone) !== null &&
      expectedTextLength(record) > limit,
  )
  if (tooLong.length === 0) return null
  const [purpose, ...others] = new Set(tooLong.map((record) => record.purpose))
  const isAlone = others.length === 0 && (purpose === 'dkim' || purpose === 'spf')
  const names = formatFullList(tooLong.map(({ name }) => name))
  return found(
    `plan.txt-too-long${isAlone ? (` (${purpose})` as const) : ''}`,
    { host: host.name, limit, names },
    { evidence: tooLong.map(({ name, value }) => ({ name, type: 'TXT', value })) },
  )
}

const nullMxRefused: Rule<PlanFacts> = ({ facts: { domain }, plan: { mx } }) =>
  mx?.nullMxRefusedBy
    ? found('plan.null-mx-refused', { domain, host: mx.nullMxRefusedBy.name })
    : null

const RULES: readonly Rule<PlanFacts>[] = [
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
  gatewayMaySend,
  severalDnsHosts,
  delegatedNames,
  namesTooLong,
  txtTooLong,
  nullMxRefused,
]
