/** Finds the services that send as a domain, or receive for it, by all the records that show them. */
import {
  findProviderById,
  findProviderByMx,
  findServiceById,
  findServiceByMxHost,
  findServicesByText,
  findSigningLabel,
  MAILBOX_PROVIDERS,
  type MailService,
  ownersOfTerms,
} from '../catalog/mail-services.js'
import { readTemplate } from '../catalog/record-template.js'
import type { DkimFacts } from '../checks/dkim/dkim-facts.js'
import type { MxFacts } from '../checks/mx/discover-mx.js'
import { listSpfSenders } from '../checks/spf/check-spf.js'
import type { SpfFacts } from '../checks/spf/discover-spf.js'
import type { SpfReport } from '../checks/spf/spf-report.js'
import { joinStrings } from '../checks/txt-records.js'
import type { DomainName } from '../names/domain-name.js'
import { registrableDomain } from '../names/registrable-domain.js'
import type { BelowFacts, NameBelow } from './discover-below.js'
import { findOwnerOfKey } from './key-owners.js'
import { listServerSenders } from './server-terms.js'

/** What shows who sends: `below` is empty where names below the domain were not looked up. */
export interface StreamFacts {
  readonly domain: DomainName
  readonly mx: MxFacts
  readonly spf: SpfFacts
  readonly dkim: DkimFacts
  readonly below: BelowFacts
}

export interface DetectedService<Entry> {
  readonly entry: Entry
  /** The record that shows it. */
  readonly evidence: string
}

export type MailboxProvidersInUse = readonly DetectedService<MailService>[]

/** `likely`: named in SPF; `unsure`: perhaps a leftover. */
export const IN_USE = ['yes', 'likely', 'unsure'] as const
type InUse = (typeof IN_USE)[number]

export interface SenderInUse extends DetectedService<MailService> {
  readonly inUse: InUse
  /** The name below the domain that it is set up for; null for the domain itself. */
  readonly setUpAt: string | null
  /** All records that show it, the strongest first. */
  readonly shownBy: readonly string[]
}

/** What the owner says about services, by id. */
export interface OwnerAnswers {
  readonly uses: readonly string[]
  readonly unused: readonly string[]
}

const MAILBOX_IDS: ReadonlySet<string> = new Set(
  MAILBOX_PROVIDERS.filter(({ kind }) => kind === 'mailbox').map(({ id }) => id),
)

export function detectMailboxProviders(facts: StreamFacts): DetectedService<MailService>[] {
  const found = facts.mx.targets.map(
    ({ exchange }) => [findProviderByMx(exchange), `MX ${exchange}`] as const,
  )
  return dedupe(found.map(([entry, evidence]) => [entry && soldBy(entry, facts), evidence]))
}

/** A sending service whose host takes bounces or replies; null for the mail servers of mailboxes. */
export function findBounceService(exchange: string): MailService | null {
  return findProviderByMx(exchange) ? null : findServiceByMxHost(exchange)
}

/**
 * The service that has its Return-Path at the domain, below that of its From addresses: it sends
 * nothing from there.
 */
export function findReturnPathService({
  domain,
  mx,
}: Pick<StreamFacts, 'domain' | 'mx'>): MailService | null {
  if (registrableDomain(domain) === domain) return null
  const [service = null, ...others] = mx.targets.map((target) => {
    const found = findBounceService(target.exchange)
    const isReturnPath = found?.setup.returnPath?.some(
      ({ type, value }) =>
        type === 'MX' && readTemplate(value.replace(/^\d+ /, ''), target.exchange) !== null,
    )
    return found?.returnPathAtRoot === 'never' && isReturnPath ? found : null
  })
  return others.every((other) => other === service) ? service : null
}

const MICROSOFT = 'microsoft365'
const MICROSOFT_AT_GODADDY = 'godaddy-m365'

/** Microsoft 365 from GoDaddy has the mail servers of Microsoft and the SPF include of GoDaddy. */
function soldBy(provider: MailService, { spf }: StreamFacts): MailService {
  if (provider.id !== MICROSOFT) return provider
  const texts = spf.txtRecords.map(joinStrings)
  const named = listSpfSenders(spf)
  const isGoDaddy =
    texts.some((text) => /^NETORG/i.test(text)) ||
    (named.some(({ via }) => /\bsecureserver\.net$/i.test(via)) &&
      !named.some(({ id }) => id === MICROSOFT))
  return (isGoDaddy && findProviderById(MICROSOFT_AT_GODADDY)) || provider
}

export function isMailboxHost({ id }: Pick<MailService, 'id'>): boolean {
  return MAILBOX_IDS.has(id)
}

/** Without MX and address, the only mailbox provider named in SPF most likely receives the mail. */
export function guessMailboxProviders(
  { mx }: StreamFacts,
  named: SpfReport['senders'],
): MailboxProvidersInUse {
  if (mx.targets.length > 0 || mx.domainAddresses.length > 0) return []
  const likely = named.flatMap(({ id, via }) => {
    const provider = MAILBOX_PROVIDERS.find((each) => each.id === id)
    const receives = provider && provider.kind !== 'gateway' && provider.setup.mx.length > 0
    return receives ? [{ entry: provider, evidence: via }] : []
  })
  return likely.length === 1 ? likely : []
}

