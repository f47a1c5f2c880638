/** The parts of a parsed SPF record (RFC 7208 §4.6.1). */
import type { DomainSpec } from './domain-spec.js'

export const MECHANISMS = ['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'] as const
type MechanismName = (typeof MECHANISMS)[number]

export const QUALIFIERS = ['+', '-', '~', '?'] as const
export type Qualifier = (typeof QUALIFIERS)[number]

interface TermText {
  /** As written in the record. */
  readonly text: string
  /** Octets before it. */
  readonly position: number
}

export interface Directive extends TermText {
  readonly kind: MechanismName
  readonly qualifier: Qualifier
  /** Null for the domain of the record. */
  readonly target: DomainSpec | null
  /** Of `ip4` and `ip6`. */
  readonly address: string | null
  /** 32 and 128 by default. */
  readonly ipv4Prefix: number
  readonly ipv6Prefix: number
}

export interface Modifier extends TermText {
  readonly kind: 'redirect' | 'exp' | 'unknown-modifier'
  readonly name: string
  readonly target: DomainSpec
}

export type Redirect = Modifier & { readonly kind: 'redirect' }

/** The terms that receivers evaluate. */
export type ActiveTerm = Directive | Redirect

/** One invalid term invalidates the whole record (§4.6). */
export interface InvalidTerm extends TermText {
  readonly kind: 'invalid'
  readonly problem: string
}

export type Term = Directive | Modifier | InvalidTerm

export interface SpfRecord {
  readonly text: string
  readonly terms: readonly Term[]
  /** The terms that receivers evaluate. */
  readonly active: readonly ActiveTerm[]
}

type Terms = Pick<SpfRecord, 'terms'>

export function isMechanismName(name: string): name is MechanismName {
  return MECHANISMS.some((mechanism) => mechanism === name)
}

export function isDirective(term: Term): term is Directive {
  return isMechanismName(term.kind)
}

export function invalidTerms(record: SpfRecord): InvalidTerm[] {
  return record.terms.filter((term): term is InvalidTerm => term.kind === 'invalid')
}

export function findAll(record: Terms): Directive | null {
  return record.terms.find((term): term is Directive => term.kind === 'all') ?? null
}

/** The redirect that applies: none if the record has an `all` (§6.1). */
export function findRedirect(record: Terms): Redirect | null {
  if (findAll(record)) return null
  return record.terms.find((term): term is Redirect => term.kind === 'redirect') ?? null
}

export function activeTerms({ active }: SpfRecord): readonly ActiveTerm[] {
  return active
}

/** Mechanisms up to the first `all`, then the redirect (§4.6.2, §5.1). */
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
