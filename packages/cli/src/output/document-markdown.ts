/** A report in GitHub Flavored Markdown. */
import {
  type Block,
  type Finding,
  plainText,
  type ReportDocument,
  rfcUrl,
  statusText,
  type Text,
} from '@mailgrade/core'
import type { EntryDocument } from './document-entry.js'
import { titleWithRequest, treeLines } from './document-text.js'
import { markdownCode, markdownCodeBlock, markdownText } from './markdown.js'

/** In pieces, so that it can be cut between them: the answer and what to fix, then why. */
export function documentMarkdown(report: EntryDocument): string[] {
  const { heading, blocks, findings } = report
  const answer = blocks.filter(({ kind }) => kind === 'verdict')
  const reasons = blocks.filter(({ kind }) => kind !== 'verdict')
  return [
    `## ${markdownText(titleWithRequest(report))}`,
    ...(answer.length === 0 ? [`**${resultMarkdown(report)}**`] : []),
    ...[...answer, ...findings].flatMap(blockMarkdown),
    // Without it, what follows would seem to belong to the last finding.
    ...(heading ? [`### ${markdownText(heading)}`] : []),
    ...reasons.flatMap(blockMarkdown),
  ].map((piece) => `\n${piece}\n`)
}

/** Such as `✕ Exposed` or `72 of 100, grade C`. */
export function resultMarkdown({ result, blocks }: ReportDocument): string {
  const verdict = blocks.find((block) => block.kind === 'verdict')
  return markdownText(verdict ? statusText(verdict.status, verdict.label) : result)
}

function blockMarkdown(block: Block): string | string[] {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level + 1)} ${markdownText(block.text)}`
    case 'paragraph':
      return inline(block.text)
    case 'verdict': {
      const { status, label, answer, meaning } = block
      return `**${markdownText(statusText(status, label))}.** ${markdownText(`${answer} ${meaning}`)}`
    }
    case 'list':
      return listOf(
        block.items.map(({ text, id, reference }) => {
          const source = sourceText(id, reference)
          return source ? `${inline(text)} (${source})` : inline(text)
        }),
      )
    case 'facts': {
      const facts = block.facts.map(({ label, value, list = [value] }) => {
        const mark = label.endsWith('?') ? '' : ':'
        return `**${markdownText(label)}${mark}** ${list.map(inline).join(', ')}`
      })
      return titled(block.title, listOf(facts))
    }
    case 'records':
      return block.records.map(markdownCodeBlock)
    case 'publish':
      return block.records.map(recordMarkdown)
    case 'table':
      return titled(block.title, tableOf(block.columns, block.rows))
    case 'keys':
      return listOf(
        block.keys.map(({ name, size, text, problems }) =>
          [
            `**${markdownText(name)}:** ${markdownText(size)}, ${markdownText(text)}`,
            ...problems.map((problem) => `  - ${markdownText(problem)}`),
          ].join('\n'),
        ),
      )
    case 'details':
      return `${markdownText(block.summary)}.`
    case 'path': {
      const stops = block.stops.map(
        ({ name, text }, index) => `${index + 1}. **${markdownText(name)}** ${markdownText(text)}`,
      )
      return titled(block.title, stops.join('\n'))
    }
    case 'tiles': {
      const tiles = block.tiles.map(
        ({ name, acronym, status, text }) =>
          `**${statusText(status)}** ${markdownText(`${name} (${acronym}): ${text}`)}`,
      )
      return titled(block.title, listOf(tiles))
    }
    case 'lookups': {
      const tree = treeLines(block.tree, '', { style: (_, text) => text }).join('\n')
      return titled(block.title, `${markdownText(block.words)}\n\n${markdownCodeBlock(tree)}`)
    }
    case 'points': {
      const rows = block.rows.map(({ name, words, losses }) => {
        return [name, words, losses.map(({ text }) => text).join('; ')]
      })
      return titled(block.title, tableOf(block.columns, rows))
    }
    case 'steps': {
      const steps = block.steps.map(({ title, text, record }, index) =>
        [
          `#### ${index + 1}. ${markdownText(title)}`,
          markdownText(text),
          ...(record ? [recordMarkdown(record)] : []),
        ].join('\n\n'),
      )
      return [`### ${markdownText(block.title)}`, ...steps]
    }
    case 'findings':
      return block.findings.map(findingMarkdown)
    case 'notes': {
      const notes = block.findings.map(
        ({ id, title }) => `${markdownCode(id)}: ${markdownText(title)}`,
      )
      return `**${markdownText(block.title)}**\n\n${listOf(notes)}`
    }
  }
}

function titled(title: string | undefined, text: string): string {
  return title ? `### ${markdownText(title)}\n\n${text}` : text
}

function listOf(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

/** Code is text here, because a cell ends at `|` even in code. */
function tableOf(columns: readonly string[], rows: readonly (readonly Text[])[]): string {
  const row = (cells: readonly Text[]) =>
    `| ${cells.map((cell) => markdownText(plainText(cell))).join(' | ')} |`
  return [row(columns), `|${' --- |'.repeat(columns.length)}`, ...rows.map(row)].join('\n')
}

function inline(text: Text): string {
  const runs = typeof text === 'string' ? [text] : text
  return runs
    .map((run) => {
      // The spaces around it separate it from code.
      if (typeof run === 'string') {
        return run.replace(/\s+/g, ' ').replace(/\S(.*\S)?/, (words) => markdownText(words))
      }
      return 'code' in run ? markdownCode(run.code) : `**${markdownText(run.mark)}**.`
    })
    .join('')
}

function findingMarkdown({ id, severity, title, detail, fix, record, reference }: Finding): string {
  return [
    `#### ${markdownText(title)} (${severity})`,
    markdownText(detail),
    `**What to do.** ${markdownText(fix)}`,
    ...(record ? [recordMarkdown(record)] : []),
    sourceText(id, reference),
  ].join('\n\n')
}

function recordMarkdown({ type, name, value }: NonNullable<Finding['record']>): string {
  return `Record (${type} at ${markdownCode(name)}):\n\n${markdownCodeBlock(value)}`
}

function sourceText(id?: string, reference?: string): string {
  return [id && markdownCode(id), reference && referenceLink(reference)].filter(Boolean).join(', ')
}

function referenceLink(reference: string): string {
  const url = rfcUrl(reference)
  return url ? `[${markdownText(reference)}](${url})` : markdownText(reference)
}
