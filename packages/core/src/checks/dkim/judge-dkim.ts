/** What is wrong with a domain's DKIM. */
import { type Finding, finding } from '../finding.js'
import { listed } from '../listed.js'
import type { DanglingAlias, DkimFacts, FoundKey } from './dkim-facts.js'
import { keyEvidence, notShown, textEvidence } from './evidence.js'
import { judgePresence } from './judge-presence.js'
import { KEY_RULES } from './key-rules.js'

export function judgeDkim(facts: DkimFacts): Finding[] {
  return [
    ...judgePresence(facts),
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
      ? [finding(id, words(concerned, usable), concerned.map(keyEvidence))]
      : []
  })
}

function judgeSeveral({ keys }: DkimFacts): Finding[] {
  const byName = new Map(keys.filter((key) => key.textCount > 1).map((key) => [key.name, key]))
  if (byName.size === 0) return []
  const names = listed([...byName.keys()])
  return [
    finding(
      'dkim.several-records',
      {
        title: `Several TXT records under one selector: ${names}`,
        detail: `A selector may have one record only. What receivers do with several is not defined: some take the first they get, which changes from one time to the next, and others none.${notShown(keys)}`,
        fix: `Keep the record with the key in use at ${names} and delete the others. If they are pieces of one key, publish them as several strings of one record.`,
      },
      [...byName.values()].flatMap(textEvidence),
    ),
  ]
}

function judgeDangling({ keys, dangling }: DkimFacts): Finding[] {
  const concerned = dangling.filter((alias) => !isSpare(alias, keys))
  if (concerned.length === 0) return []
  const targets = listed(concerned.map((alias) => alias.cname.at(-1) ?? ''))
  const names = listed(concerned.map((alias) => alias.name))
  return [
    finding(
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
function isSpare({ provider }: DanglingAlias, keys: readonly FoundKey[]): boolean {
  const isSibling = (key: FoundKey) => key.valid && key.cname.length > 0
  return provider !== null && keys.some((key) => isSibling(key) && key.provider?.id === provider.id)
}

function judgeWildcard({ domain, wildcardKeys }: DkimFacts): Finding[] {
  if (wildcardKeys.length === 0) return []
  const evidence = wildcardKeys.map(keyEvidence)
  if (wildcardKeys.every((key) => key.revoked)) {
    return [
      finding(
        'dkim.wildcard-revoked',
        {
          title: 'Every selector that is not published is revoked',
          detail: `A wildcard answers for selectors that nobody has set up, and takes their keys back. That is right for a domain that sends no mail, and harmless beside the keys of one that does.${notShown(wildcardKeys)}`,
          fix: 'Nothing. A domain that starts to send mail publishes its keys beside the wildcard.',
        },
        evidence,
      ),
    ]
  }
  return [
    finding(
      'dkim.wildcard',
      {
        title: 'A wildcard answers for every selector with a DKIM record',
        detail: `Even a selector that nobody has set up has this record, so that it proves nothing about the selectors in use, and none of them can be taken back alone.${notShown(wildcardKeys)}`,
        fix: `Delete the wildcard record that covers _domainkey.${domain}, and publish each key under its own selector.`,
      },
      evidence,
    ),
  ]
}

function judgeFailed({ namesFailed }: DkimFacts): Finding[] {
  if (namesFailed.length === 0) return []
  return [
    finding('dkim.lookup-failed', {
      title: 'Some names could not be looked up',
      detail: `No answer came for ${listed(namesFailed)}. What is there is not known, and nothing is made of it.`,
      fix: 'Ask again in a moment. If it stays so, have a look at the name servers of the domain.',
    }),
  ]
}

function aliasEvidence({ name, cname }: DanglingAlias): Finding['evidence'] {
  const owners = [name, ...cname]
  return cname.map((value, index) => ({ name: owners[index] ?? name, type: 'CNAME', value }))
}
