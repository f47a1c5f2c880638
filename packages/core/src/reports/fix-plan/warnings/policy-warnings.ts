/** Warnings about mail that the DMARC policy loses, today or in a later stage. */
import { findProviderById, type MailService } from '../../../catalog/mail-services.js'
import { createFinding, type Finding } from '../../../checks/finding.js'
import { formatFullList, formatList } from '../../../checks/format-list.js'
import { effectiveTreatment, sendingProfile } from '../../check/check-reports.js'
import { findSigns } from '../dkim/find-signs.js'
import { findStrictlyAligned, hasHiddenKeys, maySign, type PlanContext } from '../plan-context.js'
import type { ServicesInUse } from '../services-in-use.js'
import { forCount, type Warn } from './warn.js'

const mailAtRisk: Warn = (context, { rejectObstacle }) => {
  const { facts, services, mailUse } = context
  const treatment = effectiveTreatment(facts.reports.dmarc)
  const isSigned = facts.dkim.keys.some((key) => maySign(key, context))
  const { wildcard, wildcardKeys } = facts.dkim
  const isRevoked = wildcardKeys.length > 0 && wildcardKeys.every(({ revoked }) => revoked)
  const isUnseen = hasHiddenKeys(facts.dkim) || (wildcard && !isRevoked)
  if (!mailUse.sends || treatment === 'none' || isSigned || isUnseen) return null
  const fate = treatment === 'reject' ? 'rejected' : 'put into spam'
  return createFinding('plan.mail-at-risk', {
    title: `Mail from ${facts.domain} may be lost today: it is not signed`,
    detail: `The policy is p=${treatment}, and we found no DKIM key that receivers accept. Mail that is forwarded, or that SPF does not cover, is ${fate}.`,
    fix:
      rejectObstacle?.kind === 'no-key'
        ? howToSign(services)
        : `Today, do the steps whose titles begin with "Urgent". Until then, ask people to ${treatment === 'reject' ? 'tell you when a message does not arrive' : 'look in their spam folders'}.`,
  })
}

/** Beside keys of others, a service that passes only with DKIM has none. */
const sendersAtRisk: Warn = (context) => {
  const { facts, services, mailUse } = context
  const treatment = effectiveTreatment(facts.reports.dmarc)
  const isSigned = facts.dkim.keys.some((key) => maySign(key, context))
  if (!mailUse.sends || treatment === 'none' || !isSigned) return null
  const names = services.senders
    .filter(({ entry, setUpAt }) => entry.returnPathAtRoot === 'never' && setUpAt === null)
    .filter((sender) => findSigns(sender, context) === 'no')
    .map(({ entry }) => entry.name)
  if (names.length === 0) return null
  const list = formatFullList(names)
  const fate = treatment === 'reject' ? 'rejected' : 'put into spam'
  return createFinding('plan.sender-at-risk', {
    title: `Mail from ${list} may be lost today: it is not signed`,
    detail: `The policy is p=${treatment}. Mail from ${list} passes DMARC only with a DKIM signature of ${facts.domain}, and there is no key for that, so it is ${fate}.`,
    fix: forCount(
      names,
      `If you use ${list}, do the steps for it today.`,
      `Today, do the steps for each of these services that you use: ${list}.`,
    ),
  })
}

const rejectNotReached: Warn = ({ facts, services }, { rejectObstacle }) => {
  const { policy, subdomainPolicy } = facts.reports.dmarc
  const isOpenBelow = rejectObstacle?.kind === 'unsigned' && subdomainPolicy !== 'reject'
  if (!rejectObstacle || (policy === 'reject' && !isOpenBelow)) return null
  // The warning about strict alignment covers it.
  if (rejectObstacle.kind === 'strict') return null
  if (rejectObstacle.kind === 'unsigned') return unsignedServices(rejectObstacle, facts, services)
  const forwarder = findForwarder(services)
  return createFinding('plan.reject-not-reached', {
    title: forwarder
      ? `${forwarder.name} only forwards mail, so nothing signs what you send`
      : 'The stages end before p=reject: nothing signs your mail',
    detail:
      'Without a DKIM signature, mail is lost under p=reject as soon as someone forwards it (RFC 9989 §7.4).',
    fix: howToSign(services),
  })
}

function unsignedServices(
  { services: names }: { readonly services: readonly string[] },
  { domain }: PlanContext['facts'],
  { senders }: ServicesInUse,
): Finding {
  const forwarders = senders
    .filter(({ entry }) => entry.kind === 'forwarder' && names.includes(entry.name))
    .flatMap(({ entry }) => findProviderById(entry.id) ?? [])
  const [forwarder] = forwarders
  if (forwarder) {
    return createFinding('plan.reject-not-reached', {
      title: `The stages end before p=reject: mail that you send with ${formatList(forwarders.map(({ name }) => name))} is not signed`,
      detail: `A forwarding service does not sign mail as ${domain}. Without a DKIM signature, mail is lost under p=reject (RFC 9989 §7.4).`,
      fix: [...new Set(forwarders.map(forwardingAdvice))].join(' '),
    })
  }
  const list = formatList(names)
  return createFinding('plan.reject-not-reached', {
    title: `The stages end before p=reject: ${list} may not sign`,
    detail: forCount(
      names,
      `Its bounces go to a domain of its own, so its mail passes DMARC only with a DKIM signature of ${domain}. We do not know how to set that up.`,
      `Their bounces go to domains of their own, so their mail passes DMARC only with a DKIM signature of ${domain}. We do not know how to set that up.`,
    ),
    fix: `Ask ${list} how to sign as ${domain}, then get a new plan.`,
  })
}

