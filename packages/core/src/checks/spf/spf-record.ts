/** What a parsed SPF record is made of (RFC 7208 §4.6.1). */
import type { DomainSpec } from './domain-spec.js'

export const MECHANISMS = ['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'] as const
type MechanismName = (typeof MECHANISMS)[number]

export type Qualifier = '+' | '-' | '~' | '?'

interface Written {
  /** As it stands in the record. */
  readonly text: string
  /** Octets before it. */
  readonly position: number
}

export interface Directive extends Written {
  readonly kind: MechanismName
  readonly qualifier: Qualifier
  /** Null: the domain whose record this is. */
  readonly target: DomainSpec | null
  /** Of `ip4` and `ip6`. */
  readonly address: string | null
  /** How much of an address counts; 32 and 128 where nothing is said. */
  readonly ipv4Prefix: number
  readonly ipv6Prefix: number
}

export interface Modifier extends Written {
  readonly kind: 'redirect' | 'exp' | 'unknown-modifier'
  readonly name: string
  readonly target: DomainSpec
}

export type Redirect = Modifier & { readonly kind: 'redirect' }

/** What receivers act on. */
export type ActiveTerm = Directive | Redirect

/** One broken term breaks the whole record (§4.6). */
export interface InvalidTerm extends Written {
  readonly kind: 'invalid'
  readonly problem: string
}

export type Term = Directive | Modifier | InvalidTerm

export interface SpfRecord {
  readonly text: string
  readonly terms: readonly Term[]
  /** Those that receivers go through. */
  readonly active: readonly ActiveTerm[]
}

type Terms = Pick<SpfRecord, 'terms'>

export function isDirective(term: Term): term is Directive {
  return (MECHANISMS as readonly string[]).includes(term.kind)
}

export function invalidTerms(record: SpfRecord): InvalidTerm[] {
  return record.terms.filter((term): term is InvalidTerm => term.kind === 'invalid')
}

export function findAll(record: Terms): Directive | null {
  return record.terms.find((term): term is Directive => term.kind === 'all') ?? null
}

/** The redirect that counts: none where there is an `all` (§6.1). */
export function findRedirect(record: Terms): Redirect | null {
  if (findAll(record)) return null
  return record.terms.find((term): term is Redirect => term.kind === 'redirect') ?? null
}

export function activeTerms({ active }: SpfRecord): readonly ActiveTerm[] {
  return active
}

/** What receivers go through: mechanisms up to the first `all`, then the redirect (§4.6.2, §5.1). */
export function selectActiveTerms(record: Terms): ActiveTerm[] {
  const directives = record.terms.filter(isDirective)
  const end = directives.findIndex((directive) => directive.kind === 'all')
  const redirect = findRedirect(record)
  return [
    ...(end === -1 ? directives : directives.slice(0, end + 1)),
    ...(redirect ? [redirect] : []),
  ]
}

/** The terms of a record; of several records, the terms of one that says the same. */
export function mergeTerms(records: readonly SpfRecord[]): ActiveTerm[] {
  const seen = new Set<string>()
  return records.flatMap((record) => {
    const terms = activeTerms(record).filter(({ text }) => !seen.has(text.toLowerCase()))
    for (const { text } of terms) seen.add(text.toLowerCase())
    return terms
  })
}

/** Whether a term leads to another record. */
export function isIncludeOrRedirect(term: ActiveTerm): boolean {
  return term.kind === 'include' || term.kind === 'redirect'
}
