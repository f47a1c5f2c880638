/** What is wrong with a domain's DKIM. */
import { createFinding, type Finding } from '../finding.js'
import { formatList } from '../format-list.js'
import { dkimTxtEvidence, keyRecordEvidence, omittedRecordsNote } from './dkim-evidence.js'
import type { DanglingCname, DkimFacts, DkimKey } from './dkim-facts.js'
import { judgeDkimPresence } from './judge-dkim-presence.js'
import { KEY_RULES } from './key-rules.js'

export function judgeDkim(facts: DkimFacts): Finding[] {
  return [
    ...judgeDkimPresence(facts),
    ...judgeKeys(facts),
    ...judgeSeveral(facts),
    ...judgeDangling(facts),
    ...judgeWildcard(facts),
    ...judgeFailed(facts),
  ]
}

function judgeKeys({ keys, wildcardKeys }: DkimFacts): Finding[] {
  const usable = keys.filter((key) => key.valid)
  const others = wildcardKeys.filter(({ record }) => keys.every((key) => key.record !== record))
  return KEY_RULES.flatMap(({ id, concerns, words, includesWildcard }) => {
    const candidates = includesWildcard ? [...keys, ...others] : keys
    const concerned = candidates.filter((key) => concerns(key, usable))
    return concerned.length > 0
      ? [createFinding(id, words(concerned, usable), concerned.map(keyRecordEvidence))]
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
        title: `Several TXT records under one selector: ${names}`,
        detail: `A selector may have one record only. What receivers do with several is not defined: some take the first they get, which changes from one time to the next, and others none.${omittedRecordsNote(keys)}`,
        fix: `Keep the record with the key in use at ${names} and delete the others. If they are pieces of one key, publish them as several strings of one record.`,
      },
      [...byName.values()].flatMap(dkimTxtEvidence),
    ),
  ]
}

function judgeDangling({ keys, danglingCnames }: DkimFacts): Finding[] {
  const concerned = danglingCnames.filter((alias) => !isSpare(alias, keys))
  if (concerned.length === 0) return []
  const targets = formatList(concerned.map((alias) => alias.cnames.at(-1) ?? ''))
  const names = formatList(concerned.map((alias) => alias.name))
  return [
    createFinding(
      'dkim.dangling-cname',
      {
        title: `DKIM alias that leads nowhere: ${names}`,
        detail: `There is no key at ${targets}, so mail signed with the selector fails DKIM. If somebody else can create that name, by registering its domain or opening an account there, they can sign as this domain.`,
        fix: `Turn on DKIM signing at the service that the alias leads to, or delete the CNAME at ${names} if the service is no longer in use.`,
      },
      concerned.flatMap(aliasEvidence),
    ),
  ]
}

/** Services set up aliases in pairs and keep a key at one of them until they change keys. */
function isSpare({ provider }: DanglingCname, keys: readonly DkimKey[]): boolean {
  const isSibling = (key: DkimKey) => key.valid && key.cnames.length > 0
  return provider !== null && keys.some((key) => isSibling(key) && key.provider?.id === provider.id)
}

function judgeWildcard({ domain, wildcardKeys }: DkimFacts): Finding[] {
  if (wildcardKeys.length === 0) return []
  const evidence = wildcardKeys.map(keyRecordEvidence)
  if (wildcardKeys.every((key) => key.revoked)) {
    return [
      createFinding(
        'dkim.wildcard-revoked',
        {
          title: 'Every selector that is not published is revoked',
          detail: `A wildcard answers for selectors that nobody has set up, and takes their keys back. That is right for a domain that sends no mail, and harmless beside the keys of one that does.${omittedRecordsNote(wildcardKeys)}`,
          fix: 'Nothing. A domain that starts to send mail publishes its keys beside the wildcard.',
        },
        evidence,
      ),
    ]
  }
  return [
    createFinding(
      'dkim.wildcard',
      {
        title: 'A wildcard answers for every selector with a DKIM record',
        detail: `Even a selector that nobody has set up has this record, so that it proves nothing about the selectors in use, and none of them can be taken back alone.${omittedRecordsNote(wildcardKeys)}`,
        fix: `Delete the wildcard record that covers _domainkey.${domain}, and publish each key under its own selector.`,
      },
      evidence,
    ),
  ]
}

function judgeFailed({ failedNames }: DkimFacts): Finding[] {
  if (failedNames.length === 0) return []
  return [
    createFinding('dkim.lookup-failed', {
      title: 'Some names could not be looked up',
      detail: `No answer came for ${formatList(failedNames)}. What is there is not known, and nothing is made of it.`,
      fix: 'Ask again in a moment. If it stays so, have a look at the name servers of the domain.',
    }),
  ]
}

function aliasEvidence({ name, cnames }: DanglingCname): Finding['evidence'] {
  const owners = [name, ...cnames]
  return cnames.map((value, index) => ({ name: owners[index] ?? name, type: 'CNAME', value }))
}
