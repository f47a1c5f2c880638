/**
 * Where pyspf deviates from RFC 7208, and what the RFC says. Each deviation can rewrite a record so it
 * has the same meaning and pyspf reads it correctly. A deviation explains a difference only if the
 * rewrite makes pyspf agree with us.
 */
import {
  type ExpansionContext,
  expandStaticSpec,
  hasValidMacros,
  toDomainSpec,
} from './macro-expansion.js'

export interface PyspfDeviation {
  readonly name: string
  /** What the RFC says. */
  readonly rfc: string
  /** A minimal example: SPF records by owner; the sender's domain is `mail-1.test`. */
  readonly example: Readonly<Record<string, string>>
  readonly rewrite: (terms: readonly string[], reader: ExpansionContext) => readonly string[]
}

/** An unknown mechanism, which pyspf rejects. */
const SYNTAX_ERROR = 'syntax-error'
const ALL = /^[+?~-]?all$/i
/** Four of them fit into a name. */
const LONG_LABEL = `${'l'.repeat(60)}.`
const INCLUDE = /^[+?~-]?include:/i

const eachTerm =
  (rewriteTerm: (term: string, reader: ExpansionContext) => string): PyspfDeviation['rewrite'] =>
  (terms, reader) =>
    terms.map((term) => rewriteTerm(term, reader))

const macrosSpelledOut = (macro: RegExp) =>
  eachTerm((term, reader) =>
    term.replace(macro, (text) => {
      const name = expandStaticSpec(text, reader)
      return name === null ? text : toDomainSpec(name)
    }),
  )

/** The name of an unknown modifier; null for other terms. */
function unknownName(term: string): string | null {
  const [, name = null] = /^(?!(?:redirect|exp)=)([a-z][a-z\d_.-]*)=/i.exec(term) ?? []
  return name
}

