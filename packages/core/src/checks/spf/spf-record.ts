/** An SPF record: its terms (RFC 7208 §4.6.1) and the parser (§12), which keeps invalid terms and positions. */

import { isIPv4, isIPv6 } from 'node:net'
import type { DnsAnswer } from '@mailgrade/doh/dns'
import { quoteForDisplay } from '../format-list.js'
import { MAX_TXT_OCTETS, readTxtRecords, selectRecords } from '../txt-records.js'
import {
  type DomainSpec,
  isMalformedSpec,
  parseDomainSpec,
  parseMacroString,
} from './domain-spec.js'
import { MAX_RECORD_TERMS } from './spf-limits.js'

export const MECHANISMS = ['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'] as const
type MechanismName = (typeof MECHANISMS)[number]
const MECHANISM_NAMES: ReadonlySet<string> = new Set(MECHANISMS)

export const QUALIFIERS = ['+', '-', '~', '?'] as const
export type Qualifier = (typeof QUALIFIERS)[number]

/** §4.6.2. */
export const QUALIFIER_RESULTS = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
} as const satisfies Record<Qualifier, string>

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
  /** Its end is unknown: it is longer than what is read. */
  readonly isCut: boolean
}

type Terms = Pick<SpfRecord, 'terms'>

export function isMechanismName(name: string): name is MechanismName {
  return MECHANISM_NAMES.has(name)
}

export function isDirective(term: Term): term is Directive {
  return isMechanismName(term.kind)
}

export function invalidTerms(record: SpfRecord): InvalidTerm[] {
  return record.terms.filter((term): term is InvalidTerm => term.kind === 'invalid')
}