/** A forwarder that the MX records lead to. */
function findForwarder({ mailboxProviders }: ServicesInUse): MailService | null {
  return mailboxProviders.find(({ entry }) => entry.kind === 'forwarder')?.entry ?? null
}

function howToSign(services: ServicesInUse): string {
  const forwarder = findForwarder(services)
  return forwarder
    ? forwardingAdvice(forwarder)
    : 'Set up DKIM where your mail is sent, then get a new plan.'
}

function forwardingAdvice({ name, sending }: MailService): string {
  const how =
    sending?.how ??
    (sending?.can
      ? `Send through the SMTP server of ${name}, which signs as your domain.`
      : `${name} cannot send as your domain. To send from it, use a mailbox provider or a sending service that signs as your domain.`)
  return sending?.can
    ? how
    : `${how} Mail sent through a private account, such as Gmail, fails DMARC.`
}

const strictAlignment: Warn = (context, { rollout, dmarc }) => {
  const { facts, mailUse } = context
  const { alignment, policy } = facts.reports.dmarc
  const tags = [
    ...(alignment?.dkim === 'strict' ? ['adkim=s'] : []),
    ...(alignment?.spf === 'strict' ? ['aspf=s'] : []),
  ].join(' and ')
  const affected = findStrictlyAligned(context)
  if (affected.length > 0) {
    const signers = affected.map(({ entry, setUpAt }) => `${entry.name} signs as ${setUpAt}`)
    const outcome = policy === 'reject' ? '' : ' Until then, the stages end before p=reject.'
    return createFinding('plan.strict-alignment', {
      title: `Remove ${tags} from the DMARC record: ${formatList(signers)}`,
      detail: `With strict alignment, mail from addresses at ${facts.domain} passes DMARC only with a signature of ${facts.domain} itself. ${formatList(signers)}, so this mail fails.`,
      fix: `Remove ${tags} from the record at ${dmarc.inEffect.name}, then get a new plan.${outcome}`,
    })
  }
  const startsToSend = sendingProfile(facts.reports) === 'non-sending'
  const isStaged = rollout.length > 0
  if (tags === '' || !mailUse.sends || !(isStaged || startsToSend)) return null
  return createFinding('plan.strict-alignment', {
    title: `The DMARC record demands strict alignment (${tags.replace(' and ', ', ')})`,
    detail: `Mail that is signed by a subdomain of ${facts.domain}, or bounces to one, fails DMARC. Most services for newsletters and receipts work that way.`,
    fix: isStaged
      ? `Unless you need it, remove ${tags} before you tighten the policy. The stages keep what is there today.`
      : `Unless you need it, remove ${tags} from the record at ${dmarc.inEffect.name} before such a service sends.`,
  })
}

/** RFC 9989 §4.10.2: `psd=y` makes every subdomain an organization of its own. */
const publicSuffixTag: Warn = ({ facts, mailUse }) => {
  const { applied } = facts.dmarc
  const isOwn = applied !== null && applied.step.domain === facts.domain
  if (!isOwn || applied.record.tags.get('psd')?.toLowerCase() !== 'y' || !mailUse.sends) return null
  return createFinding('plan.public-suffix-tag', {
    title: `The DMARC record calls ${facts.domain} a public suffix (psd=y)`,
    detail: `Receivers then take every subdomain for another organization. Mail from ${facts.domain} that a subdomain signs, or bounces to, fails DMARC.`,
    fix: `Unless others register names below ${facts.domain}, remove psd=y before you tighten the policy. The policy then covers subdomains as well.`,
  })
}

const sendersBelow: Warn = ({ facts }, { rollout }) => {
  const names = facts.below.names.filter(({ sends }) => sends).map(({ name }) => name)
  const hasServers = facts.mx.targets.some(({ kind }) => kind !== 'null')
  const isOnlyBelow = !hasServers && !facts.reports.spf.authorizesSenders
  if (names.length === 0 || rollout.length === 0 || !isOnlyBelow) return null
  return createFinding('plan.senders-below', {
    title: `Mail is sent from ${formatList(names)}`,
    detail: `The policy of ${facts.domain} also covers its subdomains, so the plan tightens it in stages instead of locking the domain at once.`,
    fix: `Check in the reports that ${forCount(names, 'this subdomain passes', 'these subdomains pass')} DMARC before you go to the next stage.`,
  })
}

/** About today. */
export const RISK_WARNINGS: readonly Warn[] = [mailAtRisk, sendersAtRisk]

/** About later stages. */
export const STAGE_WARNINGS: readonly Warn[] = [
  rejectNotReached,
  strictAlignment,
  publicSuffixTag,
  sendersBelow,
]
