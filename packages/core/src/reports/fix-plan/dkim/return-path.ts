/** Plans the records that put the Return-Path of a service below the domain. */
import type { MailService } from '../../../catalog/mail-services.js'
import { describeScreen } from '../../../catalog/mail-services.js'
import { fillTemplate, hasPlaceholder, readTemplate } from '../../../catalog/record-template.js'
import type { SenderInUse } from '../../../streams/find-senders.js'
import type { DomainFacts } from '../discover-domain.js'
import type { PlanContext } from '../plan-context.js'
import { createPlannedRecord, findPlaceholders, type PlannedRecord } from '../planned-record.js'
import { type Condition, say } from '../say.js'

/** The keys that are planned for a service. */
interface Planned {
  readonly key: {
    readonly service: MailService
    readonly base: string
    readonly onlyIf: readonly Condition[] | null
  }
  readonly records: readonly PlannedRecord[]
}

/** Another label if a service of the domain has the usual one, and the customer may choose. */
export function chooseLabel(
  label: string,
  service: MailService,
  { facts: { domain, below }, services }: PlanContext,
): string {
  const others = services.senders.filter(({ entry }) => entry.id !== service.id)
  const isFree = (each: string) => {
    const name = `${each}.${domain}`
    const user = below.names.find((found) => found.name === name)
    const isWanted = others.some(({ entry }) =>
      entry.setup.returnPath?.some((record) => record.label === each),
    )
    const isOther = user?.service && user.service.id !== service.id
    return !isOther && !isWanted && !below.failed.includes(name)
  }
  return [label, ...(service.setup.otherLabels ?? [])].find(isFree) ?? label
}

/** Records that put the Return-Path below the domain, so that SPF is aligned as well. */
export async function planReturnPath(
  { entry: service, setUpAt }: SenderInUse,
  context: PlanContext,
  planned: readonly Planned[],
): Promise<PlannedRecord[]> {
  const { facts } = context
  const base = setUpAt ?? facts.domain
  const own = planned.filter(({ key }) => key.service === service && key.base === base)
  const isNew = own.some(({ records }) => records.length > 0)
  const isBelow = service.returnPathAtRoot === 'never'
  if (!isNew || !isBelow) return []
  const onlyIf = own[0]?.key.onlyIf ?? null
  const known = readReturnPathTokens(service, facts)
  const isPublished = base === facts.domain && hasReturnPath(service, facts)
  const records = (service.setup.returnPath ?? []).map((setup) => {
    const fill = (text: string) => fillTemplate(text, base, service.id, known)
    const label = fill(chooseLabel(setup.label, service, context))
    return { setup, name: `${label}.${base}`, value: fill(setup.value) }
  })
  const wanted = records
    .filter(({ setup, name, value }) => !setup.isOptional || !hasPlaceholder(`${name} ${value}`))
    .filter(({ name }) => !isPublished || !hasPlaceholder(name))
  const isTaken = await Promise.all(
    wanted.map(async ({ name }) => {
      if (hasPlaceholder(name)) return false
      const answer = await facts.dns.query(name, 'TXT')
      // A name that could not be looked up may hold a record.
      if (answer.kind === 'failed') return true
      const isFree = answer.kind === 'nxdomain' && answer.cnames.length === 0
      return !isFree && facts.wildcard.cnames.length === 0
    }),
  )
  return wanted
    .filter((_, index) => !isTaken[index])
    .map(({ setup, name, value }) => ({
      ...createPlannedRecord('spf', name, value),
      type: setup.type,
      service: service.id,
      why: [say('dkim.bounces', { service: service.name, name: [name] })],
      placeholders: findPlaceholders([name, value], describeScreen(service)),
      onlyIf,
      ...(setup.isOptional && { isOptional: true as const }),
    }))
}

/** The account in the CNAME of a Return-Path that is published already. */
export function readReturnPathTokens(
  service: MailService,
  { below }: DomainFacts,
): Readonly<Record<string, string>> {
  const templates = (service.setup.returnPath ?? []).filter(({ type }) => type === 'CNAME')
  const targets = below.names.flatMap((each) =>
    each.service === service && each.target !== null ? [each.target] : [],
  )
  const read = targets
    .flatMap((target) => templates.map(({ value }) => readTemplate(value, target)))
    .filter((tokens) => tokens !== null)
  return Object.assign({}, ...read)
}

/** Whether a name below the domain takes the bounces of the service already. */
function hasReturnPath(service: MailService, { below }: DomainFacts): boolean {
  const values = (service.setup.returnPath ?? []).map(({ value }) => value)
  return below.names.some(
    ({ service: found, target }) =>
      found === service &&
      (target === null || values.some((value) => readTemplate(value, target) !== null)),
  )
}
