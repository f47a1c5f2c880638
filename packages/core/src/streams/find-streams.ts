/** Who sends as a domain, by its own records alone, and what happens to that mail today. */
import type { SpfReport } from '../checks/spf/spf-report.js'
import { collectStreams } from './collect-streams.js'
import { NOTHING_BELOW } from './discover-below.js'
import { detectMailboxProviders, detectSenders, type OwnerAnswers } from './find-senders.js'
import { createKeyOwners } from './key-owners.js'
import { findOwnServers } from './own-servers.js'
import { type MailZone, simulate } from './simulate.js'
import type { StreamReport } from './stream.js'

const NO_ANSWERS: OwnerAnswers = { uses: [], unused: [] }

type CheckedFacts = Omit<MailZone, 'below' | 'ownerOf'>

/** `named`: the services in the SPF record. */
export function findStreams(
  checked: CheckedFacts,
  named: SpfReport['senders'],
  declaresNoMail: boolean,
): StreamReport[] {
  const facts = { ...checked, below: NOTHING_BELOW }
  const senders = detectSenders(facts, named, detectMailboxProviders(facts), NO_ANSWERS)
  const zone = { ...facts, ownerOf: createKeyOwners(senders, facts.dkim, findOwnServers(facts)) }
  return collectStreams(facts, senders, declaresNoMail).map((stream) => simulate(stream, zone))
}
