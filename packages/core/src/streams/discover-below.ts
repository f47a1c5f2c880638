/** Looks below a domain for names that send mail, and for services that other records show. */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import {
  findServiceByCname,
  findServiceByMxHost,
  findServiceBySpfHost,
  findTenants,
  type MailService,
} from '../catalog/mail-services.js'
import { hasPlaceholder } from '../catalog/record-template.js'
import { isUnavailable } from '../checks/check-result.js'
import { type QueriedStep, queryWalkStep } from '../checks/dmarc/tree-walk.js'
import { replaceMacros } from '../checks/spf/domain-spec.js'
import { isSpfRecord, namingTerms, parseSpf, type SpfRecord } from '../checks/spf/spf-record.js'
import { readTxtRecords } from '../checks/txt-records.js'
import { MAX_DOMAIN_LENGTH } from '../names/host-problem.js'
import { type AccountShown, discoverAccounts } from './discover-accounts.js'
import type { Signs } from './key-owners.js'
import { isSameText, type WildcardAnswers } from './wildcard-answers.js'

/** Where no one sends from: mail that could not be delivered comes back there. */
export const BOUNCE_LABELS = ['bounce', 'bounces', 'pm-bounces'] as const

/** Where services and owners most often put a sending subdomain or a bounce domain. */
const SENDING_LABELS = [
  'mail',
  'email',
  'em',
  'e',
  'm',
  'send',
  'rsend',
  'news',
  'newsletter',
  'marketing',
  'mg',
  'mailgun',
  ...BOUNCE_LABELS,
  'notify',
  'notifications',
  'support',
  'reply',
  'updates',
] as const

/** A name below the domain that sends, or that a service uses. */
export interface NameBelow {
  readonly name: string
  /** It has SPF senders or DKIM keys of its own, or mail servers that SPF says nothing about. */
  readonly sends: boolean
  /** Mail servers are all that it has, so it may only receive. */
  readonly mayOnlyReceive: boolean
  /** It has DKIM keys of its own. */
  readonly signs: boolean
  /** Its mail server or CNAME leads to it. */
  readonly service: MailService | null
  /** Other services that its SPF record names. */
  readonly included: readonly IncludedService[]
  /** The target of its CNAME; null without one. */
  readonly target: string | null
  /** Its own DMARC record, if it has one. */
  readonly dmarc: QueriedStep
  /** The record that shows it. */
  readonly evidence: string
}

/** Receivers apply its own DMARC record, not that of the domain. */
export function hasOwnDmarc({ dmarc }: Pick<NameBelow, 'dmarc'>): boolean {
  return !isUnavailable(dmarc) && dmarc.records.length === 1
}

interface IncludedService {
  readonly service: MailService
  /** Whether it has a key at the name. */
  readonly signs: Signs
  /** The SPF record. */
  readonly evidence: string
}

export interface BelowFacts {
  readonly names: readonly NameBelow[]
  /** Names that could not be looked up. */
  readonly failed: readonly string[]
  /** The other names that were looked up. */
  readonly answered: readonly string[]
  /** Services that websites and verifications show. */
  readonly accounts: readonly AccountShown[]
}

/** Where names below the domain are not looked up. */
export const NOTHING_BELOW: BelowFacts = { names: [], failed: [], answered: [], accounts: [] }

export async function discoverBelow(
  dns: Dns,
  domain: string,
  wildcard: WildcardAnswers,
): Promise<BelowFacts> {
  const names = [...SENDING_LABELS, 'autodiscover']
    .map((label) => `${label}.${domain}`)
    .filter((name) => name.length <= MAX_DOMAIN_LENGTH)
  const [found, accounts] = await Promise.all([
    Promise.all(names.map((name) => inspectName(dns, domain, name, wildcard))),
    discoverAccounts(dns, domain, wildcard),
  ])
  return {
    names: found.flatMap((each) => (each && each !== 'failed' ? [each] : [])),
    failed: names.filter((_, index) => found[index] === 'failed'),
    answered: names.filter((_, index) => found[index] !== 'failed'),
    accounts,
  }
}

async function inspectName(
  dns: Dns,
  domain: string,
  name: string,
  wildcard: WildcardAnswers,
): Promise<NameBelow | 'failed' | null> {
  const txt = await dns.query(name, 'TXT')
  if (txt.kind === 'failed') return 'failed'
  if (isSameText(txt, wildcard.txt)) return null
  const [target] = txt.cnames
  if (target !== undefined) return inspectAlias(dns, domain, { name, cnames: txt.cnames }, wildcard)
  // RFC 8020: nothing exists at or below the name.
  if (txt.kind === 'nxdomain') return null
  const [mx, signs, dmarc] = await Promise.all([
    dns.query(name, 'MX'),
    hasKeys(dns, name, wildcard),
    queryWalkStep(dns, name),
  ])
  const text = readTxtRecords(txt).find(isSpfRecord)
  const spf = text === undefined ? null : parseSpf(text)
  const namesSenders = spf !== null && namingTerms(spf).length > 0
  const servers = listServers(mx).filter((host) => !listServers(wildcard.mx).includes(host))
  const [server] = servers
  const host = servers.map(findServiceByMxHost).find((each) => each !== null) ?? null
  if (!namesSenders && !server && !signs) return null
  const service = await findTenant(dns, name, host, signs)
  const named = spf ? findIncludedServices(spf) : []
  const others = named.filter((each) => each !== host && each !== service)
  const included = await Promise.all(
    others.map(async (each) => ({
      service: each,
      signs: await findSignsAt(dns, name, each, { signs, wildcard }),
      evidence: `${name} TXT ${text}`,
    })),
  )
  const evidence = server
    ? `${name} MX ${server}`
    : namesSenders
      ? `${name} TXT ${text}`
      : `_domainkey.${name}`
  const shown = namesSenders || signs || service !== null
  return {
    name,
    sends: shown || spf === null,
    mayOnlyReceive: !shown,
    signs,
    service,
    included,
    target: null,
    dmarc,
    evidence,
  }
}

