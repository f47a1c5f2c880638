/** Whether receivers of an older kind, or a registry, decide otherwise than the owner thinks. */
import { type Finding, finding } from '../finding.js'
import { aliasNote, isRegistrys, publication, publishAt, sentence, stationOf } from './advice.js'
import type { Applied, DmarcFacts } from './discover-dmarc.js'
import { choiceOf, POLICIES, type Policy } from './dmarc-record.js'
import { recordEvidence } from './evidence.js'
import type { OlderAnswer } from './older-receivers.js'
import { proposed } from './rewrite-record.js'

export function judgeOlder(facts: DmarcFacts): Finding[] {
  const { domain, applied, older } = facts
  if (!applied) return []
  return [
    ...(older && differs(facts, older) ? [judgeDifference(facts, applied, older)] : []),
    ...(isRegistrys(applied, domain) ? [judgeRegistry(facts, applied)] : []),
  ]
}

function differs({ applied, policy }: DmarcFacts, older: OlderAnswer): boolean {
  if (policy !== older.policy) return true
  return policy !== null && applied?.station.name !== older.recordName
}

function judgeDifference(facts: DmarcFacts, applied: Applied, older: OlderAnswer): Finding {
  const { domain, policy } = facts
  const theirs = older.recordName
    ? `use the record at ${older.recordName} and apply ${inWords(older.policy)}`
    : 'find no usable record'
  return finding(
    'dmarc.old-receivers-differ',
    {
      title:
        policy === older.policy
          ? `Older receivers go by the record at ${older.recordName}`
          : `Older receivers apply ${inWords(older.policy)} instead of ${inWords(policy)}`,
      detail: `Receivers that go by RFC 9989 walk up the DNS, come to ${applied.station.name} and apply ${inWords(policy)} to ${domain}. Those that still go by RFC 7489 take ${older.organizationalDomain} for the organisational domain, from the public suffix list; they ${theirs}.`,
      fix: agreement(facts, applied, older),
    },
    recordEvidence(applied),
  )
}

/** What makes both kinds of receivers agree, on the stronger policy: mostly a record of its own. */
function agreement(facts: DmarcFacts, applied: Applied, older: OlderAnswer): string {
  const { domain, policy, walk } = facts
  const { station, record, policies } = applied
  const own = walk.stations[0]
  if (own && own.records.length > 1) {
    return `Keep a single record at ${own.name}.${aliasNote(own)}`
  }
  if (choiceOf(record, 'np', POLICIES) === 'invalid') {
    return `Correct np in the record at ${station.name}, which older receivers do not read.${aliasNote(station)}`
  }
  if (isRegistrys(applied, domain)) return sentence(publication(facts, applied))
  const agreed = strongest(policy, older.policy)
  if (policy !== policies?.subdomains) {
    return sentence(publication(facts, applied, { sp: agreed, np: null }))
  }
  const changes = { p: agreed, sp: null, np: null, psd: null }
  const advice = publishAt(
    stationOf(facts, domain),
    proposed(record, changes),
    'publish a record of its own',
  )
  return sentence(advice)
}

/** RFC 9989 §4.10.1: a public suffix's policy holds where the organisation has none. */
function judgeRegistry(facts: DmarcFacts, applied: Applied): Finding {
  const registry = applied.station.domain
  return finding(
    'dmarc.public-suffix-policy',
    {
      title: `The policy is that of the registry, ${registry}`,
      detail: `There is no record for ${facts.domain}, so the one holds that the operator of ${registry} publishes for everybody below. It can change without notice, and the reports go there.`,
      fix: `To have a policy and reports of your own, ${publication(facts, applied)}`,
    },
    recordEvidence(applied),
  )
}

function strongest(...policies: (Policy | null)[]): Policy | null {
  return POLICIES.findLast((policy) => policies.includes(policy)) ?? null
}

function inWords(policy: Policy | null): string {
  return policy === null ? 'no policy' : `the policy ${policy}`
}
