/** Findings about a domain's DKIM keys, and about what it means that none was found. */
import { cnameEvidence, createFinding, type Finding, txtEvidence } from '../finding.js'
import { formatList } from '../format-list.js'
import { judgeUnavailable } from '../judge-unavailable.js'
import {
  countedKeys,
  type DanglingCname,
  type DkimFacts,
  type DkimKey,
  determineKeyState,
} from './dkim-facts.js'
import { judgeForwarders, judgeMailboxProvider } from './judge-dkim-services.js'
import { KEY_RULES } from './key-rules.js'

export function judgeDkim(facts: DkimFacts): Finding[] {
  return [
    ...judgePresence(facts),
    ...judgeAlso(facts),
    ...judgeKeys(facts),
    ...judgeMailboxProvider(facts),
    ...judgeForwarders(facts),
    ...judgeSeveral(facts),
    ...judgeDangling(facts),
    ...judgeWildcard(facts),
    ...judgeUnavailable(
      'dkim.selector-unavailable',
      'Selectors',
      facts.failedNames,
      facts.failedBecause,
    ),
  ]
}

/** A missing key counts against a domain only if the DNS proves it. */
function judgePresence(facts: DkimFacts): Finding[] {
  const state = determineKeyState(facts)
  // Keys that receivers refuse have their own findings.
  if (state === 'usable' || state === 'refused') return []
  if (facts.requestedSelector !== null) return judgeRequested(facts, facts.requestedSelector)
  if (facts.sendsNoMail) return [notNeeded(facts)]
  switch (state) {
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

/** An unusable record at the selector has its own findings. */
function judgeRequested(facts: DkimFacts, selector: string): Finding[] {
  if (facts.danglingCnames.length > 0) return []
  if (facts.keys.length > 0) return facts.keys.every((key) => key.revoked) ? [revoked(facts)] : []
  const name = `${selector}._domainkey.${facts.domain}`
  return [
    createFinding('dkim.selector-not-found', {
      title: `No key at the selector ${selector}`,
      detail: `${name} has no DKIM record, so mail signed with this selector fails DKIM. Other selectors of the domain were not checked.`,
      fix: `Publish the key at ${name}. If the selector was a guess, take it from the s= tag in the DKIM-Signature header of a message.`,
    }),
  ]
}

/** A selector that the caller gave is expected to have a key, whatever others have. */
function judgeAlso({ domain, alsoSelectors, keys, danglingCnames }: DkimFacts): Finding[] {
  const hasRecord = (name: string) =>
    danglingCnames.some((cname) => cname.name === name) ||
    keys.some((key) => key.name === name && !key.revoked)
  const missing = alsoSelectors
    .map((selector) => ({ selector, name: `${selector}._domainkey.${domain}` }))
    .filter(({ name }) => !hasRecord(name))
  if (missing.length === 0) return []
  const names = formatList(missing.map(({ name }) => name))
  return [
    createFinding(
      'dkim.selector-not-found',
      {
        title: `No key at the given selector: ${formatList(missing.map(({ selector }) => selector))}`,
        detail: `There is no DKIM key at ${names}, so mail signed with this selector fails DKIM.`,
        fix: `Publish the key at ${names}. If the selector was a guess, take it from the s= tag in the DKIM-Signature header of a message.`,
      },
      keys.filter((key) => missing.some(({ name }) => name === key.name)).map(keyRecordEvidence),
    ),
  ]
}

function notNeeded({ domain }: DkimFacts): Finding {
  return createFinding('dkim.not-needed', {
    title: 'No DKIM key, and none is needed',
    detail: `${domain} declares that it sends no mail, so there is nothing to sign.`,
    fix: 'No action is needed as long as the domain sends no mail.',
  })
}

function revoked(facts: DkimFacts): Finding {
  const { wildcardKeys, mailboxProvider } = facts
  const keys = countedKeys(facts)
  const records = keys.length > 0 ? keys : wildcardKeys
  return createFinding(
    'dkim.revoked',
    {
      title: 'Only revoked DKIM keys were found',
      detail:
        'An empty p= tag revokes a key: receivers treat every signature made with it as invalid.',
      fix: `Turn on DKIM signing at ${mailboxProvider?.name ?? 'your mail service'} and publish the key that it shows. If mail is signed with another selector, check the domain again with that selector.`,
    },
    records.map(keyRecordEvidence),
  )
}

function missing({ domain, mailboxProvider }: DkimFacts): Finding {
  return createFinding('dkim.missing', {
    title: 'No DKIM key',
    detail: `_domainkey.${domain} does not exist, so there is no key below it. Mail from this domain cannot be signed, and forwarded mail fails DMARC.`,
    fix: `Turn on DKIM signing at ${mailboxProvider?.name ?? 'your mail service'} and publish the record that it shows at <selector>._domainkey.${domain}.`,
  })
}

function unknownSelector(facts: DkimFacts): Finding {
  const { domain, selectorsTried, keys, danglingCnames } = facts
  // Names that were found explain why names exist.
  const hasFound = keys.length + danglingCnames.length > 0
  const conclusion = hasFound ? '' : ', so the domain probably signs its mail'
  return createFinding('dkim.unknown-selector', {
    title: 'No usable DKIM key at the usual selectors',
    detail: `Names exist below _domainkey.${domain}${conclusion}. None of the ${selectorsTried.length} selectors tried has a usable key for mail that you send, and DNS cannot list the others.`,
    fix: `If mail is signed, ${checkSelector(domain)}. If it is not, ${turnOnSigning(facts)}.`,
  })
}

function unknown(facts: DkimFacts): Finding {
  const { domain, keys, selectorsTried } = facts
  const reason = keys.some(({ forwarder }) => forwarder)
    ? 'The only key found belongs to a service that forwards mail.'
    : 'Yours may use another name.'
  return createFinding('dkim.unknown', {
    title: 'No key at the usual selectors',
    detail: `${reason} None of the ${selectorsTried.length} selectors tried has a usable key, and DNS cannot list the others.`,
    fix: `If mail is not signed yet, ${turnOnSigning(facts)}. If it is, ${checkSelector(domain)}.`,
  })
}

/** Every signature names its selector, so one message is enough. */
function checkSelector(domain: string): string {
  return `check ${domain} again with its selector, which is the s= tag in the DKIM-Signature header of a message that the domain sent`
}

function turnOnSigning({ domain, mailboxProvider }: DkimFacts): string {
  return `turn on DKIM signing for ${domain} at ${mailboxProvider?.name ?? 'the service that sends its mail'} and publish the record that it shows`
}

function judgeKeys(facts: DkimFacts): Finding[] {
  const { keys, wildcardKeys } = facts
  const counted = countedKeys(facts)
  const usable = counted.filter((key) => key.valid)
  const others = wildcardKeys.filter(({ record }) => keys.every((key) => key.record !== record))
  return KEY_RULES.flatMap(({ id, appliesTo, text, includesWildcard, includesForwarders }) => {
    const candidates = [
      ...(includesForwarders ? keys : counted),
      ...(includesWildcard ? others : []),
    ]
    const affected = candidates.filter((key) => appliesTo(key, usable))
    return affected.length > 0
      ? [createFinding(id, text(affected, usable), affected.map(keyRecordEvidence))]
      : []
  })
}

function judgeSeveral({ keys }: DkimFacts): Finding[] {
  const byName = new Map(keys.filter((key) => key.txtRecordCount > 1).map((key) => [key.name, key]))
  if (byName.size === 0) return []
  const names = formatList([...byName.keys()])
  return [
    createFinding(
      'dkim.several-records',
      {
        title: `Several TXT records at one selector: ${names}`,
        detail: `A selector may have only one record. With several, some receivers use the first they get, which varies, and others use none.${omittedRecordsNote(keys)}`,
        fix: `Keep the record with the key in use at ${names} and delete the others. If they are parts of one key, publish them as several strings of one record.`,
      },
      [...byName.values()].flatMap(dkimTxtEvidence),
    ),
  ]
}

function judgeDangling({ keys, danglingCnames }: DkimFacts): Finding[] {
  const affected = danglingCnames.filter((cname) => !isSpare(cname, keys))
  if (affected.length === 0) return []
  const targets = formatList(affected.map(({ cnames }) => cnames.at(-1) ?? ''))
  const isHosted = affected.every(({ provider }) => provider !== null)
  const risk = isHosted
    ? ''
    : ' Anyone who can create that name, for example by registering its domain, can sign as this domain.'
  const names = formatList(affected.map(({ name }) => name))
  return [
    createFinding(
      'dkim.dangling-cname',
      {
        title: `DKIM CNAME that leads nowhere: ${names}`,
        detail: `There is no key at ${targets}, so mail signed with the selector fails DKIM.${risk}`,
        fix: `Turn on DKIM signing at the service that the CNAME leads to, or delete the CNAME at ${names} if the service is no longer used.`,
      },
      affected.flatMap(({ name, cnames }) => cnameEvidence(name, cnames)),
    ),
  ]
}

/** Services set up CNAMEs in pairs and keep a key at only one of them until the next rotation. */
function isSpare({ provider }: DanglingCname, keys: readonly DkimKey[]): boolean {
  const isHosted = (key: DkimKey) => key.valid && key.cnames.length > 0
  return provider !== null && keys.some((key) => isHosted(key) && key.provider?.id === provider.id)
}

function judgeWildcard({ domain, wildcardKeys }: DkimFacts): Finding[] {
  if (wildcardKeys.length === 0) return []
  const evidence = wildcardKeys.map(keyRecordEvidence)
  if (wildcardKeys.every((key) => key.revoked)) {
    return [
      createFinding(
        'dkim.wildcard-revoked',
        {
          title: 'A wildcard revokes every unpublished selector',
          detail: `It revokes the keys of all selectors that are not set up. That is right for a domain that sends no mail, and harmless for one that does.${omittedRecordsNote(wildcardKeys)}`,
          fix: 'No action is needed. If the domain starts to send mail, publish its keys beside the wildcard.',
        },
        evidence,
      ),
    ]
  }
  return [
    createFinding(
      'dkim.wildcard',
      {
        title: 'A wildcard returns a DKIM record for every selector',
        detail: `Even a selector that was never set up has this record. It says nothing about the selectors in use, and none of them can be revoked alone.${omittedRecordsNote(wildcardKeys)}`,
        fix: `Publish each key in use at its own selector, then delete the wildcard record that covers _domainkey.${domain}.`,
      },
      evidence,
    ),
  ]
}

function keyRecordEvidence({ name, record }: DkimKey): Finding['evidence'][number] {
  return txtEvidence(name, record)
}

function dkimTxtEvidence({ name, txtRecords }: DkimKey): Finding['evidence'] {
  return txtRecords.map((text) => txtEvidence(name, text))
}

/** A sentence to append; empty when every record is shown. */
function omittedRecordsNote(keys: readonly DkimKey[]): string {
  const byName = new Map(keys.map((key) => [key.name, key.txtRecordCount - key.txtRecords.length]))
  const omitted = [...byName].filter(([, count]) => count > 0)
  const total = omitted.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return ''
  const names = formatList(omitted.map(([name]) => name))
  return total === 1
    ? ` 1 more record at ${names} is not shown.`
    : ` ${total} more records at ${names} are not shown.`
}
