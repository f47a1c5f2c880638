/** What the headers of one message prove about who sent it. */
import { parseMailAddress, parseSelector, type StreamEvidence } from '@mailgrade/core'
import PostalMime, { addressParser, type Email } from 'postal-mime'
import type { AggregateRecord } from './aggregate-report.js'
import { classifyRecord } from './classify-record.js'
import { organizationOf } from './identify-service.js'

export type ReadMessage =
  | { readonly kind: 'evidence'; readonly evidence: StreamEvidence }
  /** `no-from`: not exactly one address in From. */
  | { readonly kind: 'no-from' | 'too-large' }

const MAX_HEADERS = 262_144

export async function readMessageEvidence(bytes: Uint8Array): Promise<ReadMessage> {
  const headers = takeHeaders(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (headers.length > MAX_HEADERS) return { kind: 'too-large' }
  const limits = { maxHeadersSize: MAX_HEADERS, maxNestingDepth: 20 }
  const mail = await PostalMime.parse(headers, limits).catch(() => null)
  const at = mail && domainOfFrom(mail)
  return mail && at ? { kind: 'evidence', evidence: evidenceOf(mail, at) } : { kind: 'no-from' }
}

/** The body is never parsed, so it can't cost anything. */
function takeHeaders(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1', 0, MAX_HEADERS + 1)
  const start = /^(?:\s*\n)?(?:From .*\n)?/.exec(text)?.[0].length ?? 0
  const end = /\r?\n\r?\n/.exec(text.slice(start))
  return Buffer.from(end ? text.slice(start, start + end.index) : text.slice(start), 'latin1')
}

/** With several addresses, receivers differ in which one they check. */
function domainOfFrom(mail: Email): string | null {
  const [field, ...others] = valuesOf(mail, 'from')
  const [address, ...rest] = addressParser(field ?? '')
  if (others.length + rest.length > 0) return null
  const parsed = parseMailAddress(address?.address ?? '')
  return parsed.kind === 'refused' ? null : (parsed.domain ?? null)
}

function evidenceOf(mail: Email, at: string): StreamEvidence {
  const record = toRecord(mail, at)
  const { identity, origin, passes } = classifyRecord(record)
  const isYours = origin === 'yours'
  const serviceId = isYours ? identity.serviceId : null
  const time = timeOf(mail)
  const ownKind = isYours && identity.kind === 'own' ? 'own' : 'unknown'
  return {
    from: 'message',
    kind: serviceId === null ? ownKind : 'service',
    certainty: isYours ? (passes ? 'certain' : 'likely') : 'possible',
    serviceId,
    name: identity.name || (record.envelopeFrom ?? at),
    addresses: [],
    at,
    messages: 1,
    spfAligned: Number(record.spf === 'pass'),
    dkimAligned: Number(record.dkim === 'pass'),
    months: time === null ? [] : [time.slice(0, 7)],
    keys: signaturesOf(mail).filter(({ domain }) => isAligned(domain, at)),
    envelopeDomains: record.envelopeFrom === null ? [] : [record.envelopeFrom],
    lastSeen: time,
  }
}

function isAligned(domain: string | null, at: string): boolean {
  return domain !== null && organizationOf(domain) === organizationOf(at)
}

/** The message as a receiver would report it. */
function toRecord(mail: Email, at: string): AggregateRecord {
  const results = findTrustedResults(mail)
  const spf = results.filter(({ method }) => method === 'spf')
  const evaluate = (name: string) =>
    results.some(
      ({ method, result, domain }) => method === name && result === 'pass' && isAligned(domain, at),
    )
      ? 'pass'
      : 'fail'
  return {
    sourceIp: '',
    count: 1,
    disposition: null,
    dkim: evaluate('dkim'),
    spf: evaluate('spf'),
    reasons: [],
    headerFrom: at,
    envelopeFrom: returnPathOf(mail) ?? spf[0]?.domain ?? null,
    envelopeTo: null,
    dkimResults: results.flatMap(({ method, result, domain, selector }) =>
      method === 'dkim' ? { domain, selector, result: passOrFail(result), humanResult: null } : [],
    ),
    spfResults: spf.map(({ result, domain }) => {
      return { domain, scope: 'mfrom', result: passOrFail(result), humanResult: null }
    }),
  }
}

function passOrFail(result: string): 'pass' | 'fail' {
  return result === 'pass' ? 'pass' : 'fail'
}

function timeOf({ date }: Email): string | null {
  const time = new Date(date ?? '')
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

function valuesOf({ headers }: Email, name: string): string[] {
  return headers.flatMap(({ key, value }) => (key === name ? value : []))
}

function returnPathOf(mail: Email): string | null {
  const [path = ''] = valuesOf(mail, 'return-path')
  return toDomain(path.replace(/^\s*<|>\s*$/g, ''))
}

function toDomain(text: string): string | null {
  const domain = text
    .slice(text.lastIndexOf('@') + 1)
    .replace(/\.$/, '')
    .toLowerCase()
  return /^[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9])?$/.test(domain) && domain.includes('.')
    ? domain
    : null
}

const MAX_SIGNATURES = 20

/** What signatures claim; whether the key is there is up to DNS. */
function signaturesOf(mail: Email): { domain: string; selector: string }[] {
  return valuesOf(mail, 'dkim-signature')
    .slice(0, MAX_SIGNATURES)
    .flatMap((value) => {
      const tags = new Map(
        value.split(';').map((tag) => {
          const [name = '', ...rest] = tag.split('=')
          return [name.trim(), rest.join('=').replace(/\s/g, '')] as const
        }),
      )
      const domain = toDomain(tags.get('d') ?? '')
      const parsed = parseSelector(tags.get('s') ?? '', null)
      return domain !== null && parsed.kind === 'selector'
        ? [{ domain, selector: parsed.selector }]
        : []
    })
}

interface AuthResult {
  readonly method: string
  readonly result: string
  readonly domain: string | null
  readonly selector: string | null
}

/** Comments may be nested, and each level costs a pass over the field. */
const MAX_RESULTS = 10_000

/**
 * Only the first field may count, and only if the server that received the message last wrote it:
 * anyone can put such a field into a message (RFC 8601 §7.1).
 */
function findTrustedResults(mail: Email): AuthResult[] {
  const [field = ''] = valuesOf(mail, 'authentication-results')
  if (field.length > MAX_RESULTS) return []
  const [server = '', ...results] = withoutQuotes(field).split(';')
  const [name = ''] = server.trim().split(/\s/)
  const receiver = receiverOf(mail)
  if (!name.includes('.') || receiver === null) return []
  return organizationOf(name.toLowerCase()) === organizationOf(receiver)
    ? results.flatMap(parseResult)
    : []
}

/** Text in comments and quotes may look like a result. */
function withoutQuotes(field: string): string {
  let text = field
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/\((?:[^()\\]|\\.)*\)/g, ' ')
  }
  return text
}

/** The host of the latest server that names itself; servers inside give addresses only. */
function receiverOf(mail: Email): string | null {
  for (const value of valuesOf(mail, 'received')) {
    if (value.length > MAX_RESULTS) return null
    const by = /\bby\s+(\S+)/i.exec(withoutQuotes(value))?.[1]
    const host = by !== undefined && !by.includes(':') ? toDomain(by.replace(/;$/, '')) : null
    if (host !== null && /[a-z]/.test(host)) return host
  }
  return null
}

function parseResult(text: string): AuthResult[] {
  const [, method, result] = /^\s*([a-z0-9-]+)\s*=\s*([a-z]+)/i.exec(text) ?? []
  if (method === undefined || result === undefined) return []
  const property = (name: string) =>
    new RegExp(`\\b${name.replace('.', '\\.')}\\s*=\\s*(\\S+)`, 'i').exec(text)?.[1] ?? null
  const name =
    method.toLowerCase() === 'spf'
      ? property('smtp.mailfrom')
      : (property('header.d') ?? property('header.i'))
  return [
    {
      method: method.toLowerCase(),
      result: result.toLowerCase(),
      domain: name === null ? null : toDomain(name),
      selector: property('header.s')?.toLowerCase() ?? null,
    },
  ]
}
