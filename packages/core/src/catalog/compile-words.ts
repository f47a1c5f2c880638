/** Reads `data/plan-words/`: a heading is a key, and the paragraph below it what it says. */
import { PLACE } from './fill-words.js'

export interface WordData {
  readonly texts: Record<string, string>
  /** The names of the values that each text needs. */
  readonly values: Record<string, string[]>
}

const KEY = /^[a-z][a-z-]*(?:\.[a-z0-9-]+)+$/

/** `files`: the text of each file by its area. Throws with all faults. */
export function compileWords(files: Readonly<Record<string, string>>): WordData {
  const data: WordData = { texts: {}, values: {} }
  const sections = Object.entries(files).flatMap(([area, text]) =>
    text
      .split(/^# /m)
      .filter((section) => section.trim() !== '')
      .map((section) => ({ area, section })),
  )
  const faults = sections.flatMap(({ area, section }) => {
    const [key = '', ...lines] = section.trim().split('\n')
    const text = lines
      .map((line) => line.trim())
      .filter(Boolean)
      .join(' ')
    if (!KEY.test(key) || !key.startsWith(`${area}.`)) return [`${key} is no key of ${area}.md`]
    if (key in data.texts) return [`${key} is defined twice`]
    if (text === '') return [`${key} says nothing`]
    data.texts[key] = text
    const names = [...text.matchAll(PLACE)].flatMap(({ groups }) => groups?.name ?? [])
    data.values[key] = [...new Set(names)]
    return []
  })
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return data
}
