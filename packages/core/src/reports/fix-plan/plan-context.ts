/** The context of a plan: facts, services in use, mail use, and the usable part of SPF. */
import type { Dns } from '@mailgrade/doh/dns'
import {
  findOwnersWithoutUse,
  findProviderTerms,
  findSigningLabel,
  type MailService,
} from '../../catalog/mail-services.js'
import type { CheckResult } from '../../checks/check-result.js'
import type { DkimKey } from '../../checks/dkim/dkim-facts.js'
import { isAcceptable } from '../../checks/dkim/key-record.js'
import type { MxTarget } from '../../checks/mx/discover-mx.js'
import type { DomainName } from '../../names/domain-name.js'
import { applyEvidence } from '../../streams/apply-evidence.js'
import { collectStreams } from '../../streams/collect-streams.js'
import { hasOwnDmarc } from '../../streams/discover-below.js'
import {
  detectMailboxProviders,
  detectSenders,
  findBounceService,
  guessMailboxProviders,
  type MailboxProvidersInUse,
  type OwnerAnswers,
  type SenderInUse,
  visibleServiceIds,
} from '../../streams/find-senders.js'
import { createKeyOwners } from '../../streams/key-owners.js'
import { findOwnServers } from '../../streams/own-servers.js'
import { simulate } from '../../streams/simulate.js'
import { isLost, type Stream, type StreamReport } from '../../streams/stream.js'
import type { StreamEvidence } from '../../streams/stream-evidence.js'
import { sendingProfile } from '../check/check-reports.js'
import type { CheckOptions, Random } from '../check/run-checks.js'
import { type DomainFacts, discoverDomain } from './discover-domain.js'
import { detectDnsHosts, type ServicesInUse } from './services-in-use.js'
import { findUsableSpf, hasNamedSenders, type UsableSpf } from './spf/usable-spf.js'

export interface PlanContext {
  readonly facts: DomainFacts
  readonly services: ServicesInUse
  readonly mailUse: MailUse
  /** Who sends, and what happens to that mail today. */
  readonly streams: readonly PlanStream[]
  /** Without those about `leaving`. */
  readonly answers: OwnerAnswers
  /**
   * Providers that the owner no longer uses, while no other mail server of the domain is known to
   * work. Until the MX records lead elsewhere, the plan keeps what is there, and adds nothing.
   */
  readonly leaving: MailboxProvidersInUse
  /** The ids of services whose includes nobody needs any longer. */
  readonly unusedInSpf: ReadonlySet<string>
  /** The mail address that the owner wants reports at; null without a wish. */
  readonly reportAddress: string | null
  /** Null if the domain is an alias: no other record can exist beside a CNAME. */
  readonly usableSpf: UsableSpf | null
}

export type PlanStream = StreamReport & Pick<Stream, 'service'>

export async function createPlanContext(
  dns: Dns,
  domain: DomainName,
  repeatRandom: () => Random,
  options: Omit<PlanOptions, 'now'>,
): Promise<CheckResult<PlanContext>> {
  const discovered = await discoverDomain(dns, domain, repeatRandom, options)
  if (discovered.kind !== 'report') return discovered
  const facts = discovered.report
  const { uses = [], unused: given = [] } = options
  const leaving = findLeaving(facts, given)
  const unused = given.filter((id) => !leaving.some(({ entry }) => entry.id === id))
  const answers = { uses, unused }
  const detected = detectMailboxProviders(facts).filter(
    ({ entry }) => !answers.unused.includes(entry.id),
  )
  const visibleIds = visibleServiceIds(facts, detected, answers)
  const unusedInSpf = findOwnersWithoutUse(answers.unused, visibleIds)
  const spfSenders = { mailboxProviders: detected, visibleIds, unusedIds: unusedInSpf }
  const usableSpf = facts.alias.length > 0 ? null : await findUsableSpf(facts, spfSenders)

  const { composed } = usableSpf ?? {}
  const sends = sendsMail(facts, usableSpf, answers)
  const guessed = sends ? guessMailboxProviders(facts, composed?.remainingSenders ?? []) : []
  const mailboxProviders = [...detected, ...guessed]
  const named = [...facts.reports.spf.senders, ...(composed?.senders ?? [])].filter(
    ({ id, via }) => !isRequiredByProvider(facts, mailboxProviders, id, via),
  )
  const senders = detectSenders(facts, named, mailboxProviders, answers)
  const services = {
    mailboxProviders,
    senders,
    dnsHosts: detectDnsHosts(facts),
    ownerOf: createKeyOwners(senders, facts.dkim, findOwnServers(facts)),
  }
  const mailUse = {
    sends,
    sendsBelow: facts.below.names.some((name) => name.sends),
    receives: receivesMail(facts, guessed),
  }
  const declaresNoMail = sendingProfile(facts.reports) === 'non-sending'
  const zone = { ...facts, ownerOf: services.ownerOf }
  const shown = collectStreams(facts, senders, declaresNoMail).map((stream) => ({
    ...simulate(stream, zone),
    service: stream.service,
  }))
  const streams = applyEvidence(shown, options.evidence ?? [], zone)
  const { rua: reportAddress = null } = options
  return {
    kind: 'report',
    report: {
      facts,
      services,
      mailUse,
      streams,
      answers,
      leaving,
      unusedInSpf,
      reportAddress,
      usableSpf,
    },
  }
}

