/** An operation: one thing the service offers. Every surface is derived from the table of operations. */
import {
  type CheckResult,
  type NameOptions,
  type OnChecked,
  privateNameProblem,
  type Random,
  type ReportSubject,
  withRequestedName,
} from '@mailgrade/core'
import type { Dns } from '@mailgrade/doh/dns'
import { z } from 'zod'
import { findMistypedName } from './mistyped-name.js'
import type { DomainRequest } from './operation-parameters.js'

export const metaSchema = z
  .object({
    checkedAt: z.iso.datetime().describe('When the lookups started, in UTC'),
    resolvers: z.array(z.string()).describe('The resolvers that answered'),
    dnsQueries: z.int().describe('How many DNS queries the result took'),
    durationMs: z.int().describe('How long the lookups took'),
  })
  .meta({ id: 'Meta', description: 'How the result was made' })

export type ReportMeta = z.infer<typeof metaSchema>

/** A report as callers get it. */
export type OperationResult<Report = object> = Report & { readonly meta: ReportMeta }

/** Valid input, ready to run. */
export interface PreparedRequest<Report = object> {
  readonly kind: 'prepared'
  /** What the report is about: a domain, or a bracketed IP address from an email address. */
  readonly subject: string
  /** The same text for the same request, however the caller wrote it. */
  readonly requestKey: () => string
  /** The same text for all requests that one payment pays for; null if that is only this one. */
  readonly purchaseKey: () => string | null
  run(dns: Dns, runtime: ReportRuntime): Promise<CheckResult<Report>>
}

export interface InvalidInput {
  readonly kind: 'invalid'
  readonly parameter: string
  readonly isMissing: boolean
  readonly detail: string
}

interface Description {
  readonly id: string
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly description: string
  /** In US dollars; an operation without a price is free. */
  readonly price?: `${number}`
  /** What else its payment is good for, in a sentence. */
  readonly paymentNote?: string
  /** The operation reports on a domain that does not exist instead of returning 404. */
  readonly answersUnknownDomains?: true
  /** The parameters that take several values: repeated, or separated by commas. */
  readonly repeatable?: readonly string[]
  /** Parameters for which the demo domains have a result worth showing. */
  readonly example: Readonly<Record<string, string>>
}

/** What a report needs beside DNS. */
export interface ReportRuntime extends Random {
  currentTime(): Date
  /** The public address of the service, for links; null without a service. */
  readonly baseUrl: string | null
  /** Called as each check of a report finishes. */
  readonly onChecked?: OnChecked | undefined
}

/** An operation as an MCP tool. */
interface Tool<Report> {
  readonly name: string
  readonly title: string
  /** Helps an agent choose this tool. */
  readonly useWhen: string
  /** The report in a sentence or two, which a model reads first. */
  digest(report: Report): string
}

export interface Operation<Report = object> extends Description {
  readonly tool?: Tool<Report>
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Validates the parameters; makes no DNS query. */
  prepare(
    parameters: Readonly<Record<string, unknown>>,
    options?: PrepareOptions,
  ): PreparedRequest<Report> | InvalidInput
  /**
   * Reads a report that this operation returned earlier, such as one in the ledger. It is not
   * validated: a paid report of an earlier version must still be delivered.
   */
  parseReport(json: string, revive?: Reviver): OperationResult<Report>
}

interface PrepareOptions extends NameOptions {
  /** The names of all parameters that the caller sent, also of those that the operation does not know. */
  readonly givenNames?: readonly string[] | undefined
}

type Reviver = (key: string, value: unknown) => unknown

type WithTool<Report> = Required<Pick<Operation<Report>, 'tool'>>
export type ToolOperation<Report = object> = Operation<Report> & WithTool<Report>

export function hasTool(operation: Operation): operation is ToolOperation {
  return operation.tool !== undefined
}

type Priced = Required<Pick<Operation, 'price'>>
export type PaidOperation<Report = object> = Operation<Report> & Priced

export function isPaid<Kind extends Pick<Operation, 'price'>>(
  operation: Kind,
): operation is Kind & Priced {
  return operation.price !== undefined
}

