/** Turns the entries that people edit into what code loads; `scripts/build-data.mjs` runs it. */
import { parse } from 'yaml'
import type { z } from 'zod'
import { type DmarcService, dmarcServicesSchema } from './dmarc-service-schema.js'
import { type DnsHost, type DnsPanel, dnsHostsSchema } from './dns-host-schema.js'
import { type Lists, listsSchema } from './lists-schema.js'
import type { Screen } from './schema-parts.js'
import { type MailService, servicesSchema } from './service-schema.js'

/** A placeholder whose value only the service knows; not one of ours, or an SPF macro. */
const UNKNOWN_VALUE = /(?<!%)\{(?!d\}|dd\}|d_\})[^{}]*\}/

/** Throws with all faults, each with the entry that has it. */
export function compileServices(yaml: string, thisMonth: string): MailService[] {
  const services = parseEntries(yaml, servicesSchema)
  rejectFaults([
    ...findRepeatedIds(services),
    ...services.flatMap(({ id, setup: { dkim, spfSteps } }) =>
      [dkim, spfSteps, dkim?.longerKeys].flatMap((steps) =>
        findFutureScreen(id, steps?.screen, thisMonth),
      ),
    ),
    ...services.flatMap(findValuesWithoutPlace),
  ])
  return services
}

export function compileDnsHosts(
  yaml: string,
  thisMonth: string,
): { generic: DnsPanel; hosts: DnsHost[] } {
  const data = parseEntries(yaml, dnsHostsSchema)
  rejectFaults([
    ...findRepeatedIds(data.hosts),
    ...data.hosts.flatMap(({ id, panel }) => findFutureScreen(id, panel.screen, thisMonth)),
  ])
  return data
}

export function compileDmarcServices(yaml: string, thisMonth: string): DmarcService[] {
  const services = parseEntries(yaml, dmarcServicesSchema)
  rejectFaults([
    ...findRepeatedIds(services),
    ...services.flatMap(({ id, hostedDmarc, hostedSpf }) =>
      [hostedDmarc, hostedSpf].flatMap((each) => findFutureScreen(id, each?.screen, thisMonth)),
    ),
  ])
  return services
}

export function compileLists(yaml: string): Lists {
  const lists = parseEntries(yaml, listsSchema)
  rejectFaults(findRepeatedIds(lists.consumerMailboxes))
  return lists
}

function parseEntries<Schema extends z.ZodType>(yaml: string, schema: Schema): z.output<Schema> {
  const input: unknown = parse(yaml)
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const faults = result.error.issues.map(
    ({ path, message }) => `${locate(input, path)}: ${message}`,
  )
  throw new Error(faults.join('\n'))
}

/** A path with ids instead of indexes: `sender.zendesk.setup.dkim`. */
function locate(input: unknown, path: readonly PropertyKey[]): string {
  let value: unknown = input
  const labels = path.map((key) => {
    value = (value as Record<PropertyKey, unknown> | undefined)?.[key]
    const id = (value as { readonly id?: unknown } | undefined)?.id
    return typeof key === 'number' && typeof id === 'string' ? id : String(key)
  })
  return labels.join('.')
}

function rejectFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

function findRepeatedIds(entries: readonly { readonly id: string }[]): string[] {
  const ids = entries.map(({ id }) => id)
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
  return repeated.map((id) => `${id}: two entries have this id`)
}

function findFutureScreen(
  id: string,
  screen: Screen | null | undefined,
  thisMonth: string,
): string[] {
  const confirmed = screen?.confirmed ?? ''
  return confirmed > thisMonth ? [`${id}: confirmed in the future, ${confirmed}`] : []
}

/** Someone who publishes the records has to find out somewhere what to fill in. */
function findValuesWithoutPlace({ id, setup }: MailService): string[] {
  const { mx, spf, spfSteps, dkim, returnPath = [], mtaSts = [] } = setup
  const keys = dkim?.records ?? []
  const texts = [
    ...mx,
    ...spf.flatMap(({ terms }) => terms),
    ...keys.flatMap(({ selector, value }) => [selector, value]),
    ...returnPath.flatMap(({ label, value }) => [label, value]),
    ...mtaSts.map(({ target }) => target),
  ]
  const unknown = texts.filter((text) => UNKNOWN_VALUE.test(text))
  const hasPlace = [dkim, spfSteps].some((steps) => steps?.screen || steps?.getValues)
  return unknown.length > 0 && !hasPlace
    ? [`${id}: nothing says where to find ${unknown.join(', ')}`]
    : []
}
