/**
 * RFC 7208 §7 once more, written apart from the code that is under test: the world is built from
 * it, and what the judges get wrong is spelled out with it.
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

/** Whether every percent sign begins a macro that may stand outside of explanations. */
export function hasValidMacros(text: string): boolean {
  const rest = text.replace(MACRO, (macro: string, letter = '', digits = '') =>
    /[crt]/i.test(letter) || /^0+$/.test(digits) ? macro : '',
  )
  return !rest.includes('%')
}

/** The name, or null where it depends on the sender or a macro is not one. */
export function expandStaticSpec(spec: string, reader: ExpansionContext): string | null {
  if (!hasValidMacros(spec) || /%\{[^do]/i.test(spec.replaceAll('%%', ''))) return null
  const name = spec
    .replace(MACRO, (macro, letter, digits, reverse, delimiters) =>
      letter === undefined
        ? (ESCAPES[macro] ?? '')
        : transformed(letter, Number(digits), reverse !== '', delimiters || '.', reader),
    )
    .toLowerCase()
  return fitting(name.endsWith('.') ? name.slice(0, -1) : name)
}

/** §7.3: split at the delimiters, perhaps turned round, cut to the right-hand parts, joined by dots. */
function transformed(
  letter: string,
  keep: number,
  isReversed: boolean,
  delimiters: string,
  { owner, origin }: ExpansionContext,
): string {
  const value = letter.toLowerCase() === 'd' ? owner : origin
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

/** §7.3: labels go from the left until 253 characters are left. */
function fitting(name: string): string {
  return name.length > 253 && name.includes('.') ? fitting(name.slice(name.indexOf('.') + 1)) : name
}

/** How a domain-spec says a name that has no macros in it. */
export function toDomainSpec(name: string): string {
  return name.replaceAll('%', '%%').replaceAll(' ', '%_')
}
