/**
 * The DKIM keys of a domain. DNS cannot list selectors, so common ones are tried, and random names
 * are queried to detect wildcards.
 */
import { type Dns, type DnsAnswer, type DnsQuery, type Mx, queryAll } from '@mailgrade/doh/dns'
import { LISTS } from '../../catalog/generated/lists.js'
import { findServicesByText, type MailService } from '../../catalog/mail-services.js'
import type { DomainName } from '../../names/domain-name.js'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { type Discovery, dnsUnavailable, isNonexistent, unavailabilityOf } from '../check-result.js'
import { readTxtRecords } from '../txt-records.js'
import type { DkimFacts } from './dkim-facts.js'
import {
  excludeWildcardAnswers,
  findDanglingCnames,
  findKeys,
  findWildcardKeys,
  isAnswered,
  type SelectorAnswer,
} from './selector-answers.js'
import {
  declaresNoMail,
  findMailboxProviders,
  findNamedHosts,
  type NamedHost,
  selectorsBehind,
} from './sender-hints.js'

/**
 * DNS cannot list the selectors of a domain (RFC 6376 §3.1 leaves them to the signer), so keys can
 * only be found by trying names.
 */
const { common: COMMON_SELECTORS, generic: GENERIC_SELECTORS } = LISTS.dkimSelectors

export interface DkimOptions {
  /** The only one to query; without it, common selectors are tried. */
  readonly selector?: string | undefined
  /** To query in addition to the common ones; each must be answered. */
  readonly alsoSelectors?: readonly string[] | undefined
  /** An unpredictable label, to detect wildcards. */
  readonly randomLabel: () => string
}

export function discoverDkim(
  dns: Dns,
  domain: DomainName,
  { selector, alsoSelectors = [], randomLabel }: DkimOptions,
): Promise<Discovery<DkimFacts>> {
  return selector === undefined
    ? discoverCommonSelectors(dns, domain, [...new Set(alsoSelectors)], randomLabel)
    : discoverRequestedSelector(dns, domain, selector)
}

