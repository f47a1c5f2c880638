/** Looks below a domain for names that send mail, and for services that other records show. */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import {
  findServiceByCname,
  findServiceByMxHost,
  type MailService,
} from '../../catalog/mail-services.js'
import { isSpfRecord, namingTerms, parseSpf } from '../../checks/spf/spf-record.js'
import { readTxtRecords } from '../../checks/txt-records.js'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'

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
  'bounce',
  'bounces',
  'pm-bounces',
  'notify',
  'notifications',
  'support',
  'reply',
  'updates',
] as const

/** A name below the domain that sends, or that a service uses. */
export interface NameBelow {
  readonly name: string
  /** Mail is sent from it: it has SPF senders, mail servers or DKIM keys of its own. */
  readonly sends: boolean
  /** It has DKIM keys of its own. */
  readonly signs: boolean
  readonly service: MailService | null
  /** The record that shows it. */
  readonly evidence: string
}

export interface BelowFacts {
  readonly names: readonly NameBelow[]
  /** Names that could not be looked up. */
  readonly failed: readonly string[]
}

/** `wildcard` is the TXT answer for a random name: what every name answers shows nothing. */
export async function discoverBelow(
  dns: Dns,
  domain: string,
  wildcard: DnsAnswer<'TXT'>,
): Promise<BelowFacts> {
  const names = [...SENDING_LABELS, 'autodiscover']
    .map((label) => `${label}.${domain}`)
    .filter((name) => name.length <= MAX_DOMAIN_LENGTH)
  const found = await Promise.all(names.map((name) => inspectName(dns, name, wildcard)))
  return {
    names: found.flatMap((each) => (each && each !== 'failed' ? [each] : [])),
    failed: names.filter((_, index) => found[index] === 'failed'),
  }
}

async function inspectName(
  dns: Dns,
  name: string,
  wildcard: DnsAnswer<'TXT'>,
): Promise<NameBelow | 'failed' | null> {
  const txt = await dns.query(name, 'TXT')
  if (txt.kind === 'failed') return 'failed'
  if (isSame(txt, wildcard)) return null
  const [target] = txt.cnames
  if (target !== undefined) return inspectAlias(dns, name, txt.cnames, wildcard)
  // RFC 8020: nothing exists at or below the name.
  if (txt.kind === 'nxdomain') return null
  const [mx, signs] = await Promise.all([dns.query(name, 'MX'), hasKeys(dns, name, wildcard)])
  const spf = readTxtRecords(txt).find(isSpfRecord)
  const namesSenders = spf !== undefined && namingTerms(parseSpf(spf)).length > 0
  const servers = mx.kind === 'records' ? mx.records.filter(({ exchange }) => exchange !== '.') : []
  const [server] = servers
  const service =
    servers.map(({ exchange }) => findServiceByMxHost(exchange)).find((each) => each !== null) ??
    null
  if (!namesSenders && !server && !signs) return null
  const evidence = server
    ? `${name} MX ${server.exchange}`
    : namesSenders
      ? `${name} TXT ${spf}`
      : `_domainkey.${name}`
  return { name, sends: true, signs, service, evidence }
}

/** A CNAME to a service, such as its bounce or tracking host. Keys can exist below it. */
async function inspectAlias(
  dns: Dns,
  name: string,
  cnames: readonly string[],
  wildcard: DnsAnswer<'TXT'>,
): Promise<NameBelow | null> {
  const service = cnames.map(findServiceByCname).find((each) => each !== null) ?? null
  if (!service) return null
  const signs = await hasKeys(dns, name, wildcard)
  return { name, sends: signs, signs, service, evidence: `${name} CNAME ${cnames[0]}` }
}

/** Below a wildcard every name exists, so this one would prove nothing. */
async function hasKeys(dns: Dns, name: string, wildcard: DnsAnswer<'TXT'>): Promise<boolean> {
  if (wildcard.kind !== 'nxdomain') return false
  const { kind } = await dns.query(`_domainkey.${name}`, 'TXT')
  return kind === 'records' || kind === 'nodata'
}

function isSame(one: DnsAnswer<'TXT'>, wildcard: DnsAnswer<'TXT'>): boolean {
  if (wildcard.kind === 'failed') return false
  const describe = (answer: DnsAnswer<'TXT'>) =>
    JSON.stringify([answer.cnames, answer.kind === 'failed' ? [] : readTxtRecords(answer).sort()])
  const hasAnswer = wildcard.cnames.length > 0 || wildcard.kind === 'records'
  return hasAnswer && describe(one) === describe(wildcard)
}
