/** Plans the records that put the Return-Path of a service below the domain. */
import type { MailService } from '../../../catalog/mail-services.js'
import { describeScreen, findProviderTerms } from '../../../catalog/mail-services.js'
import { fillTemplate, hasPlaceholder, readTemplate } from '../../../catalog/record-template.js'
import { isSpfRecord } from '../../../checks/spf/spf-record.js'
import { readTxtRecords } from '../../../checks/txt-records.js'
import type { SenderInUse } from '../../../streams/find-senders.js'
import type { DomainFacts } from '../discover-domain.js'
import { isStrict, type PlanContext } from '../plan-context.js'
import {
  createPlannedRecord,
  findPlaceholders,
  idsOf,
  type PlannedRecord,
} from '../planned-record.js'
import { type Condition, say } from '../say.js'

/** The keys that are planned for a service. */
interface Planned {
  readonly key: {
    readonly service: MailService
    readonly setUpAt: string | null
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
  sender: SenderInUse,
  context: PlanContext,
  planned: readonly Planned[],
): Promise<PlannedRecord[]> {
  const { facts } = context
  const { entry: service, setUpAt } = sender
  const own = planned.find(
    ({ key, records }) => key.service === service && key.setUpAt === setUpAt && records.length > 0,
  )
  if (!own) return []
  if (service.returnPathAtRoot !== 'never') return planSpfBelow(own.key, facts)
  const fill = createFill(sender, facts, readReturnPathTokens(sender, facts))
  const isNotAligned = isStrict(facts, 'spf')
  const why = isNotAligned ? 'dkim.bounces.strict' : 'dkim.bounces'
  const isPublished = setUpAt === null && hasReturnPath(service, facts)
  const records = (service.setup.returnPath ?? []).map((setup) => {
    const label = fill(chooseLabel(setup.label, service, context))
    return { setup, name: `${label}.${setUpAt ?? facts.domain}`, value: fill(setup.value) }
  })
  const wanted = records
    .filter(({ setup, name, value }) => !setup.isOptional || !hasPlaceholder(`${name} ${value}`))
    // What is optional only helps SPF.
    .filter(({ setup }) => !setup.isOptional || !isNotAligned)
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
      ...idsOf(own.key),
      why: [say(why, { service: service.name, name: [name] })],
      placeholders: findPlaceholders([name, value], describeScreen(service)),
      onlyIf: own.key.onlyIf,
      ...(setup.isOptional && { isOptional: true as const }),
    }))
}

/** The service takes bounces at the name itself, which has its mail servers and no SPF record. */
async function planSpfBelow(
  key: Planned['key'],
  { dns, below }: DomainFacts,
): Promise<PlannedRecord[]> {
  const { service, setUpAt, onlyIf } = key
  const terms = findProviderTerms(service, [])
  const isItsServer = below.names.some(
    (each) => each.name === setUpAt && each.service === service && each.target === null,
  )
  if (setUpAt === null || !isItsServer || terms.length === 0) return []
  const answer = await dns.query(setUpAt, 'TXT')
  const isFree = answer.kind !== 'failed' && !readTxtRecords(answer).some(isSpfRecord)
  if (!isFree) return []
  const why = [say('dkim.bounces', { service: service.name, name: [setUpAt] })]
  const value = ['v=spf1', ...terms, '~all'].join(' ')
  return [{ ...createPlannedRecord('spf', setUpAt, value), ...idsOf(key), why, onlyIf }]
}

/** What a service issues for one name is not that of another, so each has its own placeholders. */
export function createFill(
  { entry: { id }, setUpAt }: Pick<SenderInUse, 'entry' | 'setUpAt'>,
  { domain }: DomainFacts,
  known: Readonly<Record<string, string>>,
): (template: string) => string {
  const labels = setUpAt?.slice(0, -domain.length - 1).replaceAll('.', '-')
  const asker = labels === undefined ? id : `${id}-${labels}`
  return (template) => fillTemplate(template, setUpAt ?? domain, asker, known)
}

/** The account in the CNAME of a Return-Path that is published already. */
export function readReturnPathTokens(
  { entry: service, setUpAt }: Pick<SenderInUse, 'entry' | 'setUpAt'>,
  { below, domain }: DomainFacts,
): Readonly<Record<string, string>> {
  const base = setUpAt ?? domain
  const templates = (service.setup.returnPath ?? []).filter(({ type }) => type === 'CNAME')
  const targets = below.names.flatMap((each) =>
    each.service === service && each.target !== null && `.${each.name}`.endsWith(`.${base}`)
      ? [each.target]
      : [],
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
