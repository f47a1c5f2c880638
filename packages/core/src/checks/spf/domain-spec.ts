/** A domain-spec: a host name that may contain macros (RFC 7208 §7.1), parsed and, if possible, expanded. */

import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { quoteForDisplay } from '../format-list.js'

interface Literal {
  /** `escaped`: written as a macro, but always the same text. */
  readonly kind: 'literal' | 'escaped'
  readonly text: string
}

interface Macro {
  readonly kind: 'macro'
  /** Lower case. */
  readonly letter: string
  /** Written in upper case: its value is URL-escaped (§7.3). */
  readonly isEscaped: boolean
  /** How many labels to keep, from the right; null keeps all. */
  readonly keep: number | null
  readonly isReversed: boolean
  readonly delimiters: string
}

export interface DomainSpec {
  readonly text: string
  readonly parts: readonly (Literal | Macro)[]
}

export interface MalformedSpec {
  readonly problem: string
}

/** §7.3; `%%`, `%_` and `%-` stand for a percent sign, a space and an escaped space. */
const ESCAPES: Readonly<Record<string, string>> = { '%%': '%', '%_': ' ', '%-': '%20' }
const MACRO = /%\{([slodiphcrtv])(\d*)(r?)([.\-+,/_=]*)\}|%[%_-]/iy
const LITERAL = /[\x21-\x24\x26-\x7e]+/y
const LITERAL_WITH_SPACES = /[\x20-\x24\x26-\x7e]+/y
const TOP_LABEL = /^(?:\d*[a-z][a-z\d]*|[a-z\d]+-[a-z\d-]*[a-z\d])$/i

export function isMalformedSpec(value: object): value is MalformedSpec {
  return 'problem' in value
}

/** §7.1 domain-spec: ends with a dot and a top label, or with a macro. */
export function parseDomainSpec(text: string): DomainSpec | MalformedSpec {
  if (text === '') return { problem: 'a host name is missing' }
  const spec = parseMacroString(text)
  if (isMalformedSpec(spec)) return spec
  const explanationMacro = spec.parts.find(
    (part) => part.kind === 'macro' && /[crt]/.test(part.letter),
  )
  if (explanationMacro)
    return {
      problem: `${quoteForDisplay(text)} has a macro that’s allowed only in an explanation`,
    }
  const tail = spec.parts.at(-1)
  const isHostName = tail?.kind !== 'literal' || endsInTopLabel(tail.text)
  return isHostName ? spec : { problem: `${quoteForDisplay(text)} isn’t a host name` }
}

/** §7.1 macro-string, which is also the value of an unknown modifier. */
export function parseMacroString(text: string): DomainSpec | MalformedSpec {
  return parseMacros(text, LITERAL)
}

/** §6.2 explain-string: the text that an `exp` modifier leads to, which may contain spaces. */
export function parseExplanation(text: string): DomainSpec | MalformedSpec {
  return parseMacros(text, LITERAL_WITH_SPACES)
}

function parseMacros(text: string, literalPattern: RegExp): DomainSpec | MalformedSpec {
  const parts: (Literal | Macro)[] = []
  let at = 0
  while (at < text.length) {
    literalPattern.lastIndex = at
    MACRO.lastIndex = at
    const literal = literalPattern.exec(text)?.[0]
    const macro = literal === undefined ? MACRO.exec(text) : null
    const part =
      literal === undefined ? macroPart(macro) : ({ kind: 'literal', text: literal } as const)
    if (part === null) {
      const isPercent = text[at] === '%'
      return {
        problem: isPercent
          ? `${quoteForDisplay(/%(?:\{[^}]*\}?|.?)/s.exec(text.slice(at, at + 20))?.[0] ?? '')} isn’t a macro`
          : `${quoteForDisplay(text)} has a character that isn’t allowed`,
      }
    }
    if (isMalformedSpec(part)) return part
    parts.push(part)
    at += literal?.length ?? macro?.[0].length ?? 1
  }
  return { text, parts }
}

function macroPart(match: RegExpExecArray | null): Literal | Macro | MalformedSpec | null {
  if (!match) return null
  const [text, letter = '', digits = '', reverse, delimiters] = match
  const escaped = ESCAPES[text]
  if (escaped !== undefined) return { kind: 'escaped', text: escaped }
  if (/^0+$/.test(digits))
    return { problem: `the number in the macro ${text} has to be at least 1` }
  return {
    kind: 'macro',
    letter: letter.toLowerCase(),
    isEscaped: letter !== letter.toLowerCase(),
    keep: digits === '' ? null : Number(digits),
    isReversed: reverse !== '',
    delimiters: delimiters || '.',
  }
}

function endsInTopLabel(tail: string): boolean {
  const name = tail.endsWith('.') ? tail.slice(0, -1) : tail
  const dotAt = name.lastIndexOf('.')
  return dotAt !== -1 && TOP_LABEL.test(name.slice(dotAt + 1))
}

/** The value of a macro letter; null when it depends on the sender and none is given. */
export type MacroValues = (letter: string) => string | null

/** The macros of a domain without any sender: `%{d}` and `%{o}` (§7.2). */
export function senderlessMacros(domain: string, origin: string): MacroValues {
  const values: Readonly<Record<string, string>> = {
    d: unescapeName(domain),
    o: unescapeName(origin),
  }
  return (letter) => values[letter] ?? null
}

/** The DNS port escapes a backslash in a name; in a domain-spec it is a plain character. */
export function unescapeName(name: string): string {
  return name.replaceAll('\\\\', '\\')
}

/** The host name of a domain-spec; null when it depends on the sender. */
export function expandDomainSpec(spec: DomainSpec, macros: MacroValues): string | null {
  const name = expandMacros(spec, macros)
  return name === null ? null : truncateLabels(name.toLowerCase().replace(/\.$/, ''))
}

export function expandMacros({ parts }: DomainSpec, macros: MacroValues): string | null {
  let text = ''
  for (const part of parts) {
    const value = part.kind === 'macro' ? macros(part.letter) : null
    if (part.kind === 'macro' && value === null) return null
    text += part.kind === 'macro' ? transform(value ?? '', part) : part.text
  }
  return text
}

export function usesMacro({ parts }: DomainSpec, letter: string): boolean {
  return parts.some((part) => part.kind === 'macro' && part.letter === letter)
}

function transform(value: string, { keep, isReversed, delimiters, isEscaped }: Macro): string {
  const labels = value.split(new RegExp(`[${delimiters.replaceAll('-', '\\-')}]`))
  if (isReversed) labels.reverse()
  const text = (keep === null ? labels : labels.slice(-keep)).join('.')
  return isEscaped ? percentEncode(text) : text
}

/** §7.3, RFC 3986 §2.3: everything but unreserved characters. */
function percentEncode(text: string): string {
  return text.replace(/[^\w.~-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )
}

/** §7.3: a name of more than 253 characters loses labels on its left until it fits. */
function truncateLabels(name: string): string {
  let fitting = name
  while (fitting.length > MAX_DOMAIN_LENGTH && fitting.includes('.')) {
    fitting = fitting.slice(fitting.indexOf('.') + 1)
  }
  return fitting
}

/** To find the owner of a host, each macro counts as one label. */
export function replaceMacros(spec: DomainSpec): string {
  const text = spec.parts.map((part) => (part.kind === 'macro' ? 'x' : part.text)).join('')
  return text.toLowerCase().replace(/\.$/, '')
}
