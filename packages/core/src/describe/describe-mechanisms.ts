/** DKIM, DMARC, MX and transport security in words. */
import type { DkimReport } from '../checks/dkim/dkim-report.js'
import type { DmarcReport } from '../checks/dmarc/dmarc-report.js'
import type { MxReport } from '../checks/mx/mx-report.js'
import type {
  DaneReport,
  TransportRecord,
  TransportReport,
} from '../checks/transport/transport-report.js'
import type { StatusName } from '../reports/status-words.js'
import {
  type Block,
  type BlockOf,
  code,
  type Fact,
  fact,
  factsBlock,
  type MechanismDocument,
  type MechanismSection,
  mechanismDocument,
  paragraph,
  type Run,
} from './document.js'

type Key = DkimReport['keys'][number]

/** Alone, it is not known whether the domain sends mail that needs a key. */
export function describeDkim(
  report: DkimReport,
  status: StatusName = report.presence === 'unknown' && report.status !== 'fail'
    ? 'unknown'
    : report.status,
): MechanismDocument {
  const { keys, presence, selectorsTried, selectorsFailed } = report
  const count = selectorsTried.length === 1 ? '1 selector' : `${selectorsTried.length} selectors`
  return mechanismDocument(report, {
    id: 'dkim',
    status,
    heading: 'DKIM: signatures',
    about:
      'DomainKeys Identified Mail: public keys in DNS that prove a message was signed by the domain.',
    blocks: [
      ...(presence === 'present' ? [] : [paragraph(describeMissingKey(keys, presence))]),
      ...(keys.length === 0 ? [] : [{ kind: 'keys' as const, keys: keys.map(describeKey) }]),
      { kind: 'details', summary: `${count} tried`, text: selectorsTried.join(' ') },
      ...(selectorsFailed.length === 0
        ? []
        : [paragraph(`Not checked, because the lookup failed: ${selectorsFailed.join(', ')}.`)]),
    ],
  })
}

const WITHOUT_KEYS = {
  absent: 'There’s no key.',
  unknown:
    'There’s no key at the usual selectors. Yours may have a different name. To find it, look for s= in the DKIM-Signature header of a message you’ve sent.',
}
const WITH_UNUSABLE_KEYS = {
  absent: 'Receivers don’t accept any of the keys.',
  unknown:
    'Receivers don’t accept any of the keys we found. There may be others at selectors we don’t know.',
}

function describeMissingKey(
  keys: readonly Key[],
  presence: Exclude<DkimReport['presence'], 'present'>,
): string {
  const hasOwnKeys = keys.some(({ forwarder }) => !forwarder)
  return (hasOwnKeys ? WITH_UNUSABLE_KEYS : WITHOUT_KEYS)[presence]
}

function describeKey(key: Key): BlockOf<'keys'>['keys'][number] {
  const { name, keyType, valid, testing, provider, forwarder, problems, record } = key
  const words = [
    keyType === null ? 'unknown key type' : keyType.toUpperCase(),
    ...(provider ? [provider.name] : []),
    valid ? 'well-formed' : 'receivers can’t use it',
    ...(testing ? ['testing'] : []),
    ...(forwarder ? ['signs only forwarded mail'] : []),
  ]
  return { name, size: keySize(key), text: words.join(' · '), problems, record }
}

function keySize({ keyType, keySize, revoked }: Key): string {
  if (revoked) return 'revoked'
  if (keySize === null) return keyType === null ? 'unknown' : 'unreadable'
  return keyType === 'rsa' ? `${keySize} bits` : `${keyType}`
}

export function describeDmarc(
  report: DmarcReport,
  status: StatusName = report.status,
): MechanismDocument {
  return mechanismDocument(report, {
    id: 'dmarc',
    status,
    heading: 'DMARC: what happens to forged mail',
    about:
      'Domain-based Message Authentication, Reporting, and Conformance: a policy for mail that passes neither SPF nor DKIM.',
    blocks: [...describeDmarcRecord(report), ...describePolicy(report)],
  })
}

/** What is published, even if receivers ignore it. */
function describeDmarcRecord({ record, records, policy }: DmarcReport): Block[] {
  const shown = record === null ? records : [record]
  const none =
    shown.length === 0
      ? 'No policy applies.'
      : 'No policy applies, because receivers can’t use what’s published.'
  return [
    ...(shown.length === 0 ? [] : [{ kind: 'records' as const, records: shown }]),
    ...(policy === null ? [paragraph(none)] : []),
  ]
}

const POLICY_EFFECTS = {
  none: 'none: forged mail can reach the inbox',
  quarantine: 'quarantine: forged mail goes to the spam folder',
  reject: 'reject: receivers refuse forged mail',
} as const

