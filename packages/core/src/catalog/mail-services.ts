/**
 * Mailbox providers and senders, found by the records that name them.
 *
 * Some send through the servers of another. An include then belongs to the owner of the host:
 * `amazonses.com` is Amazon SES, not Resend.
 */
export type { MailService } from './service-schema.js'

import { findSpfHost } from './dmarc-services.js'
import { LISTS } from './generated/lists.js'
import { SERVICES } from './generated/services.js'
import { createHostMatcher, normalizeHost } from './host-pattern.js'
import type { MailService } from './service-schema.js'

/** A mailbox host, a gateway in front of one, or a forwarder. */
export type MailboxProvider = MailService & {
  readonly kind: Exclude<MailService['kind'], 'sender'>
}

export const MAILBOX_PROVIDERS = SERVICES.filter(isMailboxProvider)

/** Services that send mail for their customers: campaigns, receipts, tickets, signatures. */
export const SENDERS = SERVICES.filter(({ kind }) => kind === 'sender')

/** Mailbox providers first. */
export const ALL_SERVICES: readonly MailService[] = SERVICES

const byId = new Map(SERVICES.map((service) => [service.id, service]))
const selectorPatterns = new Map(
  SERVICES.flatMap(({ id, selectorPattern }) =>
    selectorPattern === undefined ? [] : [[id, new RegExp(selectorPattern)] as const],
  ),
)
const TEXTS = SERVICES.flatMap((service) =>
  (service.evidence.texts ?? []).map((text) => ({ prefix: text.toLowerCase(), service })),
)
const byProviderMx = createHostMatcher(MAILBOX_PROVIDERS, ({ mx }) => mx)
const bySpfHost = createHostMatcher(SERVICES, ({ spf }) => spf)
const byDkimTarget = createHostMatcher(SERVICES, ({ dkimTargets }) => dkimTargets)
const byCname = createHostMatcher(SERVICES, ({ evidence, dkimTargets }) => [
  ...new Set([...(evidence.cnameTargets ?? []), ...dkimTargets]),
])
const byWebTarget = createHostMatcher(SENDERS, ({ evidence }) => evidence.webTargets ?? [])
const byMxHost = createHostMatcher(SENDERS, ({ evidence }) => evidence.mxHosts ?? [])

function isMailboxProvider(service: MailService): service is MailboxProvider {
  return service.kind !== 'sender'
}

/** The provider that runs a mail server; null when unknown. */
export function findProviderByMx(host: string): MailboxProvider | null {
  return byProviderMx(host)
}

/** Null when unknown. */
export function findProviderById(id: string): MailboxProvider | null {
  const service = findServiceById(id)
  return service && isMailboxProvider(service) ? service : null
}

/** What its customers put into SPF; it may depend on the mail servers. Empty when unknown. */
export function findProviderTerms(
  { setup }: Pick<MailService, 'setup'>,
  hosts: readonly string[],
): readonly string[] {
  const isUnder = (pattern: string) =>
    hosts.some((host) => host === pattern || host.endsWith(`.${pattern}`))
  return setup.spf.find(({ forMx }) => forMx === undefined || isUnder(forMx))?.terms ?? []
}

/** Selectors that no other service uses, so the key belongs to the forwarder wherever its MX is. */
const FORWARDERS_BY_SELECTOR: Readonly<Record<string, string>> = {
  'cf2024-1': 'cloudflare',
  dkimprovmx1: 'improvmx',
  dkimprovmx2: 'improvmx',
}

/** The forwarder whose own selector this is; null for all other selectors. */
export function findForwarderBySelector(selector: string): MailService | null {
  const id = Object.hasOwn(FORWARDERS_BY_SELECTOR, selector) && FORWARDERS_BY_SELECTOR[selector]
  return id ? findServiceById(id) : null
}

export function isForwarder(id: string): boolean {
  return findServiceById(id)?.kind === 'forwarder'
}

/**
 * The service that an `include:` or `redirect=` of this host authorizes; null when unknown, and for
 * the host of a record that only names other services.
 */
export function findServiceBySpfHost(host: string): MailService | null {
  return findSpfHost(host) ? null : bySpfHost(normalizeHost(host))
}

/** The service that hosts the key at a selector's CNAME target; null when unknown. */
export function findServiceByDkimTarget(host: string): MailService | null {
  return byDkimTarget(normalizeHost(host))
}

/** The service that a CNAME below the domain points to, for keys, bounces or links. */
export function findServiceByCname(target: string): MailService | null {
  return byCname(normalizeHost(target))
}

/** The service whose website a name such as `www` is; its mail may still not use the domain. */
export function findServiceByWebTarget(target: string): MailService | null {
  return byWebTarget(normalizeHost(target))
}

/** The sender whose bounces a mail server below the domain receives; not for the domain's own MX. */
export function findServiceByMxHost(host: string): MailService | null {
  return byMxHost(normalizeHost(host))
}

