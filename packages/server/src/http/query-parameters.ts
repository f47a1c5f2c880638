/** Parses the query string. */

import type { Operation } from '@mailgrade/operations/operation'
import { z } from 'zod'

type Parameters = Pick<Operation, 'input' | 'repeatable'>

export type QueryParameters =
  | {
      readonly kind: 'parameters'
      /** A list for a parameter that may be repeated. */
      readonly values: Readonly<Record<string, string | readonly string[]>>
      /** The names of all parameters, also of unknown ones. */
      readonly names: readonly string[]
    }
  | { readonly kind: 'invalid'; readonly parameter: string; readonly detail: string }

interface QueryOptions {
  /** Browser forms send every field: an optional one that is empty was not filled in. */
  readonly isForm?: boolean
}

/** Reads the parameters of an operation and ignores all others. */
export function parseQueryParameters(
  url: string,
  parameters: Parameters,
  { isForm = false }: QueryOptions = {},
): QueryParameters {
  const { input, repeatable = [] } = parameters
  const values: Record<string, string | string[]> = {}
  const pairs = splitQuery(url)
  for (const { name, text } of pairs) {
    if (!Object.hasOwn(input.shape, name)) continue
    const value = decode(spaceForPlus(text, name))
    if (value === null) {
      return invalid(name, `The parameter ${name} isn’t valid percent-encoded UTF-8.`)
    }
    if (isForm && value === '' && isOptional(input, name)) continue
    if (repeatable.includes(name)) {
      values[name] = [...(values[name] ?? []), value]
    } else if (Object.hasOwn(values, name)) {
      return invalid(name, `You sent the parameter ${name} twice. Send it once.`)
    } else {
      values[name] = value
    }
  }
  return { kind: 'parameters', values, names: pairs.map(({ name }) => name) }
}

/** The pairs of the query, with their values still encoded. */
function splitQuery(url: string): { readonly name: string; readonly text: string }[] {
  const query = /^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? ''
  return query.split('&').flatMap((pair) => {
    const nameEnd = pair.indexOf('=') < 0 ? pair.length : pair.indexOf('=')
    const name = decode(pair.slice(0, nameEnd))
    return name === null ? [] : [{ name, text: pair.slice(nameEnd + 1) }]
  })
}

function isOptional({ shape }: z.ZodObject, name: string): boolean {
  return z.safeParse(shape[name] ?? z.never(), undefined).success
}

/** What a form was sent with, to fill it again. */
export type FormValues = Readonly<Record<string, readonly string[]>>

/** Empty if a parameter is given twice or not valid UTF-8. */
export function readFormValues(url: string, parameters: Parameters): FormValues {
  const parsed = parseQueryParameters(url, parameters, { isForm: true })
  if (parsed.kind === 'invalid') return {}
  const values = Object.entries(parsed.values)
  return Object.fromEntries(values.map(([name, value]) => [name, [value].flat()]))
}

/** In these it is a plus sign: callers do not encode `ann+news@…`. */
const ADDRESS_PARAMETERS: ReadonlySet<string> = new Set(['email', 'sender', 'rua'])

/** Browser forms send a space as `+`. */
function spaceForPlus(text: string, name: string): string {
  return ADDRESS_PARAMETERS.has(name) ? text : text.replaceAll('+', ' ')
}

function invalid(parameter: string, detail: string): QueryParameters {
  return { kind: 'invalid', parameter, detail }
}

function decode(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
