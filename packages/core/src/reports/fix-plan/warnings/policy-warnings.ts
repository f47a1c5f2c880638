/** Warnings about mail that the DMARC policy loses, today or in a later stage. */
import { findProviderById, type MailService } from '../../../catalog/mail-services.js'
import { isUnavailable } from '../../../checks/check-result.js'
import { isWeakerPolicy, parsePolicies } from '../../../checks/dmarc/dmarc-policies.js'
import { parseDmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { formatFullList } from '../../../checks/format-list.js'
import { found, type Rule } from '../../../checks/rule.js'
import { findReturnPathService } from '../../../streams/find-senders.js'
import { treatmentAt } from '../../../streams/simulate.js'
import { effectiveTreatment, lostStreams, sendingProfile } from '../../check/check-reports.js'
import { fateOf, nameSender } from '../../check/own-mail.js'
import { governsNamesBelow } from '../dmarc/dmarc-draft.js'
import { findStrictlyAligned, findToRelax, isStrict } from '../plan-context.js'
import type { PlanFacts } from '../plan-records.js'
import type { ServicesInUse } from '../services-in-use.js'
import { findStrictlyLost, findUnsignedMailboxes, findUrgentMail } from '../urgent-mail.js'

const mailAtRisk: Rule<PlanFacts> = (context) => {
  const { facts, services, plan } = context
  const { domain } = facts
  const policy = effectiveTreatment(facts.reports.dmarc)
  if (!findUrgentMail(context).isUnsigned || hasLostSteps(context)) return null
  if (plan.rejectObstacle?.kind !== 'no-key') return found('plan.mail-at-risk', { domain, policy })
  const { kase, how } = describeForwarding(findForwarders(services))
  return found(`plan.mail-at-risk (${kase})`, { domain, policy, how })
}

/** Where there is a key to publish, what is lost says more than what may be. */
function hasLostSteps({ streams, plan }: PlanFacts): boolean {
  return lostStreams({ streams }).length > 0 && plan.rejectObstacle?.kind !== 'no-key'
}

const sendersAtRisk: Rule<PlanFacts> = (context) => {
  const { mailUse, streams, answers } = context
  if (!mailUse.sends || !hasLostSteps(context)) return null
  const lost = lostStreams({ streams })
  const isAnswered = lost.every(({ id, at }) =>
    answers.uses.some((used) => id === used || id === `${used}@${at}`),
  )
  return found(isAnswered ? 'plan.sender-at-risk (in-use)' : 'plan.sender-at-risk', {
    senders: formatFullList(lost.map(nameSender)),
    fate: fateOf(lost),
    domains: formatFullList([...new Set(lost.map(({ at }) => at))]),
  })
}

const mailboxesAtRisk: Rule<PlanFacts> = (context) => {
  const mailboxes = findUnsignedMailboxes(context)
  if (mailboxes.length === 0 || findUrgentMail(context).isUnsigned) return null
  const fate = fateUnder(effectiveTreatment(context.facts.reports.dmarc))
  return found('plan.mail-at-risk (mailboxes)', { providers: mailboxes.map(nameSender), fate })
}

/** Of mail that fails, as a predicate. */
function fateUnder(policy: ReturnType<typeof effectiveTreatment>): string {
  return policy === 'reject' ? 'is rejected' : 'goes to spam'
}

/** Only servers that pass on what arrives or take bounces are seen. */
const senderUnseen: Rule<PlanFacts> = ({ facts, services, plan }) => {
  const { domain, reports } = facts
  if (!isUnseen(plan.rejectObstacle)) return null
  const bounces = findReturnPathService(facts)?.name
  if (bounces) {
    const above = domain.slice(domain.indexOf('.') + 1)
    return found('plan.no-sender-seen (bounces)', { domain, service: bounces, above })
  }
  const forwarders = findForwarders(services)
  const values = {
    domain,
    forwarders: forwarders.map(({ name }) => name),
    how: describeForwarding(forwarders).how,
  }
  const policy = effectiveTreatment(reports.dmarc)
  return policy === 'none'
    ? found('plan.no-sender-seen (forwarder)', values)
    : found('plan.no-sender-seen (forwarder-enforced)', { ...values, fate: fateUnder(policy) })
}

function isUnseen(obstacle: PlanFacts['plan']['rejectObstacle']): boolean {
  return obstacle?.kind === 'no-key' && obstacle.isUnseen
}

const rejectNotReached: Rule<PlanFacts> = ({ facts, services, plan: { rejectObstacle } }) => {
  const { domain, reports } = facts
  if (!rejectObstacle || reports.dmarc.policy === 'reject') return null
  // Warnings of their own cover these.
  if (rejectObstacle.kind === 'strict' || isUnseen(rejectObstacle)) return null
  const unsigned = rejectObstacle.kind === 'unsigned' ? rejectObstacle.services : null
  const forwarders = unsigned ? findUsedForwarders(services, unsigned) : findForwarders(services)
  if (unsigned && forwarders.length === 0) {
    return found('plan.reject-not-reached', { domain, services: unsigned })
  }
  const { kase, how } = describeForwarding(forwarders)
  return found(`plan.reject-not-reached (${kase})`, {
    domain,
    forwarders: forwarders.map(({ name }) => name),
    how,
  })
}

/** The forwarder that the MX records lead to. */
function findForwarders({ mailboxProviders }: ServicesInUse): MailService[] {
  const forwarder = mailboxProviders.find(({ entry }) => entry.kind === 'forwarder')
  return forwarder ? [forwarder.entry] : []
}

/** The owner says that they send. */
function findUsedForwarders({ senders }: ServicesInUse, names: readonly string[]): MailService[] {
  return senders
    .filter(({ entry }) => entry.kind === 'forwarder' && names.includes(entry.name))
    .flatMap(({ entry }) => findProviderById(entry.id) ?? [])
}

function describeForwarding(forwarders: readonly MailService[]) {
  const how = new Set(forwarders.flatMap(({ sending }) => sending?.how ?? []))
  const canSend = forwarders.every(({ sending }) => sending?.can)
  return {
    kase: forwarders.length === 0 ? 'no-key' : canSend ? 'forwarder-sends' : 'forwarder',
    how: how.size > 0 ? [...how].join(' ') : null,
  } as const
}

/** Names below the domain for which services sign, and which do not count. */
const strictForServices: Rule<PlanFacts> = (context) => {
  const affected = findStrictlyAligned(context)
  if (affected.length === 0) return null
  const services = affected.map(({ entry }) => entry.name)
  const values = { ...strictTags(context), services, names: affected.map(({ name }) => name) }
  const isRelaxed = findToRelax(context).length > 0
  // What fails with DKIM may still pass with SPF.
  if (findStrictlyLost(context).length > 0) {
    const fate = fateUnder(effectiveTreatment(context.facts.reports.dmarc))
    const id = isRelaxed ? 'plan.strict-alignment-loss' : 'plan.strict-alignment-loss (elsewhere)'
    return found(id, { ...values, fate })
  }
  const kase = values.tags.length === 1 ? 'services-dkim' : 'services'
  return found(`plan.strict-alignment (${kase}${isRelaxed ? '' : '-elsewhere'})`, values)
}

const strictAlignment: Rule<PlanFacts> = (context) => {
  const { facts, mailUse, plan } = context
  const startsToSend = sendingProfile(facts.reports) === 'non-sending'
  const matters = mailUse.sends && (plan.rollout.length > 0 || startsToSend)
  const values = strictTags(context)
  const [tag, ...others] = values.tags
  if (!tag || !matters || findStrictlyAligned(context).length > 0) return null
  if (others.length > 0) return found('plan.strict-alignment', values)
  return found(`plan.strict-alignment (${tag === 'adkim=s' ? 'dkim' : 'spf'})`, values)
}

function strictTags({ facts, plan }: PlanFacts) {
  const strict = (['dkim', 'spf'] as const).filter((mechanism) => isStrict(facts, mechanism))
  const tags = strict.map((mechanism) => `a${mechanism}=s`)
  return { domain: facts.domain, tags, name: plan.dmarc.inEffect.name }
}

const unsignedBelow: Rule<PlanFacts> = ({ facts, plan }) => {
  const { unsignedBelow: names, rollout } = plan
  if (names.length === 0) return null
  if (names.some((name) => treatmentAt(name, facts) === 'reject')) {
    return found('plan.subdomains-unsigned (reject)', { names })
  }
  const isGoverned = rollout.length > 0 || facts.dmarc.policy !== 'none'
  return isGoverned ? found('plan.subdomains-unsigned', { names }) : null
}

const sendersBelow: Rule<PlanFacts> = ({ facts, plan }) => {
  const { domain, below, mx, reports, dmarc } = facts
  if (!governsNamesBelow(dmarc)) return null
  const names = below.names.filter(({ sends }) => sends).map(({ name }) => name)
  const hasServers = mx.targets.some(({ kind }) => kind !== 'null')
  const isOnlyBelow = !hasServers && !reports.spf.authorizesSenders
  if (names.length === 0 || plan.rollout.length === 0 || !isOnlyBelow) return null
  return found('plan.senders-below', { domain, names })
}

/** A record of its own overrides that of the domain, today and in every stage. */
const policyBelow: Rule<PlanFacts> = ({ facts, plan }) => {
  const { domain, below } = facts
  const { value } = plan.rollout.at(-1)?.record ?? plan.dmarc.inEffect
  const covering = parsePolicies(parseDmarcRecord(value))?.subdomains
  const weaker = below.names.flatMap(({ name, dmarc }) => {
    const [record, ...others] = isUnavailable(dmarc) ? [] : dmarc.records
    const own = record && others.length === 0 ? parsePolicies(record) : null
    if (!record || !own || !covering || !isWeakerPolicy(own.domain, covering)) return []
    return [{ name, isReported: record.reportUris('rua').uris.length > 0 }]
  })
  if (weaker.length === 0) return null
  const names = weaker.map(({ name }) => name)
  const values = { domain, names, records: names.map((name) => `_dmarc.${name}`) }
  return weaker.some(({ isReported }) => isReported)
    ? found('plan.policy-below', values)
    : found('plan.policy-below (no-reports)', values)
}

/** About today. */
export const RISK_WARNINGS: readonly Rule<PlanFacts>[] = [
  mailAtRisk,
  sendersAtRisk,
  mailboxesAtRisk,
]

/** About later stages. */
export const STAGE_WARNINGS: readonly Rule<PlanFacts>[] = [
  senderUnseen,
  rejectNotReached,
  unsignedBelow,
  strictForServices,
  strictAlignment,
  sendersBelow,
  policyBelow,
]
