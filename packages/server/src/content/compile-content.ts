/** Turns what people edit in `content/` into what code loads; `scripts/build-data.mjs` runs it. */
import { compileMechanisms, compileProblems, compileTexts } from './compile-entries.js'
import { compilePage } from './compile-page.js'
import type { Mechanism } from './mechanism.js'
import type { PageTemplate } from './page-template.js'
import type { ProblemWords } from './problem-words.js'

export interface Content {
  /** By file name. */
  readonly pages: Record<string, PageTemplate>
  readonly mechanisms: Record<string, Mechanism>
  readonly problems: Record<string, ProblemWords>
  /** By file name and key. */
  readonly texts: Record<string, Record<string, string>>
}

/** `files`: the text of each file by its name. Throws with the faults of the first that has any. */
export function compileContent(files: Readonly<Record<string, string>>): Content {
  const content: Content = { pages: {}, mechanisms: {}, problems: {}, texts: {} }
  for (const [name, text] of Object.entries(files)) {
    try {
      compileFile(name, text, content)
    } catch (cause) {
      throw new Error(`${name}.md: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  }
  return content
}

function compileFile(name: string, text: string, content: Content): void {
  if (name === 'mechanisms') Object.assign(content.mechanisms, compileMechanisms(text))
  else if (name.startsWith('payment-')) content.texts[name] = compileTexts(text)
  else compilePageFile(name, text, content)
}

function compilePageFile(name: string, text: string, content: Content): void {
  const entries = name === 'problems' ? text.indexOf('\n## ') + 1 : text.length
  content.pages[name] = compilePage(text.slice(0, entries))
  if (name === 'problems') Object.assign(content.problems, compileProblems(text.slice(entries)))
}
