/** Templates of the catalogue, filled in for a domain. */
import type { Template } from '../../catalog/setup.js'
import type { Placeholder } from './planned-record.js'

export function filled(template: Template, domain: string): string {
  return template.replaceAll('{d}', domain).replaceAll('{dd}', domain.replaceAll('.', '-'))
}

/** What is left to fill in, each once. */
export function placeholdersIn(
  texts: readonly string[],
  whereToFind: string,
): readonly Placeholder[] {
  const tokens = texts.flatMap((text) => text.match(/\{[a-z\d-]+\}/g) ?? [])
  return [...new Set(tokens)].map((token) => ({ token, whereToFind }))
}
