/** Templates of the catalogue, filled in for a domain. */
import type { RecordTemplate } from '../../catalog/service-setup.js'
import type { Placeholder } from './planned-record.js'

export function fillTemplate(template: RecordTemplate, domain: string): string {
  return template.replaceAll('{d}', domain).replaceAll('{dd}', domain.replaceAll('.', '-'))
}

/** What is left to fill in, each once. */
export function findPlaceholders(
  texts: readonly string[],
  whereToFind: string,
): readonly Placeholder[] {
  const tokens = texts.flatMap((text) => text.match(/\{[a-z\d-]+\}/g) ?? [])
  return [...new Set(tokens)].map((token) => ({ token, whereToFind }))
}
