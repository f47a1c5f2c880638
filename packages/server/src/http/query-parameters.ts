/** Parses the query string. */
import type { Operation } from '../operations/operation.js'

export type QueryParameters =
  | { readonly kind: 'parameters'; readonly values: Record<string, string> }
  | { readonly kind: 'invalid'; readonly parameter: string; readonly detail: string }

/**
 * Reads the named parameters and ignores all others. A `+` stays a `+`, because
 * `ann+news@example.com` contains no space.
 */
export function parseQueryParameters(url: string, names: readonly string[]): QueryParameters {
  const values: Record<string, string> = {}
  const query = /^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? ''
  for (const pair of query.split('&')) {
    const nameEnd = pair.indexOf('=') < 0 ? pair.length : pair.indexOf('=')
    const name = decode(pair.slice(0, nameEnd))
    if (name === null || !names.includes(name)) continue
    if (Object.hasOwn(values, name)) {
      return invalid(name, `The parameter ${name} is given twice; give it once.`)
    }
    const value = decode(pair.slice(nameEnd + 1))
    if (value === null) {
      return invalid(name, `The parameter ${name} is not valid percent-encoded UTF-8.`)
    }
    values[name] = value
  }
  return { kind: 'parameters', values }
}

/** The first parameter of an operation as sent, to show it again; empty if it is invalid. */
export function firstParameterValue(url: string, { input }: Pick<Operation, 'input'>): string {
  const [name = ''] = Object.keys(input.shape)
  const parsed = parseQueryParameters(url, [name])
  return parsed.kind === 'invalid' ? '' : (parsed.values[name] ?? '')
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
