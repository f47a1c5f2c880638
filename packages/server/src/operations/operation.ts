/** An operation: something the service offers. Every surface is derived from the table of them. */

import type { CheckResult, Random } from '@mailgrade/core'
import type { Dns } from '@mailgrade/doh/dns'
import type { z } from 'zod'

/** Input that was understood, ready to be worked on. */
export interface PreparedRequest {
  readonly kind: 'job'
  /** What the question is about: a domain, or an IP address in brackets where mail goes to one. */
  readonly subject: string
  /** The same for whatever asks for the same, however it was written. */
  readonly requestKey: string
  run(dns: Dns, chance: Random): Promise<CheckResult<object>>
}

export interface InvalidInput {
  readonly kind: 'invalid'
  readonly parameter: string
  /** It was not given at all. */
  readonly isMissing: boolean
  readonly detail: string
}

interface Description {
  readonly id: string
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly description: string
  /** In US dollars; without one the operation is free. */
  readonly price?: `${number}`
  /** That a domain does not exist is an answer here, and no problem. */
  readonly answersUnknownDomains?: true
  /** Parameters for which the demo domains have an answer worth showing. */
  readonly example: Readonly<Record<string, string>>
}

/** An operation as agents see it: a tool over MCP. */
interface Tool<Report> {
  readonly name: string
  readonly title: string
  /** What an agent chooses it by. */
  readonly useWhen: string
  /** A report in a sentence or two, for a model to read before the rest. */
  digest(report: Report): string
}

export interface Operation extends Description {
  readonly tool?: Tool<object>
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Reads the parameters; nothing is looked up yet. */
  prepare(parameters: Readonly<Record<string, unknown>>): PreparedRequest | InvalidInput
}

export type ToolOperation = Operation & Required<Pick<Operation, 'tool'>>

export function hasTool(operation: Operation): operation is ToolOperation {
  return operation.tool !== undefined
}

type Priced = Required<Pick<Operation, 'price'>>
export type PaidOperation = Operation & Priced

export function isPaid<Kind extends Operation>(operation: Kind): operation is Kind & Priced {
  return operation.price !== undefined
}

export interface OperationDefinition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Description {
  readonly tool?: Tool<z.output<Output>>
  readonly input: Input
  readonly output: Output
  subject(input: z.output<Input>): string
  run(dns: Dns, input: z.output<Input>, chance: Random): Promise<CheckResult<z.output<Output>>>
}

export function defineOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: OperationDefinition<Input, Output>,
): Operation {
  const { subject, run, ...description } = definition
  return {
    ...description,
    prepare(parameters) {
      const parsed = definition.input.safeParse(parameters)
      if (parsed.success) {
        const input = parsed.data
        return {
          kind: 'job',
          subject: subject(input),
          get requestKey() {
            return `${definition.id} ${JSON.stringify(input)}`
          },
          run: (dns, chance) => run(dns, input, chance),
        }
      }
      const [issue] = parsed.error.issues
      const parameter = String(issue?.path[0] ?? '')
      const isMissing = !Object.hasOwn(parameters, parameter)
      return { kind: 'invalid', parameter, isMissing, detail: issue?.message ?? '' }
    },
  }
}