// This one comes first because the others expect names in lower case.
export const PYSPF_DEVIATIONS: readonly PyspfDeviation[] = [
  {
    name: 'REDIRECT= and EXP= in capitals are taken for unknown modifiers',
    rfc: '§4.6.1, §12: names are quoted strings of ABNF, which have no case (RFC 5234 §2.3)',
    example: { 'mail-1.test': 'v=spf1 REDIRECT=nothing.hosts.test' },
    rewrite: eachTerm((term) => term.replace(/^(?:redirect|exp)=/i, (name) => name.toLowerCase())),
  },
  {
    name: 'a redirect beside "all" is counted as a lookup',
    rfc: '§6.1: it MUST be ignored if there is an "all" anywhere in the record; §4.6.4 limits the terms that cause queries',
    example: { 'mail-1.test': 'v=spf1 redirect=nothing.hosts.test -all' },
    rewrite: (terms) =>
      terms.some((term) => ALL.test(term))
        ? terms.filter((term) => !term.startsWith('redirect='))
        : terms,
  },
  {
    name: 'an include of the record itself is an error even behind "all"',
    rfc: '§5.1: mechanisms behind "all" will never be tested and MUST be ignored',
    example: { 'mail-1.test': 'v=spf1 -all include:%{d}' },
    rewrite: (terms) => {
      const end = terms.findIndex((term) => ALL.test(term))
      return terms.filter((term, index) => end === -1 || index < end || !INCLUDE.test(term))
    },
  },
  {
    name: 'an unknown modifier may not stand twice',
    rfc: '§6: unrecognized modifiers MUST be ignored no matter where, or how often, they appear',
    example: { 'mail-1.test': 'v=spf1 foo=1 foo=2 -all' },
    rewrite: (terms) =>
      terms.map((term, index) => {
        const name = unknownName(term)
        const isAgain =
          name !== null && terms.slice(0, index).some((one) => unknownName(one) === name)
        return isAgain ? `${name}.${index}${term.slice(name.length)}` : term
      }),
  },
  {
    name: 'an unknown modifier may not hold the macros of an explanation',
    rfc: '§12: unknown-modifier = name "=" macro-string, and c, r, t are macro letters; §6: unrecognized modifiers MUST be ignored',
    example: { 'mail-1.test': 'v=spf1 foo=%{r} -all' },
    rewrite: eachTerm((term) =>
      unknownName(term) === null ? term : term.replace(/%\{[crt]/gi, '%{d'),
    ),
  },
  {
    name: 'a qualifier spares "exists" its host name',
    rfc: '§5.7: exists = "exists" ":" domain-spec',
    example: { 'mail-1.test': 'v=spf1 ~exists -all' },
    rewrite: eachTerm((term) => (/^[+?~-]exists$/i.test(term) ? SYNTAX_ERROR : term)),
  },
  {
    name: 'a macro may keep zero parts',
    rfc: '§7.3: if a DIGIT is specified, the value MUST be nonzero',
    example: { 'mail-1.test': 'v=spf1 ptr:%{d0}.test -all' },
    rewrite: eachTerm((term) =>
      /%\{[a-z]0+r?[.\-+,/_=]*\}/i.test(term.replaceAll('%%', '')) ? SYNTAX_ERROR : term,
    ),
  },
  {
    name: 'what the braces of a macro hold is not looked at closely',
    rfc: '§7.1: macro-expand = "%{" macro-letter transformers *delimiter "}" / "%%" / "%_" / "%-", and a macro-literal is no "%"',
    example: { 'mail-1.test': 'v=spf1 ptr:%{dx}.test -all' },
    rewrite: eachTerm((term) => (hasValidMacros(term) ? term : SYNTAX_ERROR)),
  },
  {
    name: '"%%" at the end is an error',
    rfc: '§7.1: "%%" is a macro-expand, and a domain-end may be one',
    example: { 'mail-1.test': 'v=spf1 foo=100%% -all' },
    rewrite: eachTerm((term) =>
      hasValidMacros(term) ? term.replace(/%%(?=$|\/\d|\/\/\d)/, '%-') : term,
    ),
  },
  {
    name: 'a percent sign in the domain itself is read as a macro',
    rfc: '§4.8: without a domain-spec the target is the <domain>, and macros are expanded in domain-specs only',
    example: { 'mail-1.test': 'v=spf1 include:100%%.test', '100%.test': 'v=spf1 ptr' },
    rewrite: eachTerm((term, { owner }) =>
      owner.includes('%')
        ? term.replace(/^[+?~-]?(?:a|mx|ptr)(?=\/|$)/i, (bare) => `${bare}:${toDomainSpec(owner)}`)
        : term,
    ),
  },
  {
    name: 'control characters may stand in a name or a value',
    rfc: '§7.1: macro-literal = %x21-24 / %x26-7E',
    example: { 'mail-1.test': 'v=spf1 foo=a\tb -all' },
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    rewrite: eachTerm((term) => (/[\x00-\x1f\x7f]/.test(term) ? SYNTAX_ERROR : term)),
  },
  {
    name: 'parts are joined by what they were split at',
    rfc: '§7.3: they are rejoined using "." and not the original splitting characters',
    example: { 'mail-1.test': 'v=spf1 include:%{d-}', 'mail.1.test': 'v=spf1 -all' },
    rewrite: macrosSpelledOut(/%\{[do]\d*r?[.\-+,/_=]+\}/gi),
  },
  {
    name: '%{dR} does not reverse',
    rfc: '§7.1: the "r" of transformers is a quoted string of ABNF, which has no case (RFC 5234 §2.3)',
    example: { 'mail-1.test': 'v=spf1 include:%{dR}.test', 'test.mail-1.test': 'v=spf1 -all' },
    rewrite: macrosSpelledOut(/%\{[do]\d*R[.\-+,/_=]*\}/gi),
  },
  {
    name: 'a name that is too long loses one label only',
    rfc: '§7.3: successive labels are removed until the length does not exceed 253 characters',
    example: {
      'mail-1.test': `v=spf1 include:${LONG_LABEL.repeat(6)}test`,
      [`${LONG_LABEL.repeat(4)}test`]: 'v=spf1 -all',
    },
    rewrite: eachTerm((term, reader) => {
      const [, head = '', spec = '', tail = ''] = /^([^:=]*[:=])(.*?)(\/.*)?$/.exec(term) ?? []
      const name = spec.length > 200 ? expandStaticSpec(spec, reader) : null
      return name === null ? term : head + toDomainSpec(name) + tail
    }),
  },
]