/** `setUpAt` is the name below the domain that the service signs for; absent for the domain itself. */
type Evidence = readonly [
  MailService | null,
  evidence: string,
  inUse: InUse,
  setUpAt?: string | undefined,
]

/** The ids of the services that records other than SPF show to be in use. */
export function visibleServiceIds(
  facts: StreamFacts,
  mailboxProviders: MailboxProvidersInUse,
  { uses }: OwnerAnswers,
): ReadonlySet<string> {
  const shown = [...keyEvidence(facts), ...bounceEvidence(facts), ...belowEvidence(facts)]
  const inUse = shown.flatMap(([service, , use]) => (service && use === 'yes' ? [service.id] : []))
  return new Set([...mailboxProviders.map(({ entry }) => entry.id), ...inUse, ...uses])
}

export function detectSenders(
  facts: StreamFacts,
  named: SpfReport['senders'],
  mailboxProviders: MailboxProvidersInUse,
  { uses, unused }: OwnerAnswers,
): SenderInUse[] {
  const [provider] = mailboxProviders
  const hasMailboxes = provider !== undefined && provider.entry.kind === 'mailbox'
  const isForwarded = provider?.entry.kind === 'forwarder'
  const providerIds = new Set(mailboxProviders.map(({ entry }) => entry.id))
  // Mail is delivered elsewhere, so these mailboxes may be a thing of the past.
  const isOtherMailbox = (service: MailService | null) =>
    service !== null && hasMailboxes && isMailboxHost(service) && !providerIds.has(service.id)
  // A provider may send through another service, which is then no sender of its own.
  const required = new Set(
    mailboxProviders.flatMap(({ entry }) => entry.setup.spf.flatMap(({ terms }) => terms)),
  )
  const below = belowEvidence(facts)
  const returnPath = findReturnPathService(facts)
  // A token or a host for links belongs to the name below the domain that the service is set up for.
  const isElsewhere = ([service, , , setUpAt]: Evidence) =>
    setUpAt === undefined &&
    below.some(([other, , , name]) => other === service && name !== undefined)
  const all: Evidence[] = [
    ...uses.flatMap((id) => ownerEvidence(id, below, facts)),
    ...mailboxProviders.map(
      ({ entry, evidence }) => [findServiceById(entry.id), evidence, 'yes'] as const,
    ),
    ...[...named, ...listServerSenders(facts.spf)]
      .filter(({ id, via }) => providerIds.has(id) || !required.has(via))
      .filter(({ id }) => id !== returnPath?.id)
      .map(({ id, via }) => {
        const service = findServiceById(id)
        const isNeedless = service?.returnPathAtRoot === 'never'
        // Most likely for “Send mail as” in a private mailbox, whose mail never passes.
        const isSendAs = service !== null && isForwarded && isMailboxHost(service)
        const isUnsure = isOtherMailbox(service) || isNeedless || isSendAs
        return [service, via, isUnsure ? 'unsure' : 'likely'] as const
      })
      // An include at the domain may be a leftover of a service that signs for a name below it.
      .filter(([service]) => !signsBelow(service, facts)),
    ...keyEvidence(facts).map(([service, evidence, inUse]): Evidence => {
      return [service, evidence, isOtherMailbox(service) ? 'unsure' : inUse]
    }),
    ...(returnPath ? [] : bounceEvidence(facts)),
    ...below.filter((each) => !isElsewhere(each) || each[0]?.returnPathAtRoot === 'never'),
    ...textEvidence(facts, provider?.entry.kind === 'gateway').filter((each) => !isElsewhere(each)),
  ]
  const found = new Map<string, SenderInUse>()
  for (const [service, evidence, inUse, setUpAt = null] of all) {
    // A forwarder sends only for customers who say so.
    const isSender = service?.kind !== 'forwarder' || uses.includes(service.id)
    if (!service || !isSender || unused.includes(service.id)) continue
    const place = `${service.id} ${setUpAt ?? ''}`
    const before = found.get(place)
    const others = (before?.shownBy ?? []).filter((each) => each !== evidence)
    const isStronger = !before || IN_USE.indexOf(inUse) < IN_USE.indexOf(before.inUse)
    found.set(
      place,
      isStronger
        ? { entry: service, evidence, inUse, setUpAt, shownBy: [evidence, ...others] }
        : { ...before, shownBy: [...others, evidence] },
    )
  }
  const senders = [...found.values()]
  return senders.filter(({ entry }) => !isResold(entry, senders))
}

/** A service that signs only below the domain is in use where it does. */
function ownerEvidence(id: string, below: readonly Evidence[], facts: StreamFacts): Evidence[] {
  const service = findServiceById(id)
  const evidence = `uses=${id}`
  const isBelow =
    service !== null && (findSigningLabel(service) !== null || signsBelow(service, facts))
  const names = below.flatMap(([other, , , name]) =>
    isBelow && other === service && name !== undefined ? [name] : [],
  )
  const places = names.map((name): Evidence => [service, evidence, 'yes', name])
  return places.length > 0 ? places : [[service, evidence, 'yes']]
}

