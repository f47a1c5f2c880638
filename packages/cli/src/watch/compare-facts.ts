/** What changed between two runs: whether it got better or worse, and whether control changed. */
import type { FailOn } from '../command-line/shared-options.js'
import { isAtLeast } from '../output/report-outcome.js'
import {
  type Area,
  areaOf,
  type DomainFacts,
  type FindingFacts,
  type KeyFacts,
  type Policy,
  PUBLISHED,
  type Service,
} from './domain-facts.js'

export interface Change {
  readonly direction: 'better' | 'worse' | 'changed'
  /**
   * `control`: someone who could not do so before may send, sign, receive, or publish as the domain.
   * `weaker`: less protection. Something that is removed gives power to no one, so it is `other`.
   */
  readonly class: 'control' | 'weaker' | 'other'
  /** What changed, for people: `DMARC policy`. */
  readonly subject: string
  /** Null if there was nothing. */
  readonly before: string | null
  /** Null if there is nothing now. */
  readonly after: string | null
  /** The services whose mail it is about. */
  readonly streams: readonly Service[]
}

/** `skipped`: where the facts before or after are incomplete; only what is certain is compared. */
export function compareFacts(
  before: DomainFacts,
  after: DomainFacts,
  { failOn, skipped }: { readonly failOn: FailOn; readonly skipped: readonly Area[] },
): Change[] {
  const isCompared = (finding: FindingFacts) => !skipped.includes(areaOf(finding))
  const changes = [
    ...(skipped.length === 0 ? compareVerdicts(before, after) : []),
    ...compareDelegation(before, after),
    ...comparePolicies(before, after),
    ...compareDmarc(before, after),
    ...compareSpf(before, after, skipped.includes('spf')),
    ...compareKeys(before, after),
    ...compareMx(before, after),
    ...compareTransport(before, after),
    ...compareFindings(
      before.findings.filter(isCompared),
      after.findings.filter(isCompared),
      failOn,
    ),
  ]
  const isControl = (change: Change) => change.class === 'control'
  return [...changes.filter(isControl), ...changes.filter((change) => !isControl(change))]
}

type Difference = Pick<Change, 'subject' | 'before' | 'after'> & Partial<Change>

function toChange(difference: Difference): Change {
  const { direction = 'changed' } = difference
  const usual = direction === 'worse' ? 'weaker' : 'other'
  return { direction, class: usual, streams: [], ...difference }
}

const STATUS_RANKS = { fail: 0, warn: 1, pass: 2 }

function compareVerdicts({ verdict: before }: DomainFacts, { verdict: after }: DomainFacts) {
  if (before.status === after.status && before.label === after.label) return []
  const direction = directionOf(STATUS_RANKS[after.status] - STATUS_RANKS[before.status])
  return [toChange({ direction, subject: 'Verdict', before: before.label, after: after.label })]
}

/** Whoever runs a name server, or the target of a CNAME, decides on every record there. */
function compareDelegation(before: DomainFacts, after: DomainFacts): Change[] {
  const servers = Object.entries(after.nameServers ?? {}).flatMap(([name, current]) => {
    const old = before.nameServers?.[name]
    const subject = name.startsWith('_') ? `Name servers of ${name}` : 'Name servers'
    return old ? compareGranted(subject, old, current) : []
  })
  return [...servers, ...compareDmarcCname(before.dmarcCname, after.dmarcCname)]
}

function compareDmarcCname(before: DomainFacts['dmarcCname'], after: DomainFacts['dmarcCname']) {
  if (before === undefined || after === undefined) return []
  return compareGranted('DMARC CNAME', toList(before), toList(after))
}

function comparePolicies(before: DomainFacts, after: DomainFacts): Change[] {
  const policies = comparePolicy('DMARC policy', before, after, ({ policy }) => policy)
  // If there is a policy but none for subdomains, that one is unknown, not absent.
  const isKnown = [before, after].every((it) => it.subdomainPolicy !== null || it.policy === null)
  if (!isKnown) return policies
  const subject = 'DMARC policy for subdomains'
  const ofSubdomains = comparePolicy(subject, before, after, (it) => it.subdomainPolicy)
  const isSame = policies[0]?.before === ofSubdomains[0]?.before
  // If both change in the same way, one line is enough.
  return isSame && policies[0]?.after === ofSubdomains[0]?.after
    ? policies
    : [...policies, ...ofSubdomains]
}

function comparePolicy(
  subject: string,
  before: DomainFacts,
  after: DomainFacts,
  read: (facts: DomainFacts) => Policy | null,
): Change[] {
  const [old, current] = [before, after].map((facts) => describePolicy(read(facts), facts))
  if (!old || !current || old.text === current.text) return []
  const direction = directionOf(current.rank - old.rank)
  return [toChange({ direction, subject, before: old.text, after: current.text })]
}

const POLICY_RANKS = { none: 1, quarantine: 2, reject: 3 }

