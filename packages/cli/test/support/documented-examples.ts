/** The TypeScript examples of the documentation. */
import { readFileSync } from 'node:fs'

export interface DocumentedExample {
  readonly name: string
  readonly code: string
  /** Null if the document does not show it. */
  readonly output: string | null
}

export function readDocumentedExamples(): DocumentedExample[] {
  return ['docs/library.md', 'packages/cli/README.md'].flatMap(readExamples)
}

function readExamples(file: string): DocumentedExample[] {
  const text = readFileSync(file, 'utf8')
  const blocks = text.matchAll(/^```ts\n([\s\S]*?)^```(?:\n\n```text\n([\s\S]*?)^```)?/gm)
  return [...blocks].map(({ index, 1: code = '', 2: output = null }) => {
    const [heading = ''] = text.slice(0, index).match(/^#.*$/gm)?.slice(-1) ?? []
    return { name: `${file} ${heading}`, code, output }
  })
}
