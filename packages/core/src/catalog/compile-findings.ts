/**
 * Reads the entries in `data/findings/`, whose README says how they are written. Markdown has more
 * forms than an entry needs, so anything else is a fault.
 */
import { PLACE } from './fill-words.js'
import {
  type FindingEntry,
  type FindingWords,
  findingFacts,
  findingWords,
} from './finding-entry.js'

export interface FindingData {
  readonly entries: Record<string, FindingEntry>
  /** By `id (case)`: what a special case says instead. */
  readonly cases: Record<string, Partial<FindingWords>>
  /** The names of the values that the words of an entry or case need. */
  readonly values: Record<string, string[]>
}

/** `files`: the text of each file by its area, in the order of the catalog. Throws with all faults. */
export function compileFindings(files: Readonly<Record<string, string>>): FindingData {
  const data: FindingData = { entries: {}, cases: {}, values: {} }
  const faults = Object.entries(files).flatMap(([area, text]) =>
    splitSections(text).flatMap((section) => {
      const own = section.kase === undefined ? addEntry(data, section) : addCase(data, section)
      const place = section.id.startsWith(`${area}.`) ? [] : [`does not belong in ${area}.md`]
      return [...section.faults, ...own, ...place].map((fault) => `${section.key} ${fault}`)
    }),
  )
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return data
}

interface Section {
  /** The heading: an id, or `id (case)`. */
  readonly key: string
  readonly id: string
  readonly kase: string | undefined
  readonly facts: Readonly<Record<string, string>>
  readonly words: Partial<FindingWords>
  readonly faults: readonly string[]
}

const HEADING = /^(?<id>[a-z]+\.[a-z0-9-]+)(?: \((?<kase>[a-z0-9-]+)\))?$/
const FACT = /^- (\w+): (.+)$/

function splitSections(text: string): Section[] {
  const [, ...sections] = text.split(/^# /m)
  return sections.map((section) => {
    const [head = '', ...parts] = section.trim().split(/^(?=##)/m)
    const [key = '', ...lines] = head.split('\n')
    const { id = key, kase } = HEADING.exec(key)?.groups ?? {}
    const facts = Object.fromEntries(
      lines.flatMap((line) => {
        const [, name, value] = FACT.exec(line) ?? []
        return name && value ? [[name, value]] : []
      }),
    )
    const intro = lines.filter((line) => !FACT.test(line))
    return { key, id, kase, facts, ...readWords(intro, parts) }
  })
}

function readWords(
  intro: readonly string[],
  parts: readonly string[],
): Pick<Section, 'words' | 'faults'> {
  const words: Partial<FindingWords> = {}
  const faults: string[] = []
  const meaning = joinLines(intro)
  if (meaning) words.meaning = meaning
  for (const part of parts) {
    const [, level, heading = '', body = ''] = /^(#+) (.*)\n?([\s\S]*)$/.exec(part) ?? []
    const text = joinLines(body.split('\n'))
    if (level === '##') {
      words.title = heading
      if (text) words.meaning = text
    } else if (heading === 'What to do') words.steps = readSteps(body, faults)
    else if (heading === 'How to check') words.check = text
    else if (heading === 'Note') words.note = text
    else faults.push(`has an unknown part ${heading}`)
  }
  return { words, faults }
}

function readSteps(body: string, faults: string[]): string[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, index) => {
    const step = line.replace(`${index + 1}. `, '')
    if (step === line) faults.push(`has a step that should be number ${index + 1}: ${line}`)
    return step
  })
}

function joinLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** Returns what is wrong with it. */
function addEntry(data: FindingData, { id, facts, words }: Section): string[] {
  const [mechanism] = id.split('.')
  const read = findingFacts.safeParse({ mechanism, ...facts })
  const complete = findingWords.safeParse(words)
  if (id in data.entries) return ['is defined twice']
  if (!read.success || !complete.success) {
    const issues = [read, complete].flatMap(({ error }) => error?.issues ?? [])
    return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  }
  data.entries[id] = { ...read.data, ...complete.data }
  data.values[id] = namesOf(complete.data)
  const bare = placesOf(words).filter(
    ({ one, otherwise }) => one === undefined && otherwise === undefined,
  )
  return bare.map(({ name }) => `does not say what to show when {${name}} has no value`)
}

function addCase(data: FindingData, { key, id, facts, words }: Section): string[] {
  const entry = data.entries[id]
  if (!entry) return ['is a case of no entry above it']
  if (key in data.cases) return ['is defined twice']
  data.cases[key] = words
  data.values[key] = namesOf({ ...entry, ...words })
  return Object.keys(facts).map((name) => `has the fact ${name}, which belongs to the entry`)
}

function namesOf(words: Partial<FindingWords>): string[] {
  return [...new Set(placesOf(words).flatMap(({ name = [] }) => name))]
}

function placesOf({
  title = '',
  meaning = '',
  steps = [],
  check = '',
  note = '',
}: Partial<FindingWords>) {
  const texts = [title, meaning, ...steps, check, note]
  return texts.flatMap((text) => [...text.matchAll(PLACE)].map(({ groups = {} }) => groups))
}
