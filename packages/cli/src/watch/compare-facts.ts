/** What changed between two runs, and whether it got better or worse. */
import type { FailOn } from '../command-line/shared-options.js'
import { isAtLeast } from '../output/report-outcome.js'
import {
  type Area,
  areaOf,
  type DomainFacts,
  type FindingFacts,
  type KeyFacts,
  type Policy,
} from './domain-facts.js'

export interface Change {
  readonly direction: 'better' | 'worse' | 'changed'
  /** What changed, for people: `DMARC policy`. */
  readonly subject: string
  /** Null if there was nothing. */
  readonly before: string | null
  /** Null if there is nothing now. */
  readonly after: string | null
}

/** `skipped`: where the facts before or after are incomplete; only what is certain is compared. */
export function compareFacts(
  before: DomainFacts,
  after: DomainFacts,
  { failOn, skipped }: { readonly failOn: FailOn; readonly skipped: readonly Area[] },
): Change[] {
  const isCompared = (finding: FindingFacts) => !skipped.includes(areaOf(finding))
  return [
    ...(skipped.length === 0 ? compareVerdicts(before, after) : []),
    ...comparePolicies(before, after),
    ...compareDmarc(before, after),
    ...compareSpf(before, after, skipped.includes('spf')),
    ...compareKeys(before.keys, after.keys),
    ...compareMx(before.mx, after.mx),
    ...compareFindings(
      before.findings.filter(isCompared),
      after.findings.filter(isCompared),
      failOn,
    ),
  ]
}

const STATUS_RANKS = { fail: 0, warn: 1, pass: 2 }

function compareVerdicts({ verdict: before }: DomainFacts, { verdict: after }: DomainFacts) {
  if (before.status === after.status && before.label === after.label) return []
  const direction = directionOf(STATUS_RANKS[after.status] - STATUS_RANKS[before.status])
  return [{ direction, subject: 'Verdict', before: before.label, after: after.label }]
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
  return [{ direction, subject, before: old.text, after: current.text }]
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

function compareSpf({ spf: before }: DomainFacts, { spf: after }: DomainFacts, isSkipped: boolean) {
  const records = compareTexts('SPF record', before.records.join(', '), after.records.join(', '))
  if (isSkipped) return records
  return [
    ...records,
    ...compareTexts('SPF lookups', `${before.lookups}`, `${after.lookups}`),
    ...compareTexts('SPF senders', before.senders.join(', '), after.senders.join(', ')),
  ]
}

/** A policy that is new or gone says enough, and older states do not have these. */
function compareDmarc(before: DomainFacts, after: DomainFacts): Change[] {
  if (before.policy === null || after.policy === null) return []
  if (before.rua === undefined || after.rua === undefined) return []
  return [
    ...compareTexts('DMARC alignment', before.alignment ?? '', after.alignment ?? ''),
    ...compareTexts('DMARC reports', before.rua.join(', '), after.rua.join(', ')),
  ]
}

/** Without any mail server, mail to the domain is lost; a null MX is meant. */
function compareMx(before: readonly string[], after: readonly string[]): Change[] {
  const isNull = [...before, ...after].every((server) => server.endsWith(' .'))
  const isLost = after.length === 0 && !isNull
  const isBack = before.length === 0 && !isNull
  const direction = isLost ? 'worse' : isBack ? 'better' : 'changed'
  return compareTexts('MX', before.join(', '), after.join(', ')).map((change) => ({
    ...change,
    direction,
  }))
}

function compareTexts(subject: string, before: string, after: string): Change[] {
  if (before === after) return []
  return [{ direction: 'changed', subject, before: before || null, after: after || null }]
}

function compareKeys(before: readonly KeyFacts[], after: readonly KeyFacts[]): Change[] {
  const selectors = new Set([...before, ...after].map(({ selector }) => selector))
  return [...selectors].sort().flatMap((selector) => {
    const old = keysAt(before, selector)
    const current = keysAt(after, selector)
    const [change] = compareTexts(`DKIM key ${selector}`, old.text, current.text)
    if (!change) return []
    const isLost = old.isValid && !current.isValid
    return [isLost ? { ...change, direction: 'worse' as const } : change]
  })
}

function keysAt(keys: readonly KeyFacts[], selector: string) {
  const at = keys.filter((key) => key.selector === selector)
  const records = at.map(({ record }) => record).sort()
  return { text: records.join(', '), isValid: at.some(({ isValid }) => isValid) }
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
    const isWorse = !old && isAtLeast(finding, failOn)
    changes.push({
      direction: isWorse ? 'worse' : 'changed',
      subject,
      before: old?.title ?? null,
      after: finding.title,
    })
  }
  for (const { id, severity, title } of resolved) {
    const subject = `Finding ${id} (${severity})`
    changes.push({ direction: 'better', subject, before: title, after: null })
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