export interface OperationDefinition<Request, Output extends z.ZodObject> extends Description {
  readonly tool?: Tool<z.output<Output>>
  /** The parameters as documented. */
  readonly input: z.ZodObject
  /** Parses the parameters to what is asked, the same for the same question. */
  readonly request: z.ZodType<Request>
  readonly output: Output
  subject(request: Request): string
  /** What a payment buys, if the rest of the request can be changed afterwards. */
  purchase?(request: Request): string
  /** The names that are refused if they are for private use, by parameter. */
  publicNames?(request: Request): Readonly<Record<string, string | undefined>>
  run(
    dns: Dns,
    request: Request,
    runtime: ReportRuntime & NameOptions,
  ): Promise<CheckResult<z.output<Output>>>
}

export function defineOperation<Request, Output extends z.ZodObject>(
  definition: OperationDefinition<Request, Output>,
): Operation<z.output<Output>> {
  const { request: schema, subject, purchase, publicNames, run, ...description } = definition
  return {
    ...description,
    prepare(parameters, { givenNames = Object.keys(parameters), allowPrivateNames = false } = {}) {
      const parsed = schema.safeParse(parameters)
      if (!parsed.success) return toInvalidInput(parsed.error.issues, parameters, givenNames)
      const request = parsed.data
      const refused = allowPrivateNames ? null : refusePrivateName(publicNames?.(request) ?? {})
      return (
        refused ?? {
          kind: 'prepared',
          subject: subject(request),
          requestKey: () => `${definition.id} ${JSON.stringify(request)}`,
          purchaseKey: () => (purchase ? `${definition.id} ${purchase(request)}` : null),
          run: (dns, runtime) => run(dns, request, { ...runtime, allowPrivateNames }),
        }
      )
    },
    parseReport: (json, revive) => JSON.parse(json, revive),
  }
}

function refusePrivateName(
  names: Readonly<Record<string, string | undefined>>,
): InvalidInput | null {
  for (const [parameter, name] of Object.entries(names)) {
    const detail = name === undefined ? null : privateNameProblem(name)
    if (detail !== null) return { kind: 'invalid', parameter, isMissing: false, detail }
  }
  return null
}

/** A parameter that is not valid comes before one that is missing: it is rejected even unpaid. */
function toInvalidInput(
  issues: readonly z.core.$ZodIssue[],
  parameters: Readonly<Record<string, unknown>>,
  givenNames: readonly string[],
): InvalidInput {
  const found = issues.map(({ path, message }) => ({ name: String(path[0] ?? ''), message }))
  const given = found.find(({ name }) => Object.hasOwn(parameters, name))
  const { name: parameter, message } = given ?? found[0] ?? { name: '', message: '' }
  if (given) return { kind: 'invalid', parameter, isMissing: false, detail: message }
  const mistyped = findMistypedName(parameter, givenNames)
  const detail = mistyped
    ? `The parameter ${parameter} is missing. Did you mean ${parameter} instead of ${mistyped}?`
    : message
  return { kind: 'invalid', parameter, isMissing: true, detail }
}

interface DomainOperationDefinition<Request extends DomainRequest, Output extends z.ZodObject>
  extends Omit<OperationDefinition<Request, Output>, 'subject'> {
  run(
    dns: Dns,
    request: Request,
    runtime: ReportRuntime,
  ): Promise<CheckResult<z.output<Output> & ReportSubject>>
}

/** For a report on a domain: it says which name was asked for, if that is another one. */
export function defineDomainOperation<Request extends DomainRequest, Output extends z.ZodObject>({
  run,
  ...definition
}: DomainOperationDefinition<Request, Output>): Operation<z.output<Output>> {
  return defineOperation({
    ...definition,
    subject: ({ domain }) => domain,
    publicNames: ({ domain, rua }) => ({ domain, rua: rua?.slice(rua.lastIndexOf('@') + 1) }),
    async run(dns, request, runtime) {
      const checked = await run(dns, request, runtime)
      if (checked.kind !== 'report') return checked
      return { ...checked, report: withRequestedName(checked.report, request.requested ?? null) }
    },
  })
}

/** As a service offers it. */
export function describeOffer({ description, paymentNote }: Operation): string {
  return paymentNote === undefined ? description : `${description} ${paymentNote}`
}

/** Example parameters that work on this instance: demo domains exist in the sandbox only. */
export function exampleInput(
  { example }: Pick<Operation, 'example'>,
  isSandbox: boolean,
): Operation['example'] {
  if (isSandbox) return example
  return 'email' in example ? { email: 'ann@example.com' } : { domain: 'example.com' }
}
