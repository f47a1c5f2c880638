/** Findings about a domain's DKIM keys, and about what it means that none was found. */
import { cnameEvidence, type Finding, txtEvidence } from '../finding.js'
import { type Found, found, judge, type Rule } from '../rule.js'
import {
  countedKeys,
  type DanglingCname,
  type DkimFacts,
  type DkimKey,
  determineKeyState,
} from './dkim-facts.js'
import { KEY_RULES, type KeyFacts, keyEvidence } from './key-rules.js'

const RULES: readonly Rule<KeyFacts>[] = [
  judgePresence,

  /** A selector that the caller gave is expected to have a key, whatever others have. */
  ({ domain, alsoSelectors, keys, danglingCnames }) => {
    const records = [...danglingCnames, ...keys.filter((key) => !key.revoked)]
    const selectors = alsoSelectors.filter((selector) =>
      records.every(({ name }) => name !== nameOf(selector, domain)),
    )
    if (selectors.length === 0) return null
    const names = selectors.map((selector) => nameOf(selector, domain))
    const revoked = keys.filter(({ name }) => names.includes(name))
    const evidence = revoked.map(keyEvidence)
    const id =
      evidence.length === selectors.length
        ? 'dkim.selector-not-found (revoked)'
        : 'dkim.selector-not-found'
    return found(id, { selectors, names }, { evidence })
  },

  ...KEY_RULES,

  ({ keys }) => {
    const affected = onePerName(keys).filter((key) => key.txtRecordCount > 1)
    if (affected.length === 0) return null
    const selectors = affected.map(({ selector }) => selector)
    const names = affected.map(({ name }) => name)
    const omitted = countOmittedRecords(keys)
    return found(
      omitted > 0 ? 'dkim.several-records (cut)' : 'dkim.several-records',
      { selectors, names, omitted },
      {
        evidence: affected.flatMap(({ name, txtRecords }) =>
          txtRecords.map((text) => txtEvidence(name, text)),
        ),
      },
    )
  },

  ({ domain, keys, danglingCnames }) => {
    const affected = danglingCnames.filter((cname) => !isSpare(cname, keys))
    if (affected.length === 0) return null
    const names = affected.map(({ name }) => name)
    const targets = affected.map(({ cnames }) => cnames.at(-1) ?? '')
    const isHosted = affected.every(({ provider }) => provider !== null)
    return found(
      isHosted ? 'dkim.dangling-cname (hosted)' : 'dkim.dangling-cname',
      { names, targets, domain },
      { evidence: affected.flatMap(({ name, cnames }) => cnameEvidence(name, cnames)) },
    )
  },

  ({ domain, wildcardKeys }) => {
    if (wildcardKeys.length === 0) return null
    const omitted = countOmittedRecords(wildcardKeys)
    const proof = { evidence: wildcardKeys.map(keyEvidence) }
    const id = wildcardKeys.every((key) => key.revoked) ? 'dkim.wildcard-revoked' : 'dkim.wildcard'
    return found(omitted > 0 ? `${id} (cut)` : id, { domain, omitted }, proof)
  },

  ({ failedNames: names, failedBecause }) => {
    if (names.length === 0) return null
    const isOverLimit = failedBecause === 'over-limit'
    return found(
      isOverLimit ? 'dkim.selector-unavailable (over-limit)' : 'dkim.selector-unavailable',
      { names },
    )
  },
]

export function judgeDkim(facts: DkimFacts): Finding[] {
  const { keys, wildcardKeys } = facts
  const counted = countedKeys(facts)
  const unnamed = wildcardKeys.filter(({ record }) => keys.every((key) => key.record !== record))
  const usable = counted.filter((key) => key.valid)
  return judge(RULES, { counted, usable, everyKey: [...keys, ...unnamed], ...facts })
}

/** A missing key counts against a domain only if the DNS proves it. */
function judgePresence(facts: KeyFacts): Found | null {
  const { domain, requestedSelector, keys, danglingCnames } = facts
  const state = determineKeyState(facts)
  // Keys that receivers refuse have their own findings.
  if (state === 'usable' || state === 'refused') return null
  if (requestedSelector !== null) return judgeRequested(facts, requestedSelector)
  if (facts.sendsNoMail) return found('dkim.not-needed', { domain })
  const service = facts.mailboxProviders[0]?.name ?? null
  const values = { domain, service, tried: facts.selectorsTried.length }
  switch (state) {
    case 'revoked':
      return revoked(facts)
    case 'absent':
      return found('dkim.missing', values)
    case 'hidden': {
      // Names that were found explain why names exist.
      const hasFound = keys.length + danglingCnames.length > 0
      return found(hasFound ? 'dkim.unknown-selector (unusable)' : 'dkim.unknown-selector', values)
    }
    case 'unproven': {
      const hasForwarder = keys.some(({ forwarder }) => forwarder)
      return found(hasForwarder ? 'dkim.unknown (forwarder)' : 'dkim.unknown', values)
    }
  }
}

/** An unusable record at the selector has its own findings. */
function judgeRequested(facts: KeyFacts, selector: string): Found | null {
  const { domain, keys, danglingCnames } = facts
  if (danglingCnames.length > 0) return null
  if (keys.length > 0) return keys.every((key) => key.revoked) ? revoked(facts) : null
  return found('dkim.selector-not-found (only-selector)', {
    selectors: [selector],
    names: [nameOf(selector, domain)],
  })
}

function revoked({ domain, counted, wildcardKeys, mailboxProviders }: KeyFacts): Found {
  const records = counted.length > 0 ? counted : wildcardKeys
  const service = mailboxProviders[0]?.name ?? null
  return found('dkim.revoked', { domain, service }, { evidence: records.map(keyEvidence) })
}

/** Services set up CNAMEs in pairs and keep a key at only one of them until the next rotation. */
function isSpare({ provider }: DanglingCname, keys: readonly DkimKey[]): boolean {
  const isHosted = (key: DkimKey) => key.valid && key.cnames.length > 0
  return provider !== null && keys.some((key) => isHosted(key) && key.provider?.id === provider.id)
}

function countOmittedRecords(keys: readonly DkimKey[]): number {
  return onePerName(keys).reduce(
    (sum, { txtRecordCount, txtRecords }) => sum + txtRecordCount - txtRecords.length,
    0,
  )
}

function onePerName(keys: readonly DkimKey[]): DkimKey[] {
  return [...new Map(keys.map((key) => [key.name, key])).values()]
}

function nameOf(selector: string, domain: string): string {
  return `${selector}._domainkey.${domain}`
}
