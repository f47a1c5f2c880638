/**
 * A second implementation of RFC 7208 §7, independent of the code under test. It builds the test
 * zones and rewrites what evaluators get wrong.
 */

export interface ExpansionContext {
  /** The name whose record is read: `%{d}`. */
  readonly owner: string
  /** The sender's domain: `%{o}`. */
  readonly origin: string
}

const ESCAPES: Readonly<Record<string, string>> = { '%%': '%', '%_': ' ', '%-': '%20' }
/** §7.1 macro-expand; the quoted strings of ABNF have no case (RFC 5234 §2.3). */
const MACRO = /%\{([slodiphcrtv])(\d*)(r?)([.\-+,/_=]*)\}|%[%_-]/gi

/** Whether every percent sign starts a macro that is allowed outside explanations. */
export function hasValidMacros(text: string): boolean {
  const rest = text.replace(MACRO, (macro: string, letter = '', digits = '') =>
    /[crt]/i.test(letter) || /^0+$/.test(digits) ? macro : '',
  )
  return !rest.includes('%')
}

/** The name; null when it depends on the sender or a macro is invalid. */
export function expandStaticSpec(spec: string, reader: ExpansionContext): string | null {
  return expandSpec(spec, { d: reader.owner, o: reader.origin })
}

/** The name, with a value for each macro letter; null when one is missing or a macro is invalid. */
export function expandSpec(spec: string, values: Readonly<Record<string, string>>): string | null {
  const letters = [...spec.replaceAll('%%', '').matchAll(/%\{(.)/g)].map(
    ([, letter = '']) => letter,
  )
  if (!hasValidMacros(spec) || letters.some((letter) => !(letter.toLowerCase() in values)))
    return null
  const name = spec
    .replace(MACRO, (macro, letter, digits, reverse, delimiters) =>
      letter === undefined
        ? (ESCAPES[macro] ?? '')
        : transformed(letter, Number(digits), reverse !== '', delimiters || '.', values),
    )
    .toLowerCase()
  return fitting(name.endsWith('.') ? name.slice(0, -1) : name)
}

/** §7.3: split at the delimiters, optionally reversed, cut to the right-hand parts, joined with dots. */
function transformed(
  letter: string,
  keep: number,
  isReversed: boolean,
  delimiters: string,
  values: Readonly<Record<string, string>>,
): string {
  const value = values[letter.toLowerCase()] ?? ''
  const parts: string[] = ['']
  for (const character of value) {
    if (delimiters.includes(character)) parts.push('')
    else parts[parts.length - 1] += character
  }
  if (isReversed) parts.reverse()
  const text = parts.slice(keep === 0 ? 0 : -keep).join('.')
  return /[A-Z]/.test(letter) ? urlEscaped(text) : text
}

function urlEscaped(text: string): string {
  return text.replace(
    /[^\w.~-]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/** §7.3: drops labels on the left until 253 characters remain. */
function fitting(name: string): string {
  return name.length > 253 && name.includes('.') ? fitting(name.slice(name.indexOf('.') + 1)) : name
}

/** The domain-spec for a literal name. */
export function toDomainSpec(name: string): string {
  return name.replaceAll('%', '%%').replaceAll(' ', '%_')
}
