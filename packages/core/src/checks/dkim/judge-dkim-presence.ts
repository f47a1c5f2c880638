/** What it means that no usable key was found; nothing is said against a domain without proof. */
import { createFinding, type Finding } from '../finding.js'
import { keyRecordEvidence } from './dkim-evidence.js'
import type { DkimFacts } from './dkim-facts.js'
import { determineKeyState } from './dkim-key-state.js'

/** The selector is in every signature, so that a single message answers the question. */
function lookAt(domain: string): string {
  return `look at its key with /v1/dkim?domain=${domain}&selector=<selector>, the selector being the s= tag in the DKIM-Signature header of a message that the domain has sent`
}

function signing({ domain, mailboxProvider }: DkimFacts): string {
  return `turn on DKIM signing for ${domain} at ${mailboxProvider?.name ?? 'the service that sends its mail'} and publish the record that it shows`
}

export function judgeDkimPresence(facts: DkimFacts): Finding[] {
  const standing = determineKeyState(facts)
  if (standing === 'usable') return []
  if (facts.requestedSelector !== null) return judgeNamed(facts, facts.requestedSelector)
  if (facts.sendsNoMail) return [notNeeded(facts)]
  switch (standing) {
    case 'revoked':
      return [revoked(facts)]
    case 'absent':
      return [missing(facts)]
    case 'hidden':
      return [unknownSelector(facts)]
    case 'unproven':
      return [unknown(facts)]
  }
}

/** A record that is there but of no use has findings of its own. */
function judgeNamed(facts: DkimFacts, selector: string): Finding[] {
  if (facts.danglingCnames.length > 0) return []
  if (facts.keys.length > 0) return facts.keys.every((key) => key.revoked) ? [revoked(facts)] : []
  return [
    createFinding('dkim.selector-not-found', {
      title: `There is no key under the selector ${selector}`,
      detail: `${selector}._domainkey.${facts.domain} has no DKIM record. Mail signed with this selector fails DKIM; other selectors of the domain were not looked at.`,
      fix: `Publish the key at ${selector}._domainkey.${facts.domain}. If the selector was a guess, take it from the s= tag in the DKIM-Signature header of a message.`,
    }),
  ]
}

function notNeeded({ domain }: DkimFacts): Finding {
  return createFinding('dkim.not-needed', {
    title: 'No DKIM key, and none is needed',
    detail: `${domain} declares that it sends no mail, so there is nothing to sign.`,
    fix: 'Nothing, as long as the domain sends no mail.',
  })
}

function revoked({ domain, keys, wildcardKeys, mailboxProvider }: DkimFacts): Finding {
  const records = keys.length > 0 ? keys : wildcardKeys
  return createFinding(
    'dkim.revoked',
    {
      title: 'Only revoked keys were found',
      detail:
        'An empty p= tag takes a key back: receivers treat every signature made with it as invalid.',
      fix: `Turn on DKIM signing at ${mailboxProvider?.name ?? 'your mail service'} and publish the key that it shows. If mail is signed with another selector, look at that with /v1/dkim?domain=${domain}&selector=<selector>.`,
    },
    records.map(keyRecordEvidence),
  )
}

function missing({ domain, mailboxProvider }: DkimFacts): Finding {
  return createFinding('dkim.missing', {
    title: 'There is no DKIM key',
    detail: `_domainkey.${domain} does not exist, so there can be no key below it. Mail of this domain cannot be signed, and forwarded mail fails DMARC.`,
    fix: `Turn on DKIM signing at ${mailboxProvider?.name ?? 'your mail service'} and publish the record that it shows, at <selector>._domainkey.${domain}.`,
  })
}

function unknownSelector(facts: DkimFacts): Finding {
  const { domain, selectorsTried } = facts
  return createFinding('dkim.unknown-selector', {
    title: 'There are selectors, but no usable key under those tried',
    detail: `The DNS has names below _domainkey.${domain}, so that the domain probably signs its mail. The ${selectorsTried.length} selectors tried have no key that receivers can use; the DNS cannot list the others.`,
    fix: `If mail is signed, ${lookAt(domain)}. If it is not, ${signing(facts)}.`,
  })
}

function unknown(facts: DkimFacts): Finding {
  const { domain, selectorsTried } = facts
  return createFinding('dkim.unknown', {
    title: 'Whether there is a DKIM key could not be told',
    detail: `The ${selectorsTried.length} selectors tried have no usable key, and the DNS does not prove that there is no other: it cannot list selectors.`,
    fix: `If mail is not signed yet, ${signing(facts)}. If it is, ${lookAt(domain)}.`,
  })
}