/** A term through which a mailbox provider sends is no service of its own. */
function isRequiredByProvider(
  { mx }: DomainFacts,
  mailboxProviders: MailboxProvidersInUse,
  id: string,
  via: string,
): boolean {
  const hosts = mx.targets.map(({ exchange }) => exchange)
  const isProvider = mailboxProviders.some(({ entry }) => entry.id === id)
  const terms = mailboxProviders.flatMap(({ entry }) => findProviderTerms(entry, hosts))
  return !isProvider && terms.includes(via)
}

/** Where not all mail servers are known, the plan removes none, so no provider is left yet. */
function findLeaving(facts: DomainFacts, unused: readonly string[]): MailboxProvidersInUse {
  const { targets } = facts.mx
  const isUsed = (target: MxTarget) =>
    isWorking(target) && !unused.includes(findProviderOf(target, facts)?.id ?? '')
  const isReplaced = targets.some(isUsed) && targets.every(({ kind }) => kind !== 'unqueried')
  return isReplaced
    ? []
    : detectMailboxProviders(facts).filter(({ entry }) => unused.includes(entry.id))
}

export function isLeaving(
  { id }: Pick<MailService, 'id'>,
  { leaving }: Pick<PlanContext, 'leaving'>,
): boolean {
  return leaving.some(({ entry }) => entry.id === id)
}

/** The mailbox provider that runs the mail server. */
export function findProviderOf(target: MxTarget, facts: DomainFacts): MailService | null {
  const alone = { ...facts, mx: { ...facts.mx, targets: [target] } }
  return detectMailboxProviders(alone)[0]?.entry ?? null
}

export interface MailUse {
  readonly sends: boolean
  /** A name below the domain sends. */
  readonly sendsBelow: boolean
  /** With the plan applied. */
  readonly receives: boolean
}

/**
 * A domain does not send if it declares so, or if DNS names no possible sender: no mail server, no
 * sender in SPF, not even in a broken record, and none below the domain. A DKIM key outweighs SPF
 * without senders, because mail passes DMARC with DKIM alone.
 */
function sendsMail(
  facts: DomainFacts,
  usableSpf: UsableSpf | null,
  { uses, unused }: OwnerAnswers,
): boolean {
  const { reports } = facts
  if (hasKeys(facts) || uses.length > 0) return true
  if (sendingProfile(reports) === 'non-sending' && (usableSpf?.composed.terms.length ?? 0) === 0)
    return false
  const { authorizesSenders } = usableSpf?.composed ?? reports.spf
  if (hasMailServers(facts) || authorizesSenders) return true
  // A null MX declares no mail; only a sender that is surely authorized contradicts it.
  if (reports.mx.nullMx) return false
  const isSeenBelow = facts.below.names.some(
    ({ sends, service }) => sends || (service !== null && !unused.includes(service.id)),
  )
  return isSeenBelow || (usableSpf !== null && hasNamedSenders(usableSpf))
}

/** A key that receivers refuse still shows that the domain sends; a forwarder's key does not. */
function hasKeys({ dkim }: DomainFacts): boolean {
  const keys = [...dkim.keys.filter(({ forwarder }) => !forwarder), ...dkim.wildcardKeys]
  return hasHiddenKeys(dkim) || keys.some(({ valid }) => valid)
}

/** Whether the key may sign the domain's own mail after the plan. */
export function maySign(
  key: DkimKey,
  { services, answers }: Pick<PlanContext, 'services' | 'answers'>,
): boolean {
  const owner = services.ownerOf(key)?.id ?? ''
  const isSender = !key.forwarder || answers.uses.includes(owner)
  return isAcceptable(key) && isSender && !answers.unused.includes(owner)
}

/** Selectors exist, and none of those that were tried explains why. */
export function hasHiddenKeys({
  domainKeyState,
  wildcard,
  keys,
  danglingCnames,
}: DomainFacts['dkim']): boolean {
  const isExplained = wildcard || keys.length + danglingCnames.length > 0
  return domainKeyState === 'exists' && !isExplained
}

