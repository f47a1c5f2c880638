/** Prints how hard the most visited pages are to read: `npm run readability`. Fails above the limit. */
import {
  HIGHEST_GRADE,
  MOST_VISITED,
  readingGrade,
  toSentences,
} from '@mailgrade/testing/readability'
import { withSandboxService } from './sandbox-service.mjs'

await withSandboxService(async (url) => {
  const rows = []
  for (const path of MOST_VISITED) {
    const response = await fetch(url + path, { headers: { accept: 'text/html' } })
    const sentences = toSentences(await response.text())
    rows.push({ page: path, sentences: sentences.length, grade: readingGrade(sentences) })
  }
  for (const { page, sentences, grade } of rows) {
    process.stdout.write(`${grade.toFixed(1).padStart(5)}  ${page} (${sentences} sentences)\n`)
  }
  if (rows.some(({ grade }) => grade > HIGHEST_GRADE)) process.exitCode = 1
})
