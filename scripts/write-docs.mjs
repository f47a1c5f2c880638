/**
 * Writes the tables of findings in docs/findings.md and README.md from the catalogue.
 * With `--check` it writes nothing and fails when they are not what they should be.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { FINDINGS } from '../dist/catalog/findings/findings.js'

const START = '<!-- findings: npm run docs -->'
const END = '<!-- /findings -->'

const rows = Object.entries(FINDINGS)
const FILES = {
  'docs/findings.md': table(
    ['id', 'severity', 'meaning', 'reference'],
    rows.map(([id, { severity, meaning, reference }]) => [
      `<a id="${id}"></a>\`${id}\``,
      severity,
      meaning,
      reference,
    ]),
  ),
  'README.md': table(
    ['finding', 'meaning'],
    rows.map(([id, { meaning }]) => [`[\`${id}\`](docs/findings.md#${id})`, meaning]),
  ),
}

function table(head, body) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...body].map((row) => row[column].length)),
  )
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

const isCheck = process.argv.includes('--check')
for (const [file, content] of Object.entries(FILES)) {
  const text = readFileSync(file, 'utf8')
  const [before, rest] = text.split(START)
  const after = rest?.split(END)[1]
  if (after === undefined) throw new Error(`${file} has no place for the findings`)
  const written = `${before}${START}\n\n${content}\n\n${END}${after}`
  if (isCheck && written !== text) throw new Error(`${file} is out of date; run: npm run docs`)
  if (!isCheck) writeFileSync(file, written)
}