/** Everything that sends uses another name in the Return-Path, so SPF of the domain has no part in it. */
export function passesByDkimAlone({
  facts,
  services,
}: Pick<PlanContext, 'facts' | 'services'>): boolean {
  const { senders, mailboxProviders, ownerOf } = services
  const isElsewhere = ({ entry, setUpAt }: SenderInUse) =>
    setUpAt !== null || entry.returnPathAtRoot === 'never'
  const hasUnknownSender =
    mailboxProviders.length > 0 ||
    facts.mx.targets.some(({ kind }) => kind !== 'null') ||
    hasHiddenKeys(facts.dkim) ||
    facts.dkim.keys.some((key) => ownerOf(key) === null)
  return senders.length > 0 && senders.every(isElsewhere) && !hasUnknownSender
}

/** Gateways that only MX shows, whose servers would fail if they sent. The owner has to say. */
export function findGatewaysInDoubt(
  context: Pick<PlanContext, 'streams' | 'mailUse' | 'leaving'>,
): PlanStream[] {
  const { streams, mailUse } = context
  const fails = ({ outcome }: PlanStream) => outcome === 'at-risk' || isLost({ outcome })
  const isInDoubt = (stream: PlanStream) =>
    stream.service?.kind === 'gateway' &&
    !isLeaving(stream.service, context) &&
    stream.certainty === 'possible' &&
    fails(stream)
  return mailUse.sends ? streams.filter(isInDoubt) : []
}

/** Whether the name that passed has to be exactly that of the From address (RFC 9989 §4.4). */
export function isStrict(
  { reports }: Pick<DomainFacts, 'reports'>,
  mechanism: 'dkim' | 'spf',
): boolean {
  return reports.dmarc.alignment?.[mechanism] === 'strict'
}

/** A service and the name below the domain that it signs as. */
export interface SignerBelow {
  readonly entry: MailService
  readonly name: string
}

/**
 * RFC 9989 §4.4: with `adkim=s`, the signature of a name below the domain does not count for mail
 * from the domain. A service that only the SPF record of that name shows sends from the name.
 */
export function findStrictlyAligned({
  facts,
  services,
  mailUse,
}: Pick<PlanContext, 'facts' | 'services' | 'mailUse'>): SignerBelow[] {
  if (!isStrict(facts, 'dkim') || !mailUse.sends) return []
  // Mail from a name with a record of its own does not follow that of the domain.
  const isItsName = (entry: MailService, name: string) =>
    facts.below.names.some(
      (each) => each.name === name && each.service === entry && !hasOwnDmarc(each),
    )
  return services.senders.flatMap(({ entry, setUpAt, inUse }): SignerBelow[] => {
    if (setUpAt !== null) return isItsName(entry, setUpAt) ? [{ entry, name: setUpAt }] : []
    const label = inUse === 'yes' ? findSigningLabel(entry) : null
    return label === null ? [] : [{ entry, name: `${label}.${facts.domain}` }]
  })
}

/** Those whose mail the plan saves: the record is the domain's own, to change as it likes. */
export function findToRelax(
  context: Pick<PlanContext, 'facts' | 'services' | 'mailUse'>,
): SignerBelow[] {
  const { applied, domain, walk } = context.facts.dmarc
  const [own] = walk.steps
  const isOwn = applied?.step === own && own?.domain === domain && own.cnames.length === 0
  return isOwn ? findStrictlyAligned(context) : []
}

/**
 * The address of a web server does not count, nor does an MX host without an address, nor one where
 * a sending service takes bounces.
 */
function receivesMail({ mx }: DomainFacts, guessed: MailboxProvidersInUse): boolean {
  const isMailboxServer = (target: MxTarget) =>
    isDeliverable(target) && findBounceService(target.exchange) === null
  return guessed.length > 0 || mx.targets.some(isMailboxServer)
}

function hasMailServers({ mx }: DomainFacts): boolean {
  return mx.targets.some(({ kind }) => kind !== 'null')
}

/** Whether mail may be delivered to the host; an unknown address may exist. */
export function isDeliverable(target: MxTarget): boolean {
  return target.kind === 'unqueried' || (target.kind === 'host' && target.addresses?.length !== 0)
}

/** Its address could not be looked up. */
export function isUnknown(target: MxTarget): boolean {
  return target.kind === 'host' && target.addresses === null
}

export function isWorking(target: MxTarget): boolean {
  return isDeliverable(target) && !isUnknown(target)
}

export interface PlanOptions extends CheckOptions {
  /** The mail address that reports should go to. */
  readonly rua?: string | undefined
  /** The ids of services that send for the domain. */
  readonly uses?: readonly string[] | undefined
  /** The ids of services that no longer send for it. */
  readonly unused?: readonly string[] | undefined
  /** What aggregate reports and messages prove. */
  readonly evidence?: readonly StreamEvidence[] | undefined
  /** Where the free checks answer; without it the steps have no links. */
  readonly baseUrl?: string | undefined
  readonly now: Date
}
