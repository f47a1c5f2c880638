/** Findings about the services that DKIM keys belong to. */
import { describeSetup } from '../../catalog/service-setup.js'
import { found, type Rule } from '../rule.js'
import type { DkimFacts } from './dkim-facts.js'
import { type KeyFacts, keyEvidence } from './key-rules.js'

export const SERVICE_RULES: readonly Rule<KeyFacts>[] = [
  /** A key says nothing about a mailbox provider that signs with other selectors. */
  (facts) => {
    const { domain, requestedSelector, mailboxProvider, wildcardKeys, usable } = facts
    if (requestedSelector !== null || mailboxProvider === null) return null
    const { id, name: service, setup, selectors } = mailboxProvider
    const isCovered =
      usable.some(
        ({ selector, provider }) => selectors.includes(selector) || provider?.id === id,
      ) || wildcardKeys.some((key) => key.valid)
    if (usable.length === 0 || isCovered || !areAnswered(selectors, facts)) return null
    const names = selectors.map((selector) => `${selector}._domainkey.${domain}`)
    return found(
      'dkim.mailbox-provider-key-not-found',
      { service, names, domain, setup: setup.dkim && describeSetup(service, setup.dkim) },
      { evidence: names.map((name) => ({ name, type: 'TXT', value: 'no usable key' })) },
    )
  },

  ({ keys }) => {
    const forwarded = keys.filter(({ forwarder }) => forwarder)
    if (forwarded.length === 0) return null
    const selectors = forwarded.map(({ selector }) => selector)
    const services = forwarded.flatMap(({ provider }) => provider?.name ?? [])
    const evidence = forwarded.map(keyEvidence)
    return found('dkim.forwarder-key', { selectors, services }, { evidence })
  },
]

/** A failed query leaves open whether there is a key. */
function areAnswered(
  selectors: readonly string[],
  { selectorsTried, selectorsFailed }: DkimFacts,
): boolean {
  return (
    selectors.length > 0 &&
    selectors.every(
      (selector) => selectorsTried.includes(selector) && !selectorsFailed.includes(selector),
    )
  )
}
