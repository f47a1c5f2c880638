/** Findings about the services that DKIM keys belong to. */
import { describeSetup } from '../../catalog/service-setup.js'
import { createFinding, type Finding, txtEvidence } from '../finding.js'
import { formatList } from '../format-list.js'
import { countedKeys, type DkimFacts } from './dkim-facts.js'

/** A key says nothing about a mailbox provider that signs with other selectors. */
export function judgeMailboxProvider(facts: DkimFacts): Finding[] {
  const { domain, requestedSelector, mailboxProvider, wildcardKeys } = facts
  if (requestedSelector !== null || mailboxProvider === null) return []
  const { name, setup } = mailboxProvider
  const usable = countedKeys(facts).filter((key) => key.valid)
  const isProviders = ({ selector, provider }: (typeof usable)[number]) =>
    mailboxProvider.selectors.includes(selector) || provider?.id === mailboxProvider.id
  const isCovered = usable.some(isProviders) || wildcardKeys.some((key) => key.valid)
  if (usable.length === 0 || isCovered || !areAnswered(mailboxProvider.selectors, facts)) return []
  const names = mailboxProvider.selectors.map((selector) => `${selector}._domainkey.${domain}`)
  return [
    createFinding(
      'dkim.mailbox-provider-key-not-found',
      {
        title: `No DKIM key of ${name} was found`,
        detail: `The keys found belong to other selectors. There is none where ${name} usually has it: ${formatList(names)}. Mail from ${name} may be unsigned.`,
        fix: `Send yourself a message from ${name} and look for "dkim=pass" with d=${domain} in its headers. If it is missing, turn on signing there.${setup.dkim ? ` ${describeSetup(name, setup.dkim)}` : ''}`,
      },
      names.map((owner) => ({ name: owner, type: 'TXT', value: 'no usable key' })),
    ),
  ]
}

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

export function judgeForwarders({ keys }: DkimFacts): Finding[] {
  const forwarded = keys.filter(({ forwarder }) => forwarder)
  if (forwarded.length === 0) return []
  const services = formatList(forwarded.flatMap(({ provider }) => provider?.name ?? []))
  return [
    createFinding(
      'dkim.forwarder-key',
      {
        title: `Key of a forwarder: ${formatList(forwarded.map(({ selector }) => selector))}`,
        detail: `The key belongs to ${services}. It signs only mail that passes through that service, not mail that you send in another way.`,
        fix: 'Set up DKIM at every service that sends your mail. Keep this key as long as you use the forwarder.',
      },
      forwarded.map(({ name, record }) => txtEvidence(name, record)),
    ),
  ]
}
