/** Markdown for a job summary or a pull request: a table of all domains, then each with what to fix. */
import { type Finding, isActionable, rfcUrl, STATUS_SIGNS } from '@mailgrade/core'
import type { DocumentEntry } from './document-entry.js'
import { markdownCode, markdownCodeBlock, markdownText } from './markdown.js'

/** GitHub shows no job summary above 1 MiB. */
const MAX_BYTES = 1_000_000

export function markdownDocument(entries: readonly DocumentEntry[]): string {
  return fit([...tableLines(entries), ...entries.flatMap(sectionBlocks)])
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
    (entry) => `| ${markdownText(entry.domain)} | ${verdictText(entry)} | ${countText(entry)} |\n`,
  )
  return ['## Mailgrade\n\n', '| Domain | Verdict | To fix |\n', '| --- | --- | --- |\n', ...rows]
}

function verdictText({ headline: { status, label } }: DocumentEntry): string {
  return `${STATUS_SIGNS[status]} ${markdownText(label)}`
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

function sectionBlocks(entry: DocumentEntry): string[] {
  const { domain, headline, findings } = entry
  const notes = findings.filter((finding) => !isActionable(finding))
  return [
    `\n### ${markdownText(domain)}\n\n`,
    `**${verdictText(entry)}.** ${markdownText(headline.sentence)}\n`,
    ...findings.filter(isActionable).map(findingBlock),
    ...(notes.length > 0 ? ['\n**Good to know**\n\n', ...notes.map(noteLine)] : []),
  ]
}

function findingBlock(finding: Finding): string {
  const { id, severity, title, detail, fix, record, reference } = finding
  const paragraphs = [
    `#### ${markdownText(title)} (${severity})`,
    markdownText(detail),
    `**What to do.** ${markdownText(fix)}`,
  ]
  if (record) {
    paragraphs.push(`Record (${record.type} at ${markdownCode(record.name)}):`)
    paragraphs.push(markdownCodeBlock(record.value))
  }
  paragraphs.push(`${markdownCode(id)}, ${referenceLink(reference)}`)
  return `\n${paragraphs.join('\n\n')}\n`
}

function noteLine({ id, title }: Finding): string {
  return `- ${markdownCode(id)}: ${markdownText(title)}\n`
}

function referenceLink(reference: string): string {
  const url = rfcUrl(reference)
  return url ? `[${markdownText(reference)}](${url})` : markdownText(reference)
}