async function discoverCommonSelectors(
  dns: Dns,
  domain: DomainName,
  alsoSelectors: readonly string[],
  randomLabel: () => string,
): Promise<Discovery<DkimFacts>> {
  const domainKey = `_domainkey.${domain}`
  const siblingName = `${randomLabel()}.${domain}`
  const isGiven = ({ selector }: SelectorAnswer) => alsoSelectors.includes(selector)
  const initial = COMMON_SELECTORS.filter((selector) => fitsInName(selector, domainKey))
  const selectorsToTry = new Set([...alsoSelectors, ...initial])
  const [mx, txt, parent, sibling, answers] = await Promise.all([
    dns.query(domain, 'MX'),
    dns.query(domain, 'TXT'),
    dns.query(domainKey, 'TXT'),
    dns.query(siblingName, 'TXT'),
    querySelectors(dns, domainKey, [randomLabel(), ...selectorsToTry]),
  ])
  const [wildcardProbe, ...first] = answers as [SelectorAnswer, ...SelectorAnswer[]]
  if (mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  if (isNonexistent(mx)) return { kind: 'unknown-domain' }
  if (txt.kind === 'failed') return dnsUnavailable(domain, 'TXT', txt)
  for (const { name, answer } of first.filter(isGiven)) {
    if (answer.kind === 'failed') return dnsUnavailable(name, 'TXT', answer)
  }

  const servers = mxRecords(mx)
  const texts = readTxtRecords(txt)
  const providers = findMailboxProviders(servers)
  const named = await findHostsNamed(dns, domain, texts)
  const recognized = [
    ...providers.flatMap((provider) => provider.selectors),
    ...named.flatMap(selectorsBehind),
    // A service that sends through another has no include of its own.
    ...texts.flatMap(findServicesByText).flatMap((service) => service.selectors),
  ]
  // RFC 8020: nothing exists below a nonexistent name. The few selectors queried anyway catch
  // servers that wrongly deny a name with only names below it.
  const selectors = additionalSelectors(domainKey, recognized, !isNonexistent(parent)).filter(
    (selector) => !alsoSelectors.includes(selector),
  )
  const tried = [...first, ...(await querySelectors(dns, domainKey, selectors))]
  const probes = [
    { name: domainKey, answer: parent },
    { name: siblingName, answer: sibling },
    wildcardProbe,
  ]
  return {
    kind: 'facts',
    facts: {
      domain,
      requestedSelector: null,
      alsoSelectors,
      wildcard: isAnswered(wildcardProbe),
      wildcardKeys: findWildcardKeys(wildcardProbe, domainKey),
      domainKeyState: determineDomainKeyState(parent, sibling),
      sendsNoMail: declaresNoMail(servers, texts),
      ...readAnswers({
        providers,
        tried,
        significant: excludeWildcardAnswers(tried, wildcardProbe, isGiven),
        probes,
      }),
    },
  }
}

/** More than SPF allows to follow (RFC 7208 §4.6.4). */
const MAX_CONTINUED = 10

/** The hosts in the SPF record of the domain, and in the records that it continues in. */
async function findHostsNamed(
  dns: Dns,
  domain: string,
  texts: readonly string[],
): Promise<NamedHost[]> {
  const read = new Set([domain])
  const found: NamedHost[] = []
  let open = texts
  while (open.length > 0) {
    const named = findNamedHosts(open, domain)
    found.push(...named)
    const next = named
      .flatMap(({ host, continues }) => (continues && !read.has(host) ? [host] : []))
      .slice(0, MAX_CONTINUED + 1 - read.size)
    for (const host of next) read.add(host)
    const answers = await Promise.all(next.map((host) => dns.query(host, 'TXT')))
    open = answers.flatMap((each) => (each.kind === 'failed' ? [] : readTxtRecords(each)))
  }
  return found
}

async function discoverRequestedSelector(
  dns: Dns,
  domain: DomainName,
  selector: string,
): Promise<Discovery<DkimFacts>> {
  const [mx, answered] = await Promise.all([
    dns.query(domain, 'MX'),
    querySelector(dns, `_domainkey.${domain}`, selector),
  ])
  if (mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  if (isNonexistent(mx)) return { kind: 'unknown-domain' }
  if (answered.answer.kind === 'failed') {
    return dnsUnavailable(answered.name, 'TXT', answered.answer)
  }
  // Receivers query this selector and accept a wildcard's key, so wildcards do not matter here.
  const providers = findMailboxProviders(mxRecords(mx))
  const answers = { providers, tried: [answered], significant: [answered], probes: [] }
  return {
    kind: 'facts',
    facts: {
      domain,
      requestedSelector: selector,
      alsoSelectors: [],
      wildcard: null,
      wildcardKeys: [],
      domainKeyState: 'unproven',
      sendsNoMail: false,
      ...readAnswers(answers),
    },
  }
}

interface SelectorAnswers {
  readonly providers: readonly MailService[]
  readonly tried: readonly SelectorAnswer[]
  /** The answers that do not come from a wildcard. */
  readonly significant: readonly SelectorAnswer[]
  /** Queried only to detect wildcards and missing names. */
  readonly probes: readonly Omit<SelectorAnswer, 'selector'>[]
}

function readAnswers({ providers, tried, significant, probes }: SelectorAnswers) {
  const failed = [...probes, ...tried].filter(isFailed)
  // Of many selectors, few have anything.
  const answered = significant.filter(isAnswered)
  return {
    selectorsTried: tried.map(({ selector }) => selector),
    selectorsFailed: tried.filter(isFailed).map(({ selector }) => selector),
    failedNames: failed.map(({ name }) => name),
    failedBecause: unavailabilityOf(
      failed.flatMap(({ answer }) => (answer.kind === 'failed' ? [answer] : [])),
    ),
    keys: answered.flatMap((answer) => findKeys(answer, providers)),
    danglingCnames: answered.flatMap(findDanglingCnames),
    mailboxProviders: providers.filter(({ kind }) => kind === 'mailbox'),
  }
}

/**
 * A name that exists beside a random one that does not was created on purpose. If both exist, a
 * wildcard may answer, or a server that denies no name (RFC 9824), so nothing is proven.
 */
function determineDomainKeyState(
  parent: DnsAnswer,
  sibling: DnsAnswer,
): DkimFacts['domainKeyState'] {
  if (isNonexistent(parent)) return 'missing'
  return parent.kind !== 'failed' && isNonexistent(sibling) ? 'exists' : 'unproven'
}

async function querySelector(
  dns: Dns,
  domainKey: string,
  selector: string,
): Promise<SelectorAnswer> {
  const name = `${selector}.${domainKey}`
  return { selector, name, answer: await dns.query(name, 'TXT') }
}

async function querySelectors(
  dns: Dns,
  domainKey: string,
  selectors: readonly string[],
): Promise<SelectorAnswer[]> {
  const parent = `.${domainKey}`
  const queries = selectors.map(
    (selector): DnsQuery<'TXT'> => ({
      name: selector + parent,
      type: 'TXT',
    }),
  )
  const answers = await queryAll(dns, queries)
  return queries.map(({ name }, index) => ({
    selector: selectors[index] as string,
    name,
    answer: answers[index] as DnsAnswer<'TXT'>,
  }))
}

function isFailed({ answer }: Pick<SelectorAnswer, 'answer'>): boolean {
  return answer.kind === 'failed'
}

function mxRecords(mx: DnsAnswer<'MX'>): readonly Mx[] {
  return mx.kind === 'records' ? mx.records : []
}

/** Enough for all known selectors, and a limit on the queries for one domain. */
const MAX_SELECTORS = 110

/** The selectors to query next: those of recognized services, then the generic ones if useful. */
function additionalSelectors(
  domainKey: string,
  recognized: readonly string[],
  includeGeneric: boolean,
): string[] {
  const all = new Set([
    ...COMMON_SELECTORS,
    ...recognized,
    ...(includeGeneric ? GENERIC_SELECTORS : []),
  ])
  return [...all]
    .slice(COMMON_SELECTORS.length, MAX_SELECTORS)
    .filter((selector) => fitsInName(selector, domainKey))
}

function fitsInName(selector: string, domainKey: string): boolean {
  return selector.length + 1 + domainKey.length <= MAX_DOMAIN_LENGTH
}