function describePolicy(report: DmarcReport): Block[] {
  const { policy, subdomainPolicy, alignment, testing, rua, recordName, inherited } = report
  if (policy === null) return []
  const source = inherited
    ? `inherited from ${recordName?.replace(/^_dmarc\./, '')}`
    : 'its own record'
  const facts = factsBlock([
    fact('Policy', POLICY_EFFECTS[policy]),
    testing && policy !== 'none'
      ? fact('Test mode', 't=y: receivers apply the next weaker policy')
      : null,
    fact('Policy source', [code(`${recordName}`), `, ${source}`]),
    subdomainPolicy && subdomainPolicy !== policy
      ? fact('Subdomains', POLICY_EFFECTS[subdomainPolicy])
      : null,
    alignment && fact('Alignment', `SPF ${alignment.spf}, DKIM ${alignment.dkim}`),
    describeDestinations(rua),
  ])
  return [facts]
}

function describeDestinations(rua: DmarcReport['rua']): Fact {
  const label = 'Reports go to'
  if (rua.length === 0) return fact(label, 'no one')
  const list = rua.map(({ uri, valid, authorized, acceptsMail }) => {
    const problems = [
      valid ? '' : ' (not valid)',
      authorized === false ? ' (hasn’t authorized these reports)' : '',
      acceptsMail === false ? ' (doesn’t accept mail)' : '',
      valid && (authorized ?? acceptsMail) === null ? ' (not checked)' : '',
    ]
    return [code(uri), ...problems]
  })
  return { ...fact(label, ''), list }
}

export function describeMx(report: MxReport): MechanismDocument {
  const { status, records, nullMx, implicitMx, provider } = report
  return mechanismDocument(report, {
    id: 'mx',
    status,
    heading: 'MX: where mail goes',
    about: 'Mail exchanger: the servers that receive mail for the domain.',
    blocks: [
      ...(provider ? [paragraph(`${PROVIDER_KIND_LABELS[provider.kind]}: ${provider.name}`)] : []),
      ...(nullMx ? [paragraph('Null MX: the domain declares that it doesn’t accept mail.')] : []),
      ...(implicitMx
        ? [paragraph('There’s no MX record, so mail goes to the domain’s own address.')]
        : []),
      ...(records.length === 0 && !implicitMx ? [paragraph('There’s no mail server.')] : []),
      ...describeServers(report),
    ],
  })
}

export const PROVIDER_KIND_LABELS = {
  mailbox: 'Mailboxes',
  gateway: 'Filtered by',
  forwarder: 'Forwarded by',
} as const

/** Nothing for a null MX, which names no server. */
export function describeServers({
  records,
  nullMx,
}: Pick<MxReport, 'records' | 'nullMx'>): Block[] {
  if (nullMx || records.length === 0) return []
  const rows = records.map(({ preference, exchange, addresses }) => [
    `${preference}`,
    [code(exchange)],
    addresses === null ? 'unknown' : addresses.join(', ') || 'none',
  ])
  return [{ kind: 'table', title: 'Servers', columns: ['Preference', 'Server', 'Addresses'], rows }]
}

const UNREACHABLE = 'unknown: we couldn’t reach DNS'

/** Optional records, which change no result. */
export function describeTransport({
  mtaSts,
  tlsRpt,
  bimi,
  dane,
  dnssec,
}: TransportReport): MechanismSection {
  const inherited = bimi.inherited && bimi.record !== null ? ` (from ${bimi.name})` : ''
  return {
    id: 'transport',
    heading: 'Transport encryption and brand logo',
    about: 'Optional records. They don’t change the result.',
    status: null,
    blocks: [
      factsBlock([
        fact('MTA-STS (encrypted delivery)', describePublished(mtaSts)),
        fact('DANE (verified encryption)', describeDane(dane)),
        fact('TLS-RPT (delivery reports)', describePublished(tlsRpt)),
        fact('BIMI (brand logo)', [...describePublished(bimi), inherited]),
        fact('DNSSEC (signed DNS)', DNSSEC_WORDS[`${dnssec.validated}`]),
      ]),
    ],
  }
}

const DNSSEC_WORDS = {
  true: 'on: signatures are valid',
  false: 'off: no valid signatures found',
  null: UNREACHABLE,
}

function describeDane({ present, hosts }: DaneReport): string {
  if (hosts.length === 0) return present === null ? UNREACHABLE : 'no mail servers to protect'
  const published = hosts.filter(({ tlsa }) => tlsa !== null && tlsa > 0)
  const unsigned = published.filter(({ secure }) => !secure).length
  const unknown = hosts.filter(({ tlsa }) => tlsa === null).length
  if (unknown === hosts.length) return UNREACHABLE
  const servers = hosts.length === 1 ? 'mail server' : 'mail servers'
  return [
    published.length === 0
      ? `not published for your ${servers}`
      : `published for ${published.length} of ${hosts.length} ${servers}`,
    ...(unknown === 0 ? [] : [`${unknown} couldn’t be looked up`]),
    ...(unsigned === 0
      ? []
      : [`not signed with DNSSEC at ${unsigned}, so senders ignore it there`]),
  ].join('; ')
}

function describePublished({ name, present, record, valid }: TransportRecord): Run[] {
  if (present === null) return [UNREACHABLE]
  if (!present) return [`not published at ${name}`]
  if (record === null) return [`more than one record at ${name}`]
  return [{ code: record, isRecord: true }, valid ? '' : ' (not valid)']
}