function signsBelow(service: MailService | null, { below }: StreamFacts): boolean {
  return below.names.some(
    (each) =>
      (each.service === service && each.signs) ||
      each.included.some((other) => other.service === service && other.signs === 'yes'),
  )
}

/**
 * Whether another service sends through it with its keys. Microsoft 365 itself is not a second
 * service beside the one that GoDaddy sells, nor is Amazon SES beside WorkMail.
 */
function isResold(service: MailService, all: readonly SenderInUse[]): boolean {
  return all.some(({ entry }) => {
    const keysOf = entry.setup.dkim?.keysOf
    if (keysOf === undefined || entry.id === service.id) return false
    return keysOf === service.id || ownersOfTerms(entry).includes(service.id)
  })
}

/** Keys by the target of their CNAME, or by a selector that no other service uses. */
function keyEvidence({ dkim }: StreamFacts): Evidence[] {
  // Nothing signs with a revoked key; behind a CNAME, a service may revoke it for a rotation.
  const shown = dkim.keys.filter(({ revoked, cnames }) => !revoked || cnames.length > 0)
  const keys = shown.map((key): Evidence => {
    const { name, cnames, valid } = key
    const evidence = cnames[0] ? `${name} CNAME ${cnames[0]}` : `${name} TXT`
    return [findOwnerOfKey(key), evidence, valid ? 'yes' : 'unsure']
  })
  const dangling = dkim.danglingCnames.map(({ name, cnames, provider }): Evidence => {
    return [provider && findServiceById(provider.id), `${name} CNAME ${cnames[0]}`, 'unsure']
  })
  return [...keys, ...dangling]
}

/** Mail servers of the domain that belong to a sending service. */
function bounceEvidence({ mx }: StreamFacts): Evidence[] {
  return mx.targets.map(({ exchange }) => [findBounceService(exchange), `MX ${exchange}`, 'yes'])
}

/** Names that a service uses for its mail. */
function belowEvidence({ below, dkim }: StreamFacts): Evidence[] {
  if (below.names.length === 0) return []
  const resend = findServiceById('resend')
  const hasResend = dkim.keys.some((key) => findOwnerOfKey(key) === resend)
  const labels = resend?.setup.returnPath?.map(({ label }) => label) ?? []
  // Resend takes bounces at the hosts of Amazon SES.
  const ownerOf = (service: MailService | null, name: string) =>
    hasResend && service?.id === 'ses' && labels.some((label) => name.startsWith(`${label}.`))
      ? resend
      : service
  return below.names
    .filter(({ name }) => !isAutodiscover(name))
    .flatMap((each): Evidence[] => {
      const { name, service, included, evidence } = each
      const setUpAt = isBounceName(name) ? undefined : name
      return [
        [ownerOf(service, name), evidence, 'yes', isSetUpAt(each) ? name : undefined],
        ...included.map(
          ({ service: named, evidence: record, signs }): Evidence => [
            ownerOf(named, name),
            record,
            signs === 'yes' ? 'yes' : 'likely',
            setUpAt,
          ],
        ),
      ]
    })
}

/** Whether the service signs for the name; a name for bounces alone leaves its keys at the domain. */
function isSetUpAt({ service, sends, signs }: NameBelow): boolean {
  return service?.returnPathAtRoot === 'never' ? signs : sends
}

/** No one sends from such a name: the address in From is at the domain. */
export function isBounceName(name: string): boolean {
  return /^(?:pm-)?bounces?\./.test(name)
}

function isAutodiscover(name: string): boolean {
  return name.startsWith('autodiscover.')
}

/** Ownership tokens show an account, and behind a gateway where the mailboxes are. */
function textEvidence({ spf, below }: StreamFacts, isBehindGateway: boolean): Evidence[] {
  const inUse = isBehindGateway ? 'likely' : 'unsure'
  const tokens = spf.txtRecords
    .map(joinStrings)
    .flatMap((text) => findServicesByText(text).map((service) => [service, text] as const))
    .map(([service, text]): Evidence => {
      return [service, `TXT ${text}`, isMailboxHost(service) ? inUse : 'unsure']
    })
  const autodiscover = below.names
    .filter(({ name }) => isAutodiscover(name))
    .map(({ service, evidence }): Evidence => [service, evidence, inUse])
  const accounts = below.accounts.map(({ service, evidence }): Evidence => {
    return [service, evidence, 'unsure']
  })
  return [...autodiscover, ...tokens, ...accounts]
}

export function dedupe<Entry>(
  all: readonly (readonly [Entry | null, string])[],
): DetectedService<Entry>[] {
  const services = new Map<Entry, DetectedService<Entry>>()
  for (const [entry, evidence] of all) {
    if (entry && !services.has(entry)) services.set(entry, { entry, evidence })
  }
  return [...services.values()]
}

const SPF_TERM = /^[+?~-]?(?:include:|redirect=)/i

export function isNamedInSpf({ shownBy }: Pick<SenderInUse, 'shownBy'>): boolean {
  return shownBy.some((evidence) => SPF_TERM.test(evidence))
}
