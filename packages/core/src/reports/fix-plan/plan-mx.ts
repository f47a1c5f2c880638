/** Where mail goes: what works stays, what does not goes, and who takes none says so. */
import type { MxTarget } from '../../checks/mx/discover-mx.js'
import type { DomainFacts } from './discover-domain.js'
import { isDeliverable, type MailUse } from './plan-context.js'
import { createPlannedRecord, fillTemplate, type PlannedRecord } from './planned-record.js'
import type { MailboxProvidersInUse } from './services-in-use.js'

/** RFC 7505 §3. */
const NULL_MX = '0 .'

export function planMx(
  facts: DomainFacts,
  mailboxes: MailboxProvidersInUse,
  { sends, takesReports }: Pick<MailUse, 'sends'> & { readonly takesReports: boolean },
): PlannedRecord[] {
  const { targets } = facts.mx
  if (targets.length > 0) return standing(facts)
  // The reports about a domain may go to its own web address, for all that is known.
  if (!sends) return takesReports ? [] : [nullMx(facts)]
  return mailboxes.flatMap((seen) => providersMx(facts, seen))
}

/** A target that is dead goes if another is alive; who knows what was meant if none is. */
function standing({ domain, mx }: DomainFacts): PlannedRecord[] {
  const hasLiving = mx.targets.some(isDeliverable)
  const values = mx.targets.map(written)
  return mx.targets.map((target, index) => {
    const otherValues = values.filter((_, other) => other !== index)
    const record = {
      ...createPlannedRecord('mx', domain, written(target)),
      type: 'MX' as const,
      otherValues,
    }
    const gone = hasLiving ? reasonToGo(target) : null
    return gone
      ? { ...record, action: 'delete', why: gone }
      : { ...record, action: 'keep', why: whyKept(target) }
  })
}

function whyKept(target: MxTarget): string {
  if (target.kind === 'null') return 'It says that the domain accepts no mail.'
  return isDeliverable(target)
    ? 'Mail is delivered here.'
    : 'No mail can be delivered here, but what was meant only you can tell: name a host that has an address.'
}

function reasonToGo(target: MxTarget): string | null {
  if (target.kind === 'null') {
    return 'A null MX beside real mail servers makes some senders return the mail (RFC 7505 §3).'
  }
  if (target.kind === 'ip-literal') return 'An MX names a host, not an address (RFC 5321 §5.1).'
  return isDeliverable(target)
    ? null
    : 'The host has no address, so no mail can be delivered there.'
}

function written({ preference, exchange }: MxTarget): string {
  return `${preference} ${exchange}`
}

function nullMx({ domain }: DomainFacts): PlannedRecord {
  const why =
    'Says that the domain accepts no mail, so that senders do not try for days (RFC 7505 §3).'
  const before = `If ${domain} does receive mail, publish the MX records of your mailbox provider instead of this one.`
  return { ...createPlannedRecord('mx', domain, NULL_MX), type: 'MX', why, precondition: before }
}

/** Nobody can deliver anything now, so nothing is lost by naming who surely takes mail. */
function providersMx({ domain }: DomainFacts, { entry, evidence }: MailboxProvidersInUse[number]) {
  const why = `Nobody can deliver mail to the domain: it has no MX record and no address. ${entry.name} runs mailboxes and is named by ${evidence}.`
  const before = `If your mailboxes are not at ${entry.name}, publish the MX records of your provider instead.`
  return entry.setup.mx.map((template): PlannedRecord => {
    const record = createPlannedRecord('mx', domain, fillTemplate(template, domain))
    return { ...record, type: 'MX', why, precondition: before }
  })
}
