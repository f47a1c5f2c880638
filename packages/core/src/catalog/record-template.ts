/** Fills the placeholders of a service's records, and reads them back from published ones. */
import type { RecordTemplate } from './service-schema.js'

/** A token in braces; `%{d}` is a macro of SPF. */
export const TOKEN = /(?<!%)\{([a-z][a-z\d_-]*)\}/g

/**
 * Fills in what the domain tells. What only the service knows becomes a placeholder with its name, so
 * that two services never share one.
 */
export function fillTemplate(
  template: RecordTemplate,
  domain: string,
  asker: string,
  known: Readonly<Record<string, string>> = {},
): string {
  return template.replace(TOKEN, (_, token: string) => {
    if (token === 'd') return domain
    if (token === 'dd') return domain.replaceAll('.', '-')
    if (token === 'd_') return domain.replaceAll('.', '_')
    return known[token] ?? `{${asker}-${token}}`
  })
}

/** The tokens of a template in a text that was made from it; null if the text does not match. */
export function readTemplate(
  template: RecordTemplate,
  text: string,
): Readonly<Record<string, string>> | null {
  const tokens = [...template.matchAll(TOKEN)].map(([, token = '']) => token)
  const pattern = template
    .split(TOKEN)
    .map((part, index) => (index % 2 === 1 ? '(.+)' : part.replace(/[^a-z\d]/gi, '\\$&')))
    .join('')
  const match = new RegExp(`^${pattern}$`, 'i').exec(text)
  if (!match) return null
  return Object.fromEntries(tokens.map((token, index) => [token, match[index + 1] ?? '']))
}

export function hasPlaceholder(text: string): boolean {
  return text.search(TOKEN) !== -1
}
