/** An operation: one thing the service offers. Every surface is derived from the table of operations. */
import type { CheckResult, Random } from '@mailgrade/core'
import type { Dns } from '@mailgrade/doh/dns'
import { z } from 'zod'

export const metaSchema = z
  .object({
    checkedAt: z.iso.datetime(),
    resolvers: z.array(z.string()).describe('The resolvers that answered'),
    dnsQueries: z.int().describe('How many DNS queries the result took'),
    durationMs: z.int(),
  })
  .meta({ id: 'Meta' })

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
  run(dns: Dns, random: Random): Promise<CheckResult<Report>>
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
  /** The operation reports on a domain that does not exist instead of returning 404. */
  readonly answersUnknownDomains?: true
  /** Parameters for which the demo domains have a result worth showing. */
  readonly example: Readonly<Record<string, string>>
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
  prepare(parameters: Readonly<Record<string, unknown>>): PreparedRequest<Report> | InvalidInput
  /**
   * Reads a report that this operation returned earlier, such as one in the ledger. It is not
   * validated: a paid report of an earlier version must still be delivered.
   */
  parseReport(json: string, revive?: Reviver): OperationResult<Report>
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

export interface OperationDefinition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Description {
  readonly tool?: Tool<z.output<Output>>
  readonly input: Input
  readonly output: Output
  subject(input: z.output<Input>): string
  run(dns: Dns, input: z.output<Input>, random: Random): Promise<CheckResult<z.output<Output>>>
}

export function defineOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: OperationDefinition<Input, Output>,
): Operation<z.output<Output>> {
  const { subject, run, ...description } = definition
  return {
    ...description,
    prepare(parameters) {
      const parsed = definition.input.safeParse(parameters)
      if (parsed.success) {
        const input = parsed.data
        return {
          kind: 'prepared',
          subject: subject(input),
          requestKey: () => `${definition.id} ${JSON.stringify(input)}`,
          run: (dns, random) => run(dns, input, random),
        }
      }
      const [issue] = parsed.error.issues
      const parameter = String(issue?.path[0] ?? '')
      const isMissing = !Object.hasOwn(parameters, parameter)
      return { kind: 'invalid', parameter, isMissing, detail: issue?.message ?? '' }
    },
    parseReport: (json, revive) => JSON.parse(json, revive),
  }
}

/** Example parameters that work on this instance: demo domains exist in the sandbox only. */
export function exampleInput(
  { example }: Pick<Operation, 'example'>,
  isSandbox: boolean,
): Operation['example'] {
  if (isSandbox) return example
  return 'email' in example ? { email: 'ann@example.com' } : { domain: 'example.com' }
}
