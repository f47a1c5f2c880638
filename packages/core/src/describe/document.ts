/** A report as people read it: words in blocks, which pages, terminals and Markdown render. */
import type { Finding, ProposedRecord } from '../checks/finding.js'
import { isActionable } from '../reports/check/check-reports.js'
import { STATUS_SIGNS, STATUS_WORDS, type StatusName } from '../reports/status-words.js'

export type Tone = StatusName | 'info'

/** Code is for values from DNS, and a mark is a word with a color. */
export type Run =
  | string
  | { readonly code: string }
  | { readonly mark: string; readonly tone: Tone }
export type Text = string | readonly Run[]

export interface Fact {
  readonly label: string
  readonly value: Text
  /** Instead of the value: one or more of a kind. */
  readonly list?: readonly Text[]
}

export interface ListItem {
  readonly text: Text
  /** The stable code that programs use for it. */
  readonly id?: string
  readonly reference?: string
}

export interface DocumentKey {
  readonly name: string
  readonly size: string
  readonly text: string
  readonly problems: readonly string[]
  readonly record: string
}

/** A name or a term of an SPF record, with what it leads to. */
export interface TreeNode {
  readonly term: string
  /** Such as `1 lookup`; empty for none. */
  readonly cost: string
  /** Why there is no record to show. */
  readonly state: string | null
  readonly record: string | null
  /** Whether it decided the result for a sender, or leads to the term that did. */
  readonly isMatched: boolean
  /** Such as `◀ matches ip4:192.0.2.1`. */
  readonly match: Text | null
  readonly children: readonly TreeNode[]
}

export interface LookupsBlock {
  readonly kind: 'lookups'
  readonly title: string
  readonly used: number
  readonly limit: number
  readonly words: string
  readonly tree: TreeNode
}

export interface PathStop {
  readonly name: string
  readonly text: string
  /** How much it helps against forgery; none for a fact that is the same everywhere. */
  readonly status?: Exclude<StatusName, 'unknown'>
}

export interface PathBlock {
  readonly kind: 'path'
  readonly title: string
  readonly stops: readonly PathStop[]
}

export interface Tile {
  readonly id: 'spf' | 'dkim' | 'dmarc' | 'mx'
  readonly name: string
  readonly acronym: string
  readonly status: StatusName
  readonly word: string
  readonly text: string
}

export interface TilesBlock {
  readonly kind: 'tiles'
  readonly title: string
  readonly tiles: readonly Tile[]
}

export interface VerdictBlock {
  readonly kind: 'verdict'
  readonly status: StatusName
  readonly label: string
  readonly answer: string
  readonly meaning: string
}

export interface PointsBlock {
  readonly kind: 'points'
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly {
    readonly name: string
    readonly points: number
    readonly max: number
    readonly words: string
    readonly losses: readonly { readonly id: string; readonly text: string }[]
  }[]
}

export interface FactsBlock {
  readonly kind: 'facts'
  readonly title?: string
  readonly facts: readonly Fact[]
}

export interface NotesBlock {
  readonly kind: 'notes'
  readonly title: string
  readonly findings: readonly Finding[]
}

export type Block =
  | {
      readonly kind: 'heading'
      readonly text: string
      readonly level: 2 | 3
      /** For links to it. */
      readonly id?: string
    }
  | { readonly kind: 'paragraph'; readonly text: Text }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | FactsBlock
  /** Text as it is published. */
  | { readonly kind: 'records'; readonly records: readonly string[] }
  | { readonly kind: 'publish'; readonly records: readonly ProposedRecord[] }
  | {
      readonly kind: 'table'
      readonly title: string
      readonly columns: readonly string[]
      readonly rows: readonly (readonly Text[])[]
    }
  | { readonly kind: 'keys'; readonly keys: readonly DocumentKey[] }
  /** What only some readers want to see. */
  | { readonly kind: 'details'; readonly summary: string; readonly text: string }
  /** In order, each with a record to publish if it is known. */
  | {
      readonly kind: 'steps'
      readonly title: string
      readonly steps: readonly {
        readonly title: string
        readonly text: string
        readonly record: ProposedRecord | null
      }[]
    }
  /** Numbered from `first`. */
  | { readonly kind: 'findings'; readonly findings: readonly Finding[]; readonly first: number }
  | NotesBlock
  | VerdictBlock
  | PathBlock
  | TilesBlock
  | LookupsBlock
  | PointsBlock

export interface ReportDocument {
  /** `SPF of acme.test` */
  readonly title: string
  readonly requested: string | null
  /** Null if there is no verdict. */
  readonly status: StatusName | null
  /** Such as `✓ Good` or `Exposed`. */
  readonly result: string
  /** What was found. */
  readonly blocks: readonly Block[]
  /** What to make of it. */
  readonly findings: readonly Block[]
}

/** The report of one mechanism, also as a part of the check. */
export interface MechanismDocument extends ReportDocument {
  readonly id: 'spf' | 'dkim' | 'dmarc' | 'mx' | 'transport'
  readonly heading: string
  /** For people who meet its acronym here. */
  readonly about: string
}

interface Subject {
  readonly domain: string
  readonly unicodeDomain?: string | undefined
  readonly requested?: string | undefined
}

/** The domain as people and as DNS write it, and the name that was asked for if it is another. */
export function documentTitle(
  prefix: string,
  { domain, unicodeDomain, requested }: Subject,
): Pick<ReportDocument, 'title' | 'requested'> {
  const name = unicodeDomain ? `${unicodeDomain} (${domain})` : domain
  return { title: `${prefix}${name}`, requested: requested ?? null }
}

export function statusText(status: StatusName, word: string = STATUS_WORDS[status]): string {
  return `${STATUS_SIGNS[status]} ${word}`
}

export function code(text: string): Run {
  return { code: text }
}

/** Our own text, in which backticks mark code. */
export function withCode(text: string): Text {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? code(piece) : piece))
}

/** The words alone. */
export function plainText(text: Text): string {
  if (typeof text === 'string') return text
  return text
    .map((run) => (typeof run === 'string' ? run : 'code' in run ? run.code : run.mark))
    .join('')
}

export function paragraph(text: Text): Block {
  return { kind: 'paragraph', text }
}

/** Facts that are null are left out. */
export function factsBlock(facts: readonly (Fact | null)[], title?: string): FactsBlock {
  const present = facts.filter((it) => it !== null)
  return { kind: 'facts', ...(title && { title }), facts: present }
}

export function fact(label: string, value: Text): Fact {
  return { label, value }
}

/** What to fix, then what to know. */
export function describeFindings(findings: readonly Finding[]): Block[] {
  const faults = findings.filter(isActionable)
  return [
    ...(faults.length > 0 ? [heading('What to fix'), findingsBlock(faults)] : []),
    ...notesBlocks(findings.filter((finding) => !isActionable(finding))),
  ]
}

export function heading(text: string, id?: string, level: 2 | 3 = 2): Block {
  return { kind: 'heading', text, level, ...(id && { id }) }
}

export function findingsBlock(findings: readonly Finding[], first = 1): Block {
  return { kind: 'findings', findings, first }
}

export function notesBlocks(findings: readonly Finding[]): NotesBlock[] {
  return findings.length === 0 ? [] : [{ kind: 'notes', title: 'Good to know', findings }]
}