/** In test mode receivers apply the next weaker policy (RFC 9989 §4.7). */
function describePolicy(policy: Policy | null, { isTesting }: DomainFacts) {
  if (policy === null) return { rank: 0, text: null }
  const rank = POLICY_RANKS[policy]
  return isTesting
    ? { rank: Math.max(rank - 1, 1), text: `${policy} (test mode)` }
    : { rank, text: policy }
}

/** A policy that is new or gone says enough. */
function compareDmarc(before: DomainFacts, after: DomainFacts): Change[] {
  if (before.policy === null || after.policy === null) return []
  return [
    ...(before.alignment === undefined || after.alignment === undefined
      ? []
      : compareTexts('DMARC alignment', before.alignment ?? '', after.alignment ?? '')),
    ...(before.rua && after.rua ? compareGranted('DMARC reports', before.rua, after.rua) : []),
    ...(before.ruf && after.ruf
      ? compareGranted('DMARC failure reports', before.ruf, after.ruf)
      : []),
  ]
}

function compareSpf({ spf: before }: DomainFacts, { spf: after }: DomainFacts, isSkipped: boolean) {
  const records = compareTexts('SPF record', before.records.join(', '), after.records.join(', '))
  const isGranted = hasNew(before.records.flatMap(passTerms), after.records.flatMap(passTerms))
  const streams = isSkipped ? [] : differingServices(before.services, after.services)
  const own = records.map((change) => ({
    ...change,
    ...(isGranted && { class: 'control' as const }),
    streams,
  }))
  if (isSkipped) return own
  return [
    ...own,
    ...compareBelowSpf(before.below, after.below),
    ...compareTexts('SPF lookups', `${before.lookups}`, `${after.lookups}`),
    ...compareTexts('SPF senders', before.senders.join(', '), after.senders.join(', ')),
  ]
}

/** A name that only one of the records leads to is in the term that was added or removed. */
function compareBelowSpf(
  before: DomainFacts['spf']['below'] = {},
  after: DomainFacts['spf']['below'] = {},
): Change[] {
  return Object.entries(after).flatMap(([name, current]) => {
    const old = before[name]
    if (old === undefined) return []
    const changes = compareTexts(`SPF record of ${name}`, old, current)
    const isGranted =
      current === PUBLISHED ? old === '' : hasNew(passTerms(old), passTerms(current))
    return changes.map((change) => ({ ...change, ...(isGranted && { class: 'control' as const }) }))
  })
}

/** The terms that let mail pass, or that leave the answer to a different record. */
function passTerms(record: string): string[] {
  const [, ...terms] = record.toLowerCase().split(/\s+/)
  return terms
    .filter((term) => !/^[-~?]/.test(term) && !/^(?!redirect=)[a-z][\w.-]*=/.test(term))
    .map((term) => term.replace(/^\+/, ''))
}

function compareKeys(before: DomainFacts, after: DomainFacts): Change[] {
  const selectors = new Set([...before.keys, ...after.keys].map(({ selector }) => selector))
  return [...selectors].sort().flatMap((selector) => {
    const old = keysAt(before.keys, selector)
    const current = keysAt(after.keys, selector)
    const isNew = old.text === ''
    const answered = before.answeredSelectors?.split(' ')
    // Nothing was known about the selector, so the key may have been there.
    if (isNew && answered && !answered.includes(selector)) return []
    const streams = [current.service ?? old.service ?? []].flat()
    // Behind an unchanged CNAME record, a service replaces its own key now and then.
    const isAdded = isNew ? answered !== undefined : current.cname === null || !old.isValid
    const keys = compareTexts(`DKIM key ${selector}`, old.text, current.text).map((change) => ({
      ...change,
      ...(old.isValid && !current.isValid
        ? { direction: 'worse' as const }
        : isAdded && current.isValid && { class: 'control' as const }),
      streams,
    }))
    return [...keys, ...compareKeyCnames(selector, old, current, streams)]
  })
}

/** Without a key before or now, the change of the key says enough. */
function compareKeyCnames(
  selector: string,
  old: KeysAt,
  current: KeysAt,
  streams: readonly Service[],
): Change[] {
  if (old.text === '' || current.text === '') return []
  if (old.cname === undefined || current.cname === undefined) return []
  const subject = `DKIM CNAME ${selector}`
  return compareGranted(subject, toList(old.cname), toList(current.cname)).map((change) => ({
    ...change,
    streams,
  }))
}

interface KeysAt {
  readonly text: string
  readonly isValid: boolean
  readonly cname: string | null | undefined
  readonly service: Service | null | undefined
}

function keysAt(keys: readonly KeyFacts[], selector: string): KeysAt {
  const at = keys.filter((key) => key.selector === selector)
  const records = at.map(({ record }) => record).sort()
  const [first] = at
  return {
    text: records.join(', '),
    isValid: at.some(({ isValid }) => isValid),
    cname: first?.cname,
    service: first?.service,
  }
}

