/** A report as people read it: words in blocks, which pages, terminals and Markdown render. */
import type { Finding, ProposedRecord } from '../checks/finding.js'
import { isActionable } from '../reports/check/check-reports.js'
import { STATUS_SIGNS, STATUS_WORDS, type StatusName } from '../reports/status-words.js'

/** Code is for values from DNS, some of them records, and a mark is a word with a color. */
export type Run =
  | string
  | { readonly code: string; readonly isRecord?: true }
  | { readonly mark: string; readonly tone: StatusName | 'info' }
export type Text = string | readonly Run[]

/** With a list instead of a value: one or more of a kind. */
export type Fact = Readonly<{ label: string; value: Text; list?: readonly Text[] }>

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

/** What each kind of block says. */
interface Blocks {
  /** With an id for links to it. */
  heading: { text: string; level: 2 | 3; id?: string }
  paragraph: { text: Text }
  /** One sentence, and what it means. */
  verdict: { status: StatusName; label: string; answer: string; meaning: string }
  /** An id is the stable code that programs use. */
  list: { items: readonly Readonly<{ text: Text; id?: string; reference?: string }>[] }
  facts: { title?: string; facts: readonly Fact[] }
  /** Text as it is published. */
  records: { records: readonly string[] }
  publish: { records: readonly ProposedRecord[] }
  table: { title: string; columns: readonly string[]; rows: readonly (readonly Text[])[] }
  keys: {
    keys: readonly Readonly<
      Record<'name' | 'size' | 'text' | 'record', string> & { problems: readonly string[] }
    >[]
  }
  /** What only some readers want to see. */
  details: { summary: string; text: string }
  /** In order, each with a record to publish if it is known. */
  steps: {
    title: string
    steps: readonly Readonly<{ title: string; text: string; record: ProposedRecord | null }>[]
  }
  /** Numbered from `first`. */
  findings: { findings: readonly Finding[]; first: number }
  notes: { title: string; findings: readonly Finding[] }
  /** A status says how much a stop helps against forgery. */
  path: {
    title: string
    stops: readonly Readonly<{ name: string; text: string; status?: StatusName }>[]
  }
  tiles: {
    title: string
    tiles: readonly Readonly<
      { id: MechanismId; status: StatusName } & Record<'name' | 'acronym' | 'text', string>
    >[]
  }
  lookups: { title: string; used: number; limit: number; words: string; tree: TreeNode }
  points: {
    title: string
    columns: readonly string[]
    rows: readonly Readonly<{
      name: string
      points: number
      max: number
      words: string
      losses: readonly Readonly<Record<'id' | 'text', string>>[]
    }>[]
  }
}

type BlockKind = keyof Blocks
export type BlockOf<Kind extends BlockKind> = Readonly<{ kind: Kind } & Blocks[Kind]>
export type Block = { readonly [Kind in BlockKind]: BlockOf<Kind> }[BlockKind]

type MechanismId = 'spf' | 'dkim' | 'dmarc' | 'mx'

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

/** One mechanism as a part of the check. */
export interface MechanismSection {
  readonly id: MechanismId | 'transport'
  readonly heading: string
  /** For people who meet its acronym here. */
  readonly about: string
  readonly status: StatusName | null
  readonly blocks: readonly Block[]
}

export interface MechanismDocument extends ReportDocument, MechanismSection {
  readonly status: StatusName
  readonly blocks: readonly Block[]
}

/** The document of a mechanism from its report; `status` may depend on other mechanisms. */
export function mechanismDocument(
  report: Subject & { readonly issues: readonly Finding[] },
  section: Pick<MechanismDocument, 'heading' | 'about' | 'status' | 'blocks'> & {
    readonly id: MechanismId
  },
): MechanismDocument {
  return {
    ...documentTitle(`${section.id.toUpperCase()} of `, report),
    ...section,
    result: statusText(section.status),
    findings: describeFindings(report.issues),
  }
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
export function factsBlock(facts: readonly (Fact | null)[], title?: string): BlockOf<'facts'> {
  return { kind: 'facts', ...(title && { title }), facts: facts.filter((it) => it !== null) }
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

export function notesBlocks(findings: readonly Finding[]): Block[] {
  return findings.length === 0 ? [] : [{ kind: 'notes', title: 'Good to know', findings }]
}
