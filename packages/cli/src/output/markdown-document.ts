/** Markdown for a job summary or a pull request: a table of all domains, then the report on each. */
import { isActionable } from '@mailgrade/core'
import type { DocumentEntry } from './document-entry.js'
import { documentMarkdown, resultMarkdown } from './document-markdown.js'
import { markdownText } from './markdown.js'

/** GitHub shows no job summary above 1 MiB. */
const MAX_BYTES = 1_000_000

export function markdownDocument(entries: readonly DocumentEntry[]): string {
  return fit([
    ...tableLines(entries),
    ...entries.flatMap(({ document }) => documentMarkdown(document)),
  ])
}

/** As many blocks as fit, with a note if some are left out. */
function fit(blocks: readonly string[]): string {
  let size = 0
  const count = blocks.findIndex((block) => {
    size += Buffer.byteLength(block)
    return size > MAX_BYTES
  })
  return count === -1 ? blocks.join('') : `${blocks.slice(0, count).join('')}${CUT_NOTE}`
}

const CUT_NOTE =
  '\n**We left out the rest**, because GitHub shows at most 1 MiB. Use `--format json` to get everything.\n'

function tableLines(entries: readonly DocumentEntry[]): string[] {
  const rows = entries.map(
    (entry) =>
      `| ${markdownText(entry.domain)} | ${resultMarkdown(entry.document)} | ${countText(entry)} |\n`,
  )
  return ['## Mailgrade\n\n', '| Domain | Verdict | To fix |\n', '| --- | --- | --- |\n', ...rows]
}

/** `1 critical, 2 high` */
function countText({ errorCode, findings }: DocumentEntry): string {
  if (errorCode !== null) return 'not checked'
  const counts = new Map<string, number>()
  for (const { severity } of findings.filter(isActionable)) {
    counts.set(severity, (counts.get(severity) ?? 0) + 1)
  }
  return [...counts].map(([severity, count]) => `${count} ${severity}`).join(', ') || 'nothing'
}
