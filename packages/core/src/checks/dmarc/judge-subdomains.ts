/** Whether names below a protected domain are protected as well; forgers choose those that are not. */
import { type Finding, finding } from '../finding.js'
import { aliasNote, publication, publishedRecord, sentence } from './advice.js'
import type { Applied, DmarcFacts } from './discover-dmarc.js'
import type { Policy } from './dmarc-record.js'
import { recordEvidence } from './evidence.js'
import { CONSEQUENCES, isWeaker } from './policies.js'

export function judgeSubdomains(facts: DmarcFacts): Finding[] {
  const { domain, applied, policy, below } = facts
  if (!applied || !policy || !below) return []
  // An inherited policy is itself that of subdomains, or of names that do not exist.
  const isOwn = applied.station.domain === domain
  return [
    ...(isOwn ? judgeExisting(facts, below, policy) : []),
    ...judgeNonexistent(facts, below, policy),
    ...(isOwn && below.station !== applied.station ? judgeIgnored(facts, applied, below) : []),
  ]
}

function judgeExisting(facts: DmarcFacts, below: Applied, policy: Policy): Finding[] {
  const weak = below.policies?.subdomains
  if (!weak || !isWeaker(weak, policy)) return []
  // In the domain's own record, what `sp` does not say `p` does.
  const isOwn = below.station.domain === facts.domain
  const changes = { sp: isOwn ? null : policy }
  const advice = publication(facts, below, changes)
  return [
    finding(
      weak === 'none' ? 'dmarc.subdomains-open' : 'dmarc.subdomains-weaker',
      {
        title: `The subdomains of ${facts.domain} have only the policy ${weak}`,
        detail: `The domain itself has ${policy}. But when mail in the name of any of its subdomains is forged, receivers ${CONSEQUENCES[weak]}, and a forger only has to make up a subdomain.`,
        fix: `Make sure that your own mail from subdomains passes, then ${isOwn ? advice : `${advice}, which holds for every subdomain of ${below.station.domain}`}`,
        ...publishedRecord(facts, below, changes),
      },
      recordEvidence(below),
    ),
  ]
}

/** Only what `np` itself says: without it such names share the fate of those that exist. */
function judgeNonexistent(facts: DmarcFacts, below: Applied, policy: Policy): Finding[] {
  const weak = below.policies?.nonexistent
  if (!weak || !below.record.tags.has('np') || !isWeaker(weak, policy)) return []
  return [
    finding(
      'dmarc.nonexistent-weaker',
      {
        title: `Subdomains that do not exist have only the policy ${weak}`,
        detail: `np=${weak} is weaker than the policy ${policy} of ${facts.domain}. No honest mail comes from a name that does not exist, so there is nothing to spare.`,
        fix: sentence(publication(facts, below, { np: 'reject' })),
        ...publishedRecord(facts, below, { np: 'reject' }),
      },
      recordEvidence(below),
    ),
  ]
}

/** RFC 9989 §4.7: `sp` and `np` count in the record of the organisational domain alone. */
function judgeIgnored(facts: DmarcFacts, applied: Applied, below: Applied): Finding[] {
  const given = ['sp', 'np'].filter((tag) => applied.record.tags.has(tag))
  if (given.length === 0) return []
  return [
    finding(
      'dmarc.subdomain-tags-ignored',
      {
        title: `Without effect in this record: ${given.join(' and ')}`,
        detail: `Names below ${facts.domain} get their policy from ${below.station.name}, the record of the organisational domain, and not from this one.`,
        fix: `Set the policy of subdomains at ${below.station.name}, or give them records of their own.${aliasNote(below.station)} To clear this one, ${publication(facts, applied, { sp: null, np: null })}`,
      },
      recordEvidence(applied),
    ),
  ]
}