export function isValid(record: SpfRecord): boolean {
  return record.terms.every(({ kind }) => kind !== 'invalid')
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

/** The active terms of all records, one after the other. */
export function termsOf(records: readonly SpfRecord[]): readonly ActiveTerm[] {
  const [first] = records
  // Nearly every host has one record, and `flatMap` is slow.
  return first && records.length === 1 ? first.active : records.flatMap(activeTerms)
}

/** Mechanisms up to the first `all`, then the redirect (§4.6.2, §5.1). */
function selectActiveTerms(record: Terms): ActiveTerm[] {
  const directives = record.terms.filter(isDirective)
  const end = directives.findIndex((directive) => directive.kind === 'all')
  const redirect = findRedirect(record)
  return [
    ...(end === -1 ? directives : directives.slice(0, end + 1)),
    ...(redirect ? [redirect] : []),
  ]
}

/** The terms of a record; of several records, the terms of one that says the same. */
export function mergeTerms(records: readonly SpfRecord[]): readonly ActiveTerm[] {
  const [only, ...others] = records
  if (only && others.length === 0) return activeTerms(only)
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

type Arguments = Pick<Directive, 'target' | 'address' | 'ipv4Prefix' | 'ipv6Prefix'>
type Problem = { readonly problem: string }

const WHOLE: Arguments = { target: null, address: null, ipv4Prefix: 32, ipv6Prefix: 128 }
const MODIFIER = /^([a-z][a-z\d._-]*)=(.*)$/is
const DIRECTIVE = /^([+?~-]?)([^:/]*)(.*)$/s
/** Common misspellings of terms. */
export const MECHANISM_TYPOS: ReadonlyMap<string, string> = new Map([
  ['ip', 'ip4'],
  ['ipv4', 'ip4'],
  ['ipv6', 'ip6'],
  ['includes', 'include'],
  ['inlcude', 'include'],
  ['incude', 'include'],
  ['includ', 'include'],
  ['exist', 'exists'],
  ['redirect', 'redirect='],
  ['exp', 'exp='],
])

const VERSION_LENGTH = 'v=spf1'.length

/** The text must start with the version; see `isSpfRecord`. */
export function parseSpf(text: string): SpfRecord {
  const terms: Term[] = []
  const usedModifiers = new Set<string>()
  let isCut = false
  // §4.6.1: only spaces separate terms.
  for (const { 0: word, index } of text.slice(VERSION_LENGTH).matchAll(/[^ ]+/g)) {
    const position = index + VERSION_LENGTH
    const problem = limitProblem(terms.length, position + word.length)
    if (problem) {
      terms.push({ kind: 'invalid', text: word, position, problem })
      isCut = true
      break
    }
    terms.push(parseTerm(word, position, usedModifiers))
  }
  return { text, terms, active: selectActiveTerms({ terms }), isCut }
}

/** §3.4: receivers may silently ignore records that are much shorter. */
function limitProblem(termCount: number, end: number): string | null {
  if (termCount === MAX_RECORD_TERMS)
    return `we don’t read terms after the first ${MAX_RECORD_TERMS}`
  return end > MAX_TXT_OCTETS ? `we don’t read text after the first ${MAX_TXT_OCTETS} bytes` : null
}

const known = new WeakMap<DnsAnswer, readonly SpfRecord[]>()

/** The SPF records of an answer. Every draft of a plan reads the same answers again. */
export function readSpfRecords(
  answer: Exclude<DnsAnswer<'TXT'>, { kind: 'failed' }>,
): readonly SpfRecord[] {
  const before = known.get(answer)
  if (before) return before
  const texts = readTxtRecords(answer).filter(isSpfRecord)
  const records = selectRecords(texts, (text) => text).map(parseSpf)
  known.set(answer, records)
  return records
}

/** §4.5: the version ends at a space or at the end; §4.6.1: its case does not matter. */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

/** One invalid term invalidates the record (§4.6). */
export function isWellFormedSpf(text: string): boolean {
  return invalidTerms(parseSpf(text)).length === 0
}

function parseTerm(text: string, position: number, usedModifiers: Set<string>): Term {
  const [, name, value] = MODIFIER.exec(text) ?? []
  if (name !== undefined && value !== undefined) {
    const modifier = parseModifier(name.toLowerCase(), value, usedModifiers)
    return 'problem' in modifier
      ? { kind: 'invalid', text, position, ...modifier }
      : { text, position, ...modifier }
  }
  const [, sign, mechanism = '', rest = ''] = DIRECTIVE.exec(text) ?? []
  const kind = MECHANISMS.find((known) => known === mechanism.toLowerCase())
  const parsed = kind ? parseMechanism(kind, rest) : unknownMechanism(mechanism)
  if (!kind || 'problem' in parsed) {
    return { kind: 'invalid', text, position, problem: 'problem' in parsed ? parsed.problem : '' }
  }
  return {
    kind,
    qualifier: QUALIFIERS.find((qualifier) => qualifier === sign) ?? '+',
    ...parsed,
    text,
    position,
  }
}

function parseModifier(
  name: string,
  value: string,
  usedModifiers: Set<string>,
): Pick<Modifier, 'kind' | 'name' | 'target'> | Problem {
  const isKnown = name === 'redirect' || name === 'exp'
  if (isKnown && usedModifiers.has(name)) return { problem: `${name} can appear only once` }
  usedModifiers.add(name)
  const target = isKnown ? parseDomainSpec(value) : parseMacroString(value)
  if (isMalformedSpec(target)) return target
  return { kind: isKnown ? name : 'unknown-modifier', name, target }
}

function unknownMechanism(name: string): Problem {
  const correct = MECHANISM_TYPOS.get(name.toLowerCase())
  return {
    problem: `there’s no mechanism ${quoteForDisplay(name)}${correct ? `; write ${correct}` : ''}`,
  }
}

function parseMechanism(kind: Directive['kind'], rest: string): Arguments | Problem {
  switch (kind) {
    case 'all':
      return rest === '' ? WHOLE : { problem: 'all doesn’t take a value' }
    case 'ip4':
      return parseNetwork(rest, 'an IPv4 address', isIPv4, 32)
    case 'ip6':
      return parseNetwork(
        rest,
        'an IPv6 address',
        (text) => isIPv6(text) && !text.includes('%'),
        128,
      )
    case 'include':
    case 'exists':
      return parseTarget(rest, `${kind} needs a colon and a host name`)
    case 'ptr':
      return rest === '' ? WHOLE : parseTarget(rest, 'ptr takes a colon and a host name')
    default:
      return parseHosts(rest)
  }
}

function parseTarget(rest: string, otherwise: string): Arguments | Problem {
  if (!rest.startsWith(':')) return { problem: otherwise }
  const target = parseDomainSpec(rest.slice(1))
  return isMalformedSpec(target) ? target : { ...WHOLE, target }
}

/** §5.3, §5.4: `a` and `mx`, with a host or without, and a prefix length for each address family. */
function parseHosts(rest: string): Arguments | Problem {
  const [, host = '', ipv4 = '32', ipv6 = '128'] =
    /^(.*?)(?:(?<!\/)\/(\d*))?(?:\/\/(\d*))?$/s.exec(rest) ?? []
  const ipv4Prefix = prefixLength(ipv4, 32)
  const ipv6Prefix = prefixLength(ipv6, 128)
  if (ipv4Prefix === null) return { problem: `/${ipv4} isn’t a prefix length from 0 to 32` }
  if (ipv6Prefix === null) return { problem: `//${ipv6} isn’t a prefix length from 0 to 128` }
  if (host === '') return { ...WHOLE, ipv4Prefix, ipv6Prefix }
  const named = parseTarget(host, `${quoteForDisplay(host)} isn’t allowed here`)
  return 'problem' in named ? named : { ...named, ipv4Prefix, ipv6Prefix }
}

function parseNetwork(
  rest: string,
  what: string,
  isAddress: (text: string) => boolean,
  maxLength: 32 | 128,
): Arguments | Problem {
  const slashAt = rest.indexOf('/')
  const address = rest.slice(1, slashAt === -1 ? undefined : slashAt)
  if (!rest.startsWith(':') || !isAddress(address))
    return { problem: `${quoteForDisplay(address)} isn’t ${what}` }
  const given = slashAt === -1 ? String(maxLength) : rest.slice(slashAt + 1)
  const prefix = prefixLength(given, maxLength)
  if (prefix === null)
    return {
      problem: `${quoteForDisplay(`/${given}`)} isn’t a prefix length from 0 to ${maxLength}`,
    }
  return { ...WHOLE, address, [maxLength === 32 ? 'ipv4Prefix' : 'ipv6Prefix']: prefix }
}

/** §12: digits without leading zeros; a netmask or `/024` is a syntax error. */
function prefixLength(text: string, maxLength: number): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= maxLength ? Number(text) : null
}

/**
 * The terms that could stand for a sender, even invalid ones: all but the first `all` and modifiers
 * such as `exp`. A mechanism written as a modifier is among them.
 */
export function namingTerms({ terms }: SpfRecord): Term[] {
  const [, ...otherAlls] = terms.filter(({ kind }) => kind === 'all')
  const named = terms.filter(
    (term) => term.kind !== 'all' && term.kind !== 'exp' && !isHarmlessModifier(term),
  )
  return [...named, ...otherAlls]
}

/** §6: receivers ignore it, and it does not look like a mechanism. */
function isHarmlessModifier(term: Term): boolean {
  return (
    term.kind === 'unknown-modifier' &&
    !isMechanismName(term.name) &&
    !MECHANISM_TYPOS.has(term.name)
  )
}
