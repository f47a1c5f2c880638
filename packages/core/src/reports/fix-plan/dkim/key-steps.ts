/** What only a service or the owner can do about a key: no record follows from DNS. */
import { describeScreen, type MailService } from '../../../catalog/mail-services.js'
import { fillTemplate } from '../../../catalog/record-template.js'
import type { DkimFacts, DkimKey } from '../../../checks/dkim/dkim-facts.js'
import { isRsaShorterThan, RECOMMENDED_RSA_BITS } from '../../../checks/dkim/key-record.js'
import type { SenderInUse } from '../../../streams/find-senders.js'
import type { PlanContext } from '../plan-context.js'
import { type Sayable, say } from '../say.js'
import { hasOwnServer } from './generic-key.js'
import { findLongerKey, isOfOwnServer, singleRecordKeys } from './plan-current-key.js'

/**
 * `switch`: the service has a longer key and still signs with a short one; `rotate`: the service keeps a short key behind CNAMEs, and can create a longer one; `tell-apart`:
 * a selector has several keys, and only the signer knows which is its own; `dead-delegation`: the
 * servers of `_domainkey` don't answer, so receivers find no key; `lockdown`: other customers of the
 * service pass SPF as the domain.
 */
export type KeyStep =
  | {
      readonly kind: 'switch'
      readonly service: MailService
      readonly keys: readonly [longer: DkimKey, ...short: DkimKey[]]
    }
  | { readonly kind: 'rotate'; readonly service: MailService; readonly keys: readonly DkimKey[] }
  | {
      readonly kind: 'tell-apart'
      readonly service: MailService | null
      /** A server of the owner's signs with one of them, as far as is known. */
      readonly isOfServer: boolean
      readonly keys: readonly [DkimKey, ...DkimKey[]]
    }
  | { readonly kind: 'dead-delegation'; readonly service: null; readonly keys: readonly DkimKey[] }
  | { readonly kind: 'lockdown'; readonly service: MailService; readonly keys: readonly DkimKey[] }

export type Rotation = Extract<KeyStep, { readonly kind: 'rotate' }>

/** `signing` has the ids of the services that sign, or are to sign, for the domain. */
export async function planKeySteps(
  context: PlanContext,
  signing: ReadonlySet<string>,
): Promise<KeyStep[]> {
  if (!context.mailUse.sends) return []
  if (isDelegationDead(context.facts.dkim)) {
    return [{ kind: 'dead-delegation', service: null, keys: [] }]
  }
  const open = await Promise.all(
    context.services.senders.map((sender) => findLockdown(context, sender)),
  )
  return [
    ...switches(context, signing),
    ...rotations(context, signing),
    ...choices(context),
    ...open.flat(),
  ]
}

/** Nothing at or below `_domainkey` can be looked up, although the domain itself can. */
export function isDelegationDead(dkim: DkimFacts): boolean {
  const { domain, failedNames, failedBecause, selectorsTried, selectorsFailed } = dkim
  const isAll = selectorsTried.length > 0 && selectorsFailed.length === selectorsTried.length
  return isAll && failedBecause !== 'over-limit' && failedNames.includes(`_domainkey.${domain}`)
}

/** Where the service creates a longer key, and how. */
export function describeRotation(
  { service: { id, name, setup } }: Rotation,
  domain: string,
): { readonly where: string; readonly how: readonly Sayable[] } {
  const { how = '', screen = null, sameRecords } = setup.dkim?.longerKeys ?? {}
  const dkim = screen && setup.dkim ? { ...setup.dkim, screen } : setup.dkim
  return {
    where: describeScreen({ name, setup: { ...setup, dkim } }),
    how: [fillTemplate(how, domain, id), ...(sameRecords ? [say('step.same-records', {})] : [])],
  }
}

function switches({ facts, services }: PlanContext, signing: ReadonlySet<string>): KeyStep[] {
  const { ownerOf, senders } = services
  return senders.flatMap(({ entry: service, setUpAt }): KeyStep[] => {
    const longer = findLongerKey(service, facts.dkim, ownerOf)
    const short = singleRecordKeys(facts.dkim.keys).filter(
      (key) =>
        key.cnames.length === 0 &&
        key.valid &&
        isRsaShorterThan(RECOMMENDED_RSA_BITS, key) &&
        ownerOf(key)?.id === service.id,
    )
    const isDue = setUpAt === null && signing.has(service.id) && short.length > 0
    return longer && isDue ? [{ kind: 'switch', service, keys: [longer, ...short] }] : []
  })
}

function rotations({ facts, services }: PlanContext, signing: ReadonlySet<string>): KeyStep[] {
  const short = facts.dkim.keys.filter(
    (key) => key.cnames.length > 0 && key.valid && isRsaShorterThan(RECOMMENDED_RSA_BITS, key),
  )
  const owners = new Set(short.map(services.ownerOf))
  return [...owners].flatMap((service): KeyStep[] => {
    if (!service?.setup.dkim?.longerKeys || !signing.has(service.id)) return []
    const keys = short.filter((key) => services.ownerOf(key) === service)
    return [{ kind: 'rotate', service, keys }]
  })
}

async function findLockdown(
  { facts: { dns, domain } }: PlanContext,
  { entry: service, inUse }: SenderInUse,
): Promise<KeyStep[]> {
  const { lockdown } = service.setup.dkim ?? {}
  if (!lockdown || inUse === 'unsure') return []
  const { kind } = await dns.query(`${lockdown.label}.${domain}`, 'TXT')
  const isOpen = kind === 'nodata' || kind === 'nxdomain'
  return isOpen ? [{ kind: 'lockdown', service, keys: [] }] : []
}

/** RFC 6376 §3.6.2.2: with several records, the result is undefined. */
function choices(context: PlanContext): KeyStep[] {
  const { facts, services } = context
  const hasServer = hasOwnServer(context)
  const names = new Set(facts.dkim.keys.map(({ name }) => name))
  return [...names].flatMap((name): KeyStep[] => {
    const [first, ...others] = facts.dkim.keys.filter((key) => key.name === name)
    if (!first || others.length === 0 || first.cnames.length > 0) return []
    const service = services.ownerOf(first)
    const isOfServer = service === null && isOfOwnServer(first, { hasServer })
    return [{ kind: 'tell-apart', service, isOfServer, keys: [first, ...others] }]
  })
}