function listServers(mx: DnsAnswer<'MX'>): string[] {
  const exchanges = mx.kind === 'records' ? mx.records.map(({ exchange }) => exchange) : []
  return exchanges.filter((exchange) => exchange !== '.')
}

/** Sending services that the record names. A mailbox provider passes by SPF there. */
function findIncludedServices({ terms }: SpfRecord): MailService[] {
  const services = terms.flatMap((term) => {
    const target = term.kind === 'include' || term.kind === 'redirect' ? term.target : null
    return (target && findServiceBySpfHost(replaceMacros(target))) ?? []
  })
  return [...new Set(services)].filter(({ kind }) => kind === 'sender')
}

/** By its own selectors where they are known; otherwise any key at the name may be its key. */
async function findSignsAt(
  dns: Dns,
  name: string,
  { setup, selectors }: MailService,
  { signs, wildcard }: { readonly signs: boolean; readonly wildcard: WildcardAnswers },
): Promise<Signs> {
  if (!signs) return wildcard.txt.kind === 'nxdomain' ? 'no' : 'unknown'
  const required = setup.dkim?.records.map(({ selector }) => selector) ?? []
  const isKnown = required.length > 0 && !required.some(hasPlaceholder)
  if (!isKnown || setup.dkim?.selectorIsChosen) return 'yes'
  const answers = await Promise.all(
    [...new Set([...required, ...selectors])].map((selector) =>
      dns.query(`${selector}._domainkey.${name}`, 'TXT'),
    ),
  )
  if (answers.some(({ kind, cnames }) => kind === 'records' || cnames.length > 0)) return 'yes'
  return answers.some(({ kind }) => kind === 'failed') ? 'unknown' : 'no'
}

/** A CNAME to a service, such as its bounce or tracking host. Keys can exist below it. */
async function inspectAlias(
  dns: Dns,
  domain: string,
  { name, cnames }: { readonly name: string; readonly cnames: readonly string[] },
  wildcard: WildcardAnswers,
): Promise<NameBelow | null> {
  const host = cnames.map(findServiceByCname).find((each) => each !== null) ?? null
  if (!host) return null
  const [signs, dmarc] = await Promise.all([hasKeys(dns, name, wildcard), queryWalkStep(dns, name)])
  const [target = ''] = cnames
  const service = signs
    ? await findTenant(dns, name, host, signs)
    : await findTenantOfAccount(dns, domain, host, target)
  const evidence = `${name} CNAME ${target}`
  const found = { name, signs, service, target, dmarc, evidence }
  return { ...found, sends: signs, mayOnlyReceive: false, included: [] }
}

/** Whose name at the host it is: that of another service if its keys are there. */
async function findTenant(
  dns: Dns,
  name: string,
  host: MailService | null,
  signs: boolean,
): Promise<MailService | null> {
  for (const { service, selectors } of host && signs ? findTenants(host) : []) {
    const answers = await Promise.all(
      selectors.map((selector) => dns.query(`${selector}._domainkey.${name}`, 'TXT')),
    )
    if (answers.some(({ kind, cnames }) => kind === 'records' || cnames.length > 0)) return service
  }
  return host
}

/** The same where the keys of the account that the name points to are at the domain. */
async function findTenantOfAccount(
  dns: Dns,
  domain: string,
  host: MailService,
  account: string,
): Promise<MailService> {
  for (const { service, selectors } of findTenants(host)) {
    const answers = await Promise.all(
      selectors.map((selector) => dns.query(`${selector}._domainkey.${domain}`, 'TXT')),
    )
    const targets = answers.flatMap(({ cnames }) => cnames)
    if (targets.some((target) => target.endsWith(`.${account}`))) return service
  }
  return host
}

/** Below a wildcard every name exists, so this one would prove nothing. */
async function hasKeys(dns: Dns, name: string, wildcard: WildcardAnswers): Promise<boolean> {
  if (wildcard.txt.kind !== 'nxdomain') return false
  const { kind } = await dns.query(`_domainkey.${name}`, 'TXT')
  return kind === 'records' || kind === 'nodata'
}
