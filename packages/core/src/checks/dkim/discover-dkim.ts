/**
 * What the DNS says about a domain's DKIM keys. It cannot list them, so selectors are guessed, and
 * names that nobody uses are asked for to learn what an answer is worth.
 */
import type { Answer, Dns, Mx } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type Checked, doesNotExist, unavailable } from '../checked.js'
import { textsOf } from '../txt.js'
import {
  type Asked,
  danglingIn,
  isAnswered,
  keysIn,
  wildcardKeysIn,
  withoutWildcard,
} from './answers.js'
import type { DkimFacts } from './dkim-facts.js'
import { firstSelectors, furtherSelectors } from './selectors.js'
import { declaresNoMail, mailboxProviders, namedSenders } from './sender-hints.js'

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
): Promise<Checked<DkimFacts>> {
  return selector === undefined
    ? discoverGuessed(dns, domain, randomLabel)
    : discoverNamed(dns, domain, selector)
}

async function discoverGuessed(
  dns: Dns,
  domain: DomainName,
  randomLabel: () => string,
): Promise<Checked<DkimFacts>> {
  const domainKey = `_domainkey.${domain}`
  const siblingName = `${randomLabel()}.${domain}`
  const [mx, txt, parent, sibling, madeUp, first] = await Promise.all([
    dns.ask(domain, 'MX'),
    dns.ask(domain, 'TXT'),
    dns.ask(domainKey, 'TXT'),
    dns.ask(siblingName, 'TXT'),
    askFor(dns, domainKey, randomLabel()),
    askForAll(dns, domainKey, firstSelectors(domainKey)),
  ])
  if (mx.kind === 'failed') return unavailable(domain, 'MX', mx)
  if (doesNotExist(mx)) return { kind: 'unknown-domain' }
  if (txt.kind === 'failed') return unavailable(domain, 'TXT', txt)

  const servers = serversOf(mx)
  const texts = textsOf(txt)
  const services = [...mailboxProviders(servers), ...namedSenders(texts)]
  // RFC 8020: nothing is below a name that does not exist, and the few asked for anyway are there
  // to find the servers that deny a name which has only names below it.
  const selectors = furtherSelectors(domainKey, services, !doesNotExist(parent))
  const asked = [...first, ...(await askForAll(dns, domainKey, selectors))]
  const controls = [
    { name: domainKey, answer: parent },
    { name: siblingName, answer: sibling },
    madeUp,
  ]
  return {
    kind: 'report',
    report: {
      ...factsOf({ servers, asked, telling: withoutWildcard(asked, madeUp), controls }),
      domain,
      named: null,
      wildcard: isAnswered(madeUp),
      wildcardKeys: wildcardKeysIn(madeUp, domainKey),
      domainKey: existenceOf(parent, sibling),
      sendsNoMail: declaresNoMail(servers, texts),
    },
  }
}

async function discoverNamed(
  dns: Dns,
  domain: DomainName,
  selector: string,
): Promise<Checked<DkimFacts>> {
  const [mx, asked] = await Promise.all([
    dns.ask(domain, 'MX'),
    askFor(dns, `_domainkey.${domain}`, selector),
  ])
  if (mx.kind === 'failed') return unavailable(domain, 'MX', mx)
  if (doesNotExist(mx)) return { kind: 'unknown-domain' }
  if (asked.answer.kind === 'failed') return unavailable(asked.name, 'TXT', asked.answer)
  // Receivers ask for this very selector and take a wildcard's key, so none is looked for here.
  const seen = { servers: serversOf(mx), asked: [asked], telling: [asked], controls: [] }
  return {
    kind: 'report',
    report: {
      ...factsOf(seen),
      domain,
      named: selector,
      wildcard: null,
      wildcardKeys: [],
      domainKey: 'unproven',
      sendsNoMail: false,
    },
  }
}

interface Seen {
  readonly servers: readonly Mx[]
  readonly asked: readonly Asked[]
  /** Those of them that say something of their selector. */
  readonly telling: readonly Asked[]
  /** Asked only to know what answers are worth. */
  readonly controls: readonly Omit<Asked, 'selector'>[]
}

function factsOf({ servers, asked, telling, controls }: Seen) {
  const providers = mailboxProviders(servers)
  const mailbox = providers.find((provider) => provider.kind === 'mailbox')
  return {
    selectorsTried: asked.map(({ selector }) => selector),
    selectorsFailed: asked.filter(isFailed).map(({ selector }) => selector),
    namesFailed: [...controls, ...asked].filter(isFailed).map(({ name }) => name),
    keys: telling.flatMap((one) => keysIn(one, providers)),
    dangling: telling.flatMap(danglingIn),
    mailbox: mailbox ? { id: mailbox.id, name: mailbox.name } : null,
  }
}

/**
 * A name that is there while a made-up one beside it is not, is there for a reason. Where both are,
 * a wildcard may answer, or a server that denies no name (RFC 9824): nothing is proven.
 */
function existenceOf(parent: Answer, sibling: Answer): DkimFacts['domainKey'] {
  if (doesNotExist(parent)) return 'missing'
  return parent.kind !== 'failed' && doesNotExist(sibling) ? 'exists' : 'unproven'
}

async function askFor(dns: Dns, domainKey: string, selector: string): Promise<Asked> {
  const name = `${selector}.${domainKey}`
  return { selector, name, answer: await dns.ask(name, 'TXT') }
}

async function askForAll(
  dns: Dns,
  domainKey: string,
  selectors: readonly string[],
): Promise<Asked[]> {
  const names = selectors.map((selector) => `${selector}.${domainKey}`)
  const answers = await Promise.all(names.map((name) => dns.ask(name, 'TXT')))
  return answers.map((answer, index) => ({
    selector: selectors[index] ?? '',
    name: names[index] ?? '',
    answer,
  }))
}

function isFailed({ answer }: Pick<Asked, 'answer'>): boolean {
  return answer.kind === 'failed'
}

function serversOf(mx: Answer<'MX'>): readonly Mx[] {
  return mx.kind === 'records' ? mx.records : []
}