/** The services that ask for a TXT record which begins like this one. */
export function findServicesByText(text: string): readonly MailService[] {
  const lower = text.toLowerCase()
  return TEXTS.filter(({ prefix }) => lower.startsWith(prefix)).map(({ service }) => service)
}

/** The labels below a domain at which services verify an account. */
export const TEXT_LABELS = SERVICES.flatMap((service) =>
  (service.evidence.textLabels ?? []).map((label) => ({ label, service })),
)

/** The services that send through the hosts of this one, with their selectors there. */
export function findTenants({ id }: Pick<MailService, 'id'>) {
  return SERVICES.flatMap((service) => {
    const { namesAt } = service.evidence
    return namesAt?.service === id ? [{ service, selectors: namesAt.selectors }] : []
  })
}

/** The only label below a domain that the service signs for; null for all other services. */
export function findSigningLabel({ setup }: MailService): string | null {
  const [label, ...others] = new Set(setup.dkim?.records.map(({ below = '' }) => below))
  return label && others.length === 0 && !/[{}]/.test(label) ? label : null
}

/** It proves nothing about the signer. */
export function isSelectorOfAnyone(selector: string): boolean {
  return LISTS.dkimSelectors.ofAnyone.includes(selector.toLowerCase())
}

/** The only service that uses this selector; null if others use it, too. */
export function findServiceBySelector(selector: string): MailService | null {
  const name = selector.toLowerCase()
  if (isSelectorOfAnyone(name)) return null
  const [service, ...others] = ALL_SERVICES.filter((each) => usesSelector(each, name))
  return service && others.length === 0 ? service : null
}

/** A service has its keys there, though several may. Nobody else would choose the name. */
export function isSelectorOfService(selector: string): boolean {
  const name = selector.toLowerCase()
  const { common, generic } = LISTS.dkimSelectors
  const isListed = common.includes(name) || generic.includes(name)
  return (
    !isSelectorOfAnyone(name) && (isListed || ALL_SERVICES.some((each) => hasKeyAt(each, name)))
  )
}

/** Its key is there, or was in former times. */
export function hasKeyAt(service: MailService, selector: string): boolean {
  const name = selector.toLowerCase()
  const { records = [], formerTextSelectors = [] } = service.setup.dkim ?? {}
  return (
    usesSelector(service, name) ||
    formerTextSelectors.includes(name) ||
    records.some(({ selector }) => selector === name)
  )
}

function usesSelector({ id, selectors }: MailService, name: string): boolean {
  return selectors.includes(name) || (selectorPatterns.get(id)?.test(name) ?? false)
}

/** The service that publishes the DMARC record at this CNAME target for all its customers. */
export function findServiceByDmarcTarget(target: string): MailService | null {
  const host = normalizeHost(target)
  return (
    ALL_SERVICES.find(
      ({ defaultDmarc }) => defaultDmarc?.type === 'CNAME' && defaultDmarc.values.includes(host),
    ) ?? null
  )
}

/** A value for the service's records that the host of its include shows, such as an account number. */
export function readIncludedToken(
  { setup }: MailService,
  host: string,
): { readonly token: string; readonly value: string } | null {
  const { token = '', pattern = '' } = setup.dkim?.tokenInInclude ?? {}
  const value = token && new RegExp(pattern).exec(host)?.[1]
  return value ? { token, value } : null
}

/**
 * The services no longer used whose includes nobody else needs. Azure Communication Services needs
 * the include of Microsoft 365, through which it sends.
 */
export function findOwnersWithoutUse(
  unused: readonly string[],
  inUse: Iterable<string>,
): ReadonlySet<string> {
  const needed = [...inUse]
    .filter((id) => !unused.includes(id))
    .flatMap((id) => findServiceById(id) ?? [])
    .flatMap(ownersOfTerms)
  return new Set(unused.filter((id) => !needed.includes(id)))
}

/** The services to which the SPF terms lead that customers of this one publish. */
export function ownersOfTerms({ setup }: MailService): string[] {
  const terms = setup.spf.flatMap((row) => row.terms)
  return terms.flatMap((term) => findServiceBySpfHost(term.replace(/^[a-z]+:/, ''))?.id ?? [])
}

/** Ids are unique across mailbox providers and senders. */
export function findServiceById(id: string): MailService | null {
  return byId.get(id) ?? null
}

/**
 * Whether its include has no effect in the record of the domain. Some services check for theirs
 * nevertheless, and then it has to stay.
 */
export function hasUselessInclude({ returnPathAtRoot, setup }: MailService): boolean {
  return returnPathAtRoot === 'never' && setup.spf.length === 0
}

/** `Mailchimp: Website > Domains`, with the month in which the path was last confirmed. */
export function describeScreen({ name, setup }: Pick<MailService, 'name' | 'setup'>): string {
  const { screen } = setup.dkim ?? {}
  if (!screen) return `${name}: the DKIM or domain settings`
  const path = screen.path.startsWith(name) ? screen.path : `${name}: ${screen.path}`
  return `${path}${screen.confirmed ? ` (as of ${screen.confirmed})` : ''}`
}
