/** Whose mail has to be saved today, before anything else is done. */
import { isAcceptable } from '../../checks/dkim/key-record.js'
import { outcomeFrom } from '../../streams/simulate.js'
import { isCounted, isLost, isUnsignedMailbox, streamIdOf } from '../../streams/stream.js'
import { effectiveTreatment, lostStreams } from '../check/check-reports.js'
import {
  findStrictlyAligned,
  findToRelax,
  hasHiddenKeys,
  maySign,
  type PlanContext,
  type PlanStream,
  type SignerBelow,
} from './plan-context.js'
import { type PlannedRecord, streamOf } from './planned-record.js'

export interface UrgentMail {
  /** The ids of the streams. */
  readonly streams: ReadonlySet<string>
  /** The SPF record may save some of it. */
  readonly isSpfNeeded: boolean
  /** No signature is known at all, so forwarded mail is lost, whoever sends it. */
  readonly isUnsigned: boolean
  /** The DMARC record loses some of it, by strict alignment that the plan leaves out. */
  readonly isPolicyNeeded: boolean
}

export function findUrgentMail(context: PlanContext): UrgentMail {
  const { streams, facts } = context
  const lost = lostStreams({ streams })
  const isUnsigned = hasNoSignature(context)
  // What is lost without being forwarded comes first.
  const mailboxes = lost.length > 0 ? [] : findUnsignedMailboxes(context)
  const unsigned = isUnsigned
    ? streams.filter((stream) => isCounted(stream) && stream.dkim === 'none')
    : mailboxes
  return {
    streams: new Set([...lost, ...unsigned].map(({ id }) => id)),
    isSpfNeeded: lost.some(({ at, spf }) => at === facts.domain && spf === 'fails'),
    isUnsigned,
    isPolicyNeeded: findToRelax(context).length > 0 && findStrictlyLost(context).length > 0,
  }
}

/** Services below the domain whose mail is lost if its From address is at the domain itself. */
export function findStrictlyLost(context: PlanContext): SignerBelow[] {
  const { facts, streams } = context
  return findStrictlyAligned(context).filter(({ entry, name }) => {
    const stream = streams.find(({ id }) => id === streamIdOf({ entry, setUpAt: name }))
    return stream && isLost({ outcome: outcomeFrom(facts.domain, stream, facts) })
  })
}

/** Under an enforced policy, the mailboxes whose mail passes at most until it is forwarded. */
export function findUnsignedMailboxes(context: PlanContext): PlanStream[] {
  if (!isEnforced(context)) return []
  return context.streams.filter((stream) => isUnsignedMailbox(stream) && !isLost(stream))
}

function isEnforced({ facts }: PlanContext): boolean {
  return effectiveTreatment(facts.reports.dmarc) !== 'none'
}

/** Under an enforced policy, and as far as DNS can show it. */
function hasNoSignature(context: PlanContext): boolean {
  const { facts, mailUse, streams, answers } = context
  const { keys, wildcardKeys, wildcard } = facts.dkim
  const isRevoked = wildcardKeys.length > 0 && wildcardKeys.every(({ revoked }) => revoked)
  const isUnseen = hasHiddenKeys(facts.dkim) || (wildcard && !isRevoked)
  const signs = keys.some((key) => maySign(key, context))
  // Those of a service that is no longer used say nothing about the keys of others.
  const isKnown =
    !keys.some(isAcceptable) || streams.some((each) => isCounted(each) && each.dkim === 'none')
  const isSeen = (streams.some(isCounted) && isKnown) || answers.uses.length > 0
  return mailUse.sends && isSeen && isEnforced(context) && !isUnseen && !signs
}

/** An SPF record with a condition may itself lose mail, so it is never urgent. */
export function isUrgentRecord(
  record: Pick<PlannedRecord, 'purpose' | 'service' | 'setUpAt' | 'name' | 'isOptional'> & {
    readonly onlyIf: unknown
  },
  { streams, isSpfNeeded, isPolicyNeeded }: UrgentMail,
): boolean {
  if (record.isOptional) return false
  const stream = streamOf(record)
  if (stream !== null) return streams.has(stream)
  if (record.purpose === 'dmarc') return isPolicyNeeded
  return record.purpose === 'spf' && isSpfNeeded && record.onlyIf === null
}

/** What saves mail today comes before the rest. */
export function inOrderOfNeed<Item>(
  all: readonly Item[],
  isUrgent: (item: Item) => boolean,
): Item[] {
  return [...all.filter(isUrgent), ...all.filter((item) => !isUrgent(item))]
}
