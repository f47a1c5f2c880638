/** Reads the entries in `content/` whose texts code puts together: mechanisms, problems and payments. */
import { lexer, type Token } from 'marked'
import { compileBlocks, rejectFaults, splitSections } from './compile-page.js'
import { type Mechanism, mechanism } from './mechanism.js'
import type { ProblemWords } from './problem-words.js'

/** By the name in the URL, in the order of the file. Throws with all faults. */
export function compileMechanisms(text: string): Record<string, Mechanism> {
  const faults: string[] = []
  const mechanisms = text.split(/^(?=# )/m).map((entry) => readMechanism(entry, faults))
  rejectFaults(faults)
  return Object.fromEntries(
    mechanisms.flatMap((it) => (it ? [[it.acronym.toLowerCase(), it]] : [])),
  )
}

const SECTIONS: Readonly<Record<string, (blocks: Token[]) => object>> = {
  'What it is': (blocks) => ({ what: paragraphsOf(blocks) }),
  'Why it matters': (blocks) => ({ why: paragraphsOf(blocks) }),
  'An example, part by part': (blocks) => ({
    example: {
      intro: paragraphsOf(blocks)[0],
      record: codeOf(blocks),
      parts: itemsOf(blocks).map(toPart),
    },
  }),
  'Other parts you may see': (blocks) => ({ otherParts: itemsOf(blocks).map(toPart) }),
  'How to set it up': (blocks) => ({ steps: itemsOf(blocks) }),
  'At your mail provider and other services': (blocks) => ({ services: paragraphsOf(blocks)[0] }),
}

function readMechanism(text: string, faults: string[]): Mechanism | undefined {
  const [, [heading, ...start] = [], ...sections] = splitSections(lexer(text))
  const title = textOf(heading)
  const [, everydayName, acronym] = /^(.+) \(([A-Z-]+)\)$/.exec(title) ?? []
  const { shortFor: fullName, ...form } = Object.fromEntries(itemsOf(start).map(toFact))
  const words = sections.map(([heading, ...blocks]) => readSection(textOf(heading), blocks))
  const { data, error } = mechanism.safeParse({
    acronym,
    everydayName,
    fullName,
    summary: paragraphsOf(start)[0],
    form: Object.keys(form).length > 0 ? form : null,
    ...Object.assign({}, ...words),
  })
  const issues = error?.issues ?? []
  faults.push(...issues.map(({ path, message }) => `${title} ${path.join('.')}: ${message}`))
  if (data && !isExplained(data.example))
    faults.push(`${title} must explain exactly the parts in its example`)
  return data
}

function isExplained({ record, parts }: Mechanism['example']): boolean {
  const texts = parts.map(([part]) => part)
  return [' ', '; '].some((separator) => texts.join(separator) === record)
}

function readSection(title: string, blocks: Token[]): object {
  if (title.startsWith('The file at ')) return { file: { title, text: codeOf(blocks) } }
  return SECTIONS[title]?.(blocks) ?? { [title]: 'an unknown part' }
}

/** By the code of the problem. Throws with all faults. */
export function compileProblems(text: string): Record<string, ProblemWords> {
  const faults: string[] = []
  const problems: Record<string, ProblemWords> = {}
  for (const entry of text.split(/^(?=## )/m)) {
    const [, [heading, ...blocks] = [], page = [], ...others] = splitSections(lexer(entry))
    const code = textOf(heading)
    const [meaning] = paragraphsOf(blocks)
    if (meaning === undefined) faults.push(`${code} has no meaning`)
    if (code in problems) faults.push(`${code} is explained twice`)
    if (others.length > 0) faults.push(`${code} has more than one title for its page`)
    const inputTitles = Object.fromEntries(itemsOf(blocks).map(toPart))
    if ('' in inputTitles) faults.push(`${code} has a title without a parameter`)
    problems[code] = {
      meaning: meaning ?? '',
      pageTitle: page[0] ? textOf(page[0]) : null,
      inputTitles,
      more: compileBlocks(page.slice(1)),
    }
  }
  rejectFaults(faults)
  return problems
}

/** Texts in which code fills the places, by key. Throws with all faults. */
export function compileTexts(text: string): Record<string, string> {
  const entries = text.split(/^## /m).slice(1)
  const texts = entries.map((entry) => entry.trim().split(/\n\n/))
  const keys = texts.map(([key]) => key)
  rejectFaults([
    ...keys.filter((key, index) => keys.indexOf(key) < index).map((key) => `${key} appears twice`),
    ...texts
      .filter(({ length }) => length !== 2)
      .map(([key]) => `${key} must have exactly one paragraph`),
  ])
  return Object.fromEntries(texts)
}

function textOf(token: Token | undefined): string {
  return token && 'text' in token ? String(token.text) : ''
}

function paragraphsOf(tokens: readonly Token[]): string[] {
  return tokens.filter(({ type }) => type === 'paragraph').map(textOf)
}

function codeOf(tokens: readonly Token[]): string | undefined {
  return tokens.filter(({ type }) => type === 'code').map(textOf)[0]
}

function itemsOf(tokens: readonly Token[]): string[] {
  return tokens
    .flatMap((token) => (token.type === 'list' ? (token.items as Token[]) : []))
    .map(textOf)
}

function toFact(item: string): string[] {
  return item.split(': ')
}

/** `code`: what it means */
function toPart(item: string): string[] {
  const [, part = '', meaning = ''] = /^`([^`]+)`: ([\s\S]+)$/.exec(item) ?? []
  return [part, meaning]
}
