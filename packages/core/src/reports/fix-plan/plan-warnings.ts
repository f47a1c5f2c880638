/** Warnings about what a plan cannot do or does not know. */
import {
  findProviderById,
  findProviderByMx,
  type MailboxProvider,
} from '../../catalog/mailbox-providers.js'
import { createFinding, type Finding } from '../../checks/finding.js'
import { formatFullList, formatList } from '../../checks/format-list.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import { effectiveTreatment, sendingProfile } from '../check/check-reports.js'
import { findSigns } from './dkim/find-signs.js'
import {
  findStrictlyAligned,
  findUnusedReceivers,
  hasHiddenKeys,
  maySign,
  type PlanContext,
} from './plan-context.js'
import type { RecordsPlan } from './plan-records.js'
import { expectedTextLength, type PlannedRecord } from './planned-record.js'
import { nameRelativeToZone } from './render/panel-record.js'
import { isMailboxHost, type SenderInUse, type ServicesInUse } from './services-in-use.js'
import type { FaultyInclude, RemovalReason } from './spf/compose-spf.js'
import type { SpfPlan } from './spf/plan-spf.js'
import { findSimilarInclude } from './spf/similar-include.js'

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
      fix: `Publish SPF and MX records at ${target}, or replace the CNAME at ${domain} with A and AAAA records and get a new plan.`,
    },
    [{ name: domain, type: 'CNAME', value: target }],
  )
}

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
        : `Today, do the steps marked urgent. Until then, ask people to ${treatment === 'reject' ? 'tell you when a message does not arrive' : 'look in their spam folders'}.`,
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
    fix: `If you use ${list}, do the steps for it today.`,
  })
}

const sendersToMove: Warn = (context, { spf }) => {
  const { facts } = context
  const outside = spf?.noRoom?.terms ?? []
  const leftOut = (spf?.leftOut ?? []).filter(({ isNeedless }) => !isNeedless)
  const senders = [...outside, ...leftOut].map(({ term, service }) =>
    service ? `${service.name} (${term})` : term,
  )
  if (senders.length === 0) return null
  const isStrict = facts.reports.dmarc.alignment?.spf === 'strict'
  return createFinding('plan.senders-to-move', {
    title: `No room in the SPF record for ${formatFullList(senders)}`,
    detail:
      leftOut.length > 0
        ? 'Receivers stop after 10 lookups, so these senders do not pass SPF today either. The planned record names as many senders as fit, and ends in "~all" until the others pass as well.'
        : 'Receivers stop after 10 lookups, and no sender that passes today may lose its place. Until there is room, this mail passes DMARC only with a DKIM signature.',
    fix: [
      ...(spf?.noRoom ? [howToMakeRoom(context, spf.noRoom)] : []),
      ...(leftOut.length > 0 ? [howToMove(facts.domain, isStrict)] : []),
      'If one of them no longer sends for you, get a new plan with its id in "unused".',
    ].join(' '),
  })
}

/** A service that can use its own bounce domain passes DMARC with DKIM alone. */
function howToMakeRoom(
  { facts, services }: PlanContext,
  { terms, room }: NonNullable<SpfPlan['noRoom']>,
): string {
  const named = new Set(facts.reports.spf.senders.map(({ id }) => id))
  const optional = services.senders
    .filter(({ entry }) => named.has(entry.id) && entry.returnPathAtRoot === 'optional')
    .map(({ entry }) => entry.name)
  const signing = optional.length > 0 ? formatFullList(optional) : 'the services in the record'
  const added = formatFullList(terms.map(({ term }) => term))
  return `Set up DKIM for ${facts.domain} at one or more of ${signing}: signed mail passes DMARC without SPF. Then remove their terms until the SPF check shows at most ${room} lookups, and add ${added} before "all".`
}

function howToMove(domain: string, isStrict: boolean): string {
  return isStrict
    ? `Set up DKIM for ${domain} itself at each of them: with aspf=s in the DMARC record, a subdomain does not count.`
    : `Let each of them send from its own subdomain, such as news.${domain}, with an SPF record there that has its term, or set up DKIM there. DMARC accepts both.`
}

const spfTooFull: Warn = ({ facts }, { spf }) => {
  if (!spf || spf.crowdedOut.length === 0) return null
  const isStrict = facts.reports.dmarc.alignment?.spf === 'strict'
  return createFinding('plan.spf-too-full', {
    title: 'The SPF record needs more than 10 lookups, and no shorter one is safe',
    detail: `Every record within the limit would take the pass away from a sender that has it today: ${formatFullList(spf.crowdedOut)}. The plan therefore does not change the record.`,
    fix: `First make room. ${howToMove(facts.domain, isStrict)} Then get a new plan, with the ids of services that no longer send in "unused".`,
  })
}

const FAULTS: Readonly<Record<FaultyInclude['fault'], string>> = {
  broken: 'has an error',
  'void-lookups': 'has too many empty lookups',
  'allows-everyone': 'lets every server send as you',
}