/** Without any mail server, mail to the domain is lost; a null MX is meant. */
function compareMx(before: DomainFacts, after: DomainFacts): Change[] {
  const isNull = [...before.mx, ...after.mx].every((server) => server.endsWith(' .'))
  const isLost = after.mx.length === 0 && !isNull
  const isBack = before.mx.length === 0 && !isNull
  const isGranted = hasNew(hostsOf(before.mx), hostsOf(after.mx))
  return compareTexts('MX', before.mx.join(', '), after.mx.join(', ')).map((change) => ({
    ...change,
    direction: isLost ? 'worse' : isBack ? 'better' : 'changed',
    class: isGranted ? 'control' : 'other',
    streams: uniqueServices([...(before.mxServices ?? []), ...(after.mxServices ?? [])]),
  }))
}

/** A different preference alone leaves mail with the servers that had it. */
function hostsOf(mx: readonly string[]): string[] {
  return mx.map((server) => server.slice(server.indexOf(' ') + 1)).filter((host) => host !== '.')
}

function compareTransport(before: DomainFacts, after: DomainFacts): Change[] {
  return [
    ...(before.mtaSts && after.mtaSts ? compareMtaSts(before.mtaSts, after.mtaSts) : []),
    ...(before.tlsRpt && after.tlsRpt
      ? compareTexts('TLS-RPT reports', before.tlsRpt.join(', '), after.tlsRpt.join(', '))
      : []),
    ...(before.dane && after.dane ? compareDane(before.dane, after.dane) : []),
  ]
}

type MtaSts = NonNullable<DomainFacts['mtaSts']>

function compareMtaSts(before: MtaSts, after: MtaSts): Change[] {
  const direction = directionOf(Number(after.isValid) - Number(before.isValid))
  return compareTexts('MTA-STS', before.record ?? '', after.record ?? '', direction)
}

function compareDane(before: readonly string[], after: readonly string[]): Change[] {
  const [isLost, isWon] = [hasNew(after, before), hasNew(before, after)]
  const direction = isLost === isWon ? 'changed' : isLost ? 'worse' : 'better'
  return compareTexts('DANE', before.join(', '), after.join(', '), direction)
}

function compareTexts(
  subject: string,
  before: string,
  after: string,
  direction: Change['direction'] = 'changed',
): Change[] {
  if (before === after) return []
  return [toChange({ direction, subject, before: before || null, after: after || null })]
}

/** A list of who may do something: an addition is a change of control, a removal is not. */
function compareGranted(subject: string, before: readonly string[], after: readonly string[]) {
  const changes = compareTexts(subject, before.join(', '), after.join(', '))
  return hasNew(before, after)
    ? changes.map((change) => ({ ...change, class: 'control' as const }))
    : changes
}

function hasNew(before: readonly string[], after: readonly string[]): boolean {
  return after.some((each) => !before.includes(each))
}

function toList(name: string | null): string[] {
  return name === null ? [] : [name]
}

/** Those that only one of both lists has. */
function differingServices(before?: readonly Service[], after?: readonly Service[]): Service[] {
  if (!before || !after) return []
  const isIn = (list: readonly Service[], { id }: Service) => list.some((other) => other.id === id)
  return uniqueServices([...before, ...after]).filter(
    (service) => isIn(before, service) !== isIn(after, service),
  )
}

function uniqueServices(services: readonly Service[]): Service[] {
  return [...new Map(services.map((service) => [service.id, service])).values()]
}

/** A finding is the same if its id is; its title may have other numbers now. */
function compareFindings(
  before: readonly FindingFacts[],
  after: readonly FindingFacts[],
  failOn: FailOn,
): Change[] {
  const resolved = withoutSameTitles(before, after)
  const changes: Change[] = []
  for (const finding of withoutSameTitles(after, before)) {
    const subject = `Finding ${finding.id} (${finding.severity})`
    const index = resolved.findIndex(({ id }) => id === finding.id)
    const [old] = index < 0 ? [] : resolved.splice(index, 1)
    const direction = !old && isAtLeast(finding, failOn) ? 'worse' : 'changed'
    changes.push(toChange({ direction, subject, before: old?.title ?? null, after: finding.title }))
  }
  for (const { id, severity, title } of resolved) {
    const subject = `Finding ${id} (${severity})`
    changes.push(toChange({ direction: 'better', subject, before: title, after: null }))
  }
  return changes
}

function withoutSameTitles(findings: readonly FindingFacts[], others: readonly FindingFacts[]) {
  const left = others.map(toKey)
  return findings.filter((finding) => {
    const index = left.indexOf(toKey(finding))
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

function toKey({ id, title }: FindingFacts): string {
  return `${id} ${title}`
}

function directionOf(difference: number): Change['direction'] {
  if (difference === 0) return 'changed'
  return difference > 0 ? 'better' : 'worse'
}
