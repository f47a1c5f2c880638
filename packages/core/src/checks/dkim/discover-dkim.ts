/**
 * What the DNS says about a domain's DKIM keys. It cannot list them, so selectors are guessed, and
 * names that nobody uses are asked for to learn what an answer is worth.
 */
import type { Dns, DnsAnswer, Mx } from '@mailgrade/doh/dns'
import { COMMON_SELECTORS, GENERIC_SELECTORS } from '../../catalog/dkim-selectors.js'
import type { DomainName } from '../../names/domain-name.js'
import { MAX_DOMAIN_LENGTH } from '../../names/name-limits.js'
import { type Discovery, dnsUnavailable, isNonexistent } from '../check-result.js'
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
import { declaresNoMail, findIncludedSenders, findMailboxProviders } from './sender-hints.js'

export interface DkimOptions {
  /** The only one to ask for; without it, selectors are guessed. */
  readonly selector?: string | undefined
  /** A label that nobody can have foreseen. */
  readonly randomLabel: () => string
}

export function discoverDkim(
  dns: Dns,
  domain: DomainName,
  { selector, randomLabel }: DkimOptions,
): Promise<Discovery<DkimFacts>> {
  return selector === undefined
    ? discoverGuessed(dns, domain, randomLabel)
    : discoverNamed(dns, domain, selector)
}

async function discoverGuessed(
  dns: Dns,
  domain: DomainName,
  randomLabel: () => string,
): Promise<Discovery<DkimFacts>> {
  const domainKey = `_domainkey.${domain}`
  const siblingName = `${randomLabel()}.${domain}`
  const [mx, txt, parent, sibling, madeUp, first] = await Promise.all([
    dns.query(domain, 'MX'),
    dns.query(domain, 'TXT'),
    dns.query(domainKey, 'TXT'),
    dns.query(siblingName, 'TXT'),
    askFor(dns, domainKey, randomLabel()),
    askForAll(dns, domainKey, initialSelectors(domainKey)),
  ])
  if (mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  if (isNonexistent(mx)) return { kind: 'unknown-domain' }
  if (txt.kind === 'failed') return dnsUnavailable(domain, 'TXT', txt)

  const servers = serversOf(mx)
  const texts = readTxtRecords(txt)
  const services = [...findMailboxProviders(servers), ...findIncludedSenders(texts)]
  // RFC 8020: nothing is below a name that does not exist, and the few asked for anyway are there
  // to find the servers that deny a name which has only names below it.
  const selectors = additionalSelectors(domainKey, services, !isNonexistent(parent))
  const asked = [...first, ...(await askForAll(dns, domainKey, selectors))]
  const controls = [
    { name: domainKey, answer: parent },
    { name: siblingName, answer: sibling },
    madeUp,
  ]
  return {
    kind: 'facts',
    facts: {
      ...factsOf({ servers, asked, telling: excludeWildcardAnswers(asked, madeUp), controls }),
      domain,
      requestedSelector: null,
      wildcard: isAnswered(madeUp),
      wildcardKeys: findWildcardKeys(madeUp, domainKey),
      domainKeyState: existenceOf(parent, sibling),
      sendsNoMail: declaresNoMail(servers, texts),
    },
  }
}

async function discoverNamed(
  dns: Dns,
  domain: DomainName,
  selector: string,
): Promise<Discovery<DkimFacts>> {
  const [mx, asked] = await Promise.all([
    dns.query(domain, 'MX'),
    askFor(dns, `_domainkey.${domain}`, selector),
  ])
  if (mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  if (isNonexistent(mx)) return { kind: 'unknown-domain' }
  if (asked.answer.kind === 'failed') return dnsUnavailable(asked.name, 'TXT', asked.answer)
  // Receivers ask for this very selector and take a wildcard's key, so none is looked for here.
  const seen = { servers: serversOf(mx), asked: [asked], telling: [asked], controls: [] }
  return {
    kind: 'facts',
    facts: {
      ...factsOf(seen),
      domain,
      requestedSelector: selector,
      wildcard: null,
      wildcardKeys: [],
      domainKeyState: 'unproven',
      sendsNoMail: false,
    },
  }
}

interface Seen {
  readonly servers: readonly Mx[]
  readonly asked: readonly SelectorAnswer[]
  /** Those of them that say something of their selector. */
  readonly telling: readonly SelectorAnswer[]
  /** Asked only to know what answers are worth. */
  readonly controls: readonly Omit<SelectorAnswer, 'selector'>[]
}

function factsOf({ servers, asked, telling, controls }: Seen) {
  const providers = findMailboxProviders(servers)
  const mailboxProvider = providers.find((provider) => provider.kind === 'mailbox')
  return {
    selectorsTried: asked.map(({ selector }) => selector),
    selectorsFailed: asked.filter(isFailed).map(({ selector }) => selector),
    failedNames: [...controls, ...asked].filter(isFailed).map(({ name }) => name),
    keys: telling.flatMap((one) => findKeys(one, providers)),
    danglingCnames: telling.flatMap(findDanglingCnames),
    mailboxProvider: mailboxProvider
      ? { id: mailboxProvider.id, name: mailboxProvider.name }
      : null,
  }
}

/**
 * A name that is there while a made-up one beside it is not, is there for a reason. Where both are,
 * a wildcard may answer, or a server that denies no name (RFC 9824): nothing is proven.
 */
function existenceOf(parent: DnsAnswer, sibling: DnsAnswer): DkimFacts['domainKeyState'] {
  if (isNonexistent(parent)) return 'missing'
  return parent.kind !== 'failed' && isNonexistent(sibling) ? 'exists' : 'unproven'
}

async function askFor(dns: Dns, domainKey: string, selector: string): Promise<SelectorAnswer> {
  const name = `${selector}.${domainKey}`
  return { selector, name, answer: await dns.query(name, 'TXT') }
}

async function askForAll(
  dns: Dns,
  domainKey: string,
  selectors: readonly string[],
): Promise<SelectorAnswer[]> {
  const names = selectors.map((selector) => `${selector}.${domainKey}`)
  const answers = await Promise.all(names.map((name) => dns.query(name, 'TXT')))
  return answers.map((answer, index) => ({
    selector: selectors[index] ?? '',
    name: names[index] ?? '',
    answer,
  }))
}

function isFailed({ answer }: Pick<SelectorAnswer, 'answer'>): boolean {
  return answer.kind === 'failed'
}

function serversOf(mx: DnsAnswer<'MX'>): readonly Mx[] {
  return mx.kind === 'records' ? mx.records : []
}

/** Enough for all that we know to guess, and a bound on what one domain can make us ask. */
const MAX_SELECTORS = 96

/** Those to ask of every domain, at once. */
function initialSelectors(domainKey: string): string[] {
  return COMMON_SELECTORS.filter((selector) => fits(selector, domainKey))
}

/** Those to ask next: of recognised services first, then the wider net where it can catch anything. */
function additionalSelectors(
  domainKey: string,
  services: readonly { readonly selectors: readonly string[] }[],
  isWide: boolean,
): string[] {
  const recognised = services.flatMap((service) => service.selectors)
  const all = new Set([...COMMON_SELECTORS, ...recognised, ...(isWide ? GENERIC_SELECTORS : [])])
  return [...all]
    .slice(COMMON_SELECTORS.length, MAX_SELECTORS)
    .filter((selector) => fits(selector, domainKey))
}

function fits(selector: string, domainKey: string): boolean {
  return `${selector}.${domainKey}`.length <= MAX_DOMAIN_LENGTH
}