const includeFaulty: Warn = ({ facts }, { spf }) => {
  const faulty = spf?.faulty ?? []
  if (faulty.length === 0) return null
  const isOpen = faulty.some(({ fault }) => fault === 'allows-everyone')
  const isBroken = faulty.some(({ fault }) => fault !== 'allows-everyone')
  const problems = facts.reports.spf.issues
    .filter(({ severity }) => severity !== 'low' && severity !== 'info')
    .filter(({ evidence }) =>
      evidence.some(({ name }) => faulty.some(({ domains }) => domains.has(name))),
    )
    .map(({ title }) => title)
  return createFinding('plan.include-faulty', {
    title: faulty.map(({ host, fault }) => `The SPF record of ${host} ${FAULTS[fault]}`).join('. '),
    detail: [
      ...problems.map((problem) => `${problem}.`),
      ...(isBroken
        ? [
            'Senders before the error pass today, so the plan keeps the include, behind all other terms. Servers that the record does not name get a permanent error, which is no pass for DMARC.',
          ]
        : []),
      ...(isOpen
        ? [
            `Until that is repaired, every server passes SPF and DMARC as ${facts.domain}. No stage of the policy stops forged mail before.`,
          ]
        : []),
    ].join(' '),
    fix: [
      ...faulty.map(
        ({ host, service, term }) =>
          `Ask ${service ? service.name : `the operator of ${host}`} to repair the SPF record of ${host}. Until then, keep ${term}.`,
      ),
      ...(problems.length > 0 ? [`The error: ${problems.join('; ')}.`] : []),
    ].join(' '),
  })
}

const ASKED_ABOUT: ReadonlySet<RemovalReason> = new Set(['broken', 'allows-everyone', 'no-record'])

const termsLeftOut: Warn = ({ facts }, { spf }) => {
  const removed = (spf?.dropped ?? []).filter(({ reason }) => ASKED_ABOUT.has(reason))
  const terms = [
    ...removed.map(({ term }) => term),
    ...(spf?.unreadable ?? []),
    ...(spf?.ignored ?? []),
  ].filter((term) => !spf?.record.value.split(' ').includes(findSimilarInclude(term)?.term ?? ''))
  if (terms.length === 0) return null
  const guesses = terms.flatMap((term) => {
    const similar = findSimilarInclude(term)
    return similar ? [` ${term} looks like ${similar.term} of ${similar.service}, misspelled.`] : []
  })
  return createFinding('plan.terms-left-out', {
    title: `Left out of the SPF record: ${formatFullList(terms)}`,
    detail: `Receivers cannot use these terms, or they let everyone in. If one of them was meant for a real sender, that sender is missing.${guesses.join('')}`,
    fix: `Ask the person who added ${formatFullList(terms)} which server or service was meant. If it still sends mail as ${facts.domain}, add it before "all".${guesses.join('')}`,
  })
}

const ptrKept: Warn = (_, { spf }) => {
  const hasPtr = spf !== null && /\s[+]?ptr(?:[:\s]|$)/i.test(spf.record.value)
  if (!hasPtr) return null
  return createFinding('plan.ptr-kept', {
    title: 'The SPF record still has ptr',
    detail:
      'ptr is slow, and receivers may ignore it (RFC 7208 §5.5). DNS does not show which servers rely on it, so the plan does not remove it.',
    fix: 'Find these servers in the DMARC reports, name them with ip4 or ip6, and then remove ptr.',
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
    detail: `Its bounces go to a domain of its own, so its mail passes DMARC only with a DKIM signature of ${domain}. We do not know how to set that up.`,
    fix: `Ask ${list} how to sign as ${domain}, then get a new plan.`,
  })
}

/** A forwarder that the MX records lead to. */
function findForwarder({ mailboxProviders }: ServicesInUse): MailboxProvider | null {
  return mailboxProviders.find(({ entry }) => entry.kind === 'forwarder')?.entry ?? null
}

function howToSign(services: ServicesInUse): string {
  const forwarder = findForwarder(services)
  return forwarder
    ? forwardingAdvice(forwarder)
    : 'Set up DKIM where your mail is sent, then get a new plan.'
}

function forwardingAdvice({ name, sending }: MailboxProvider): string {
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
    fix: 'Check in the reports that these subdomains pass DMARC before you go to the next stage.',
  })
}

const proxiedRecords: Warn = (_, { dkim: { proxied } }) => {
  if (proxied.length === 0) return null
  return createFinding('plan.proxied-record', {
    title: `Proxied by the DNS host: ${formatList(proxied)}`,
    detail: 'Receivers get addresses of the proxy instead of a CNAME, so they do not find the key.',
    fix: 'Open these CNAME records at the DNS host and switch them from proxied to DNS only.',
  })
}

const selectorTaken: Warn = (_, { dkim: { selectorConflicts } }) => {
  if (selectorConflicts.length === 0) return null
  const services = formatList(selectorConflicts.map(({ service }) => service))
  const names = formatList(selectorConflicts.map(({ name }) => name))
  return createFinding('plan.selector-taken', {
    title: `No free selector for the DKIM key of ${services}`,
    detail: `The record would be published at ${names}, which another service uses. A name holds one key.`,
    fix: `Choose another selector at ${services}, and publish the record that you then see there.`,
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
  const again = answers.uses.length > 0 ? '' : ', with the id of that provider in "uses"'
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
      fix: `If people send from these mailboxes, get a new plan with uses=${host.id}. If not, nothing has to change.`,
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
    title: `${names} passes DMARC only with a changed setting`,
    detail: `${names} does not sign with DKIM. Its mail passes DMARC only if it uses ${facts.domain} in the Return-Path, which the setting turns on.`,
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
    fix: 'Get a new plan with the id of your mailbox provider in "uses", such as uses=google or uses=microsoft365.',
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
      detail: `NS records delegate these names, often to a service that manages DMARC or DKIM. Records at or below them do not belong in the zone ${facts.zone.apex}.`,
      fix: 'Change records at or below these names at the service that runs them.',
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
    fix: 'Before you publish, make sure that no web form, device or service sends as this domain. If one does, get a new plan with its id in "uses".',
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
  mailAtRisk,
  sendersAtRisk,
  domainIsAlias,
  noSenderSeen,
  sendersToMove,
  spfTooFull,
  includeFaulty,
  termsLeftOut,
  ptrKept,
  selectorTaken,
  proxiedRecords,
  rejectNotReached,
  strictAlignment,
  publicSuffixTag,
  sendersBelow,
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
