/** A report for a terminal. */
import {
  type Block,
  type BlockOf,
  type Finding,
  plainText,
  type ReportDocument,
  STATUS_SIGNS,
  type StatusName,
  statusText,
  type Text,
  type TreeNode,
} from '@mailgrade/core'
import {
  describeList,
  joinBlocks,
  type Layout,
  type StyleName,
  wrapText,
} from '../terminal/layout.js'

const TONE_STYLES = {
  pass: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'dim',
  info: 'dim',
} as const satisfies Record<StatusName | 'info', StyleName>

const SEVERITY_STYLES = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'yellow',
  info: 'dim',
} as const satisfies Record<Finding['severity'], StyleName>

/** `more` comes last. */
export function documentText(
  report: ReportDocument,
  layout: Layout,
  more: readonly string[] = [],
): string {
  const blocks = [...report.blocks, ...report.findings].map((block) => blockText(block, layout))
  return joinBlocks([titleText(report, layout), ...blocks, ...more])
}

/** Such as `SPF of acme.example: ✓ Good`. */
export function titleText(
  { status, result, ...titles }: Omit<ReportDocument, 'blocks' | 'findings'>,
  { style }: Layout,
): string {
  const title = titleWithRequest(titles, (text) => style('bold', text))
  return `${title}: ${status ? style(TONE_STYLES[status], result) : result}`
}

export function titleWithRequest(
  { title, requested }: Pick<ReportDocument, 'title' | 'requested'>,
  emphasize = (text: string) => text,
): string {
  return `${emphasize(title)}${requested === null ? '' : ` (you asked for ${requested})`}`
}

function blockText(block: Block, layout: Layout): string {
  const { columns, style } = layout
  switch (block.kind) {
    case 'heading':
      return style('bold', block.text)
    case 'paragraph':
      return wrapText(inline(block.text, layout), columns, '')
    case 'verdict': {
      const sign = style(TONE_STYLES[block.status], STATUS_SIGNS[block.status])
      return [
        wrapText(style('bold', block.answer), columns, '  ', `${sign} `),
        wrapText(block.meaning, columns, '  '),
      ].join('\n')
    }
    case 'list':
      return block.items
        .map(({ text, id }) =>
          wrapText(`${inline(text, layout)}${id ? ` (${id})` : ''}`, columns, '    ', '  - '),
        )
        .join('\n')
    case 'facts': {
      const rows = block.facts.map(({ label, value, list = [value] }) => {
        return [label, list.map((it) => inline(it, layout)).join(', ')] as const
      })
      return titled(block.title, describeList(rows, columns, block.title ? '  ' : ''), layout)
    }
    // Never wrapped, so they can be copied.
    case 'records':
      return block.records.map((record) => `  ${record}`).join('\n')
    case 'publish':
      return block.records.flatMap((record) => recordLines(record, '  ', layout)).join('\n')
    case 'table': {
      const rows = block.rows.map((cells) => {
        const texts = cells.map((cell) => inline(cell, layout))
        return [texts.slice(0, -1).join(' '), texts.at(-1) ?? ''] as const
      })
      return titled(block.title, describeList(rows, columns), layout)
    }
    case 'keys':
      return block.keys
        .map(({ name, size, text, problems }) =>
          [
            `${style('bold', name)}: ${size}`,
            wrapText(text, columns, '  '),
            ...problems.map((problem) => wrapText(style('red', problem), columns, '  ')),
          ].join('\n'),
        )
        .join('\n\n')
    case 'details':
      return style('dim', `${block.summary}.`)
    case 'path': {
      const stops = block.stops.map(({ name, text, status }, index, all) => {
        const arrow = index === all.length - 1 ? '└▶' : index === 0 ? '┌ ' : '│ '
        const title = `${style('dim', arrow)} ${status ? style(TONE_STYLES[status], name) : name}`
        return [title, text] as const
      })
      return titled(block.title, describeList(stops, columns), layout)
    }
    case 'tiles': {
      const rows = block.tiles.map(({ name, acronym, status, text }) => {
        const sign = style(TONE_STYLES[status], statusText(status))
        return [sign, `${name} (${acronym}): ${text}`] as const
      })
      return titled(block.title, describeList(rows, columns), layout)
    }
    case 'lookups':
      return lookupsText(block, layout)
    case 'points': {
      const rows = block.rows.map(({ name, points, max, words, losses }) => {
        const filled = Math.round((BAR_CELLS * points) / max)
        const bar = '■'.repeat(filled) + '□'.repeat(BAR_CELLS - filled)
        const lines = losses.map(({ text }) => text)
        return [name.padEnd(5), [`${bar}  ${words}`, ...lines].join('\n')] as const
      })
      return titled(block.title, describeList(rows, columns), layout)
    }
    case 'steps': {
      const items = block.steps.map(({ title, text, record }, index) =>
        [
          wrapText(style('bold', title), columns, '     ', `  ${index + 1}. `),
          wrapText(text, columns, '     '),
          ...(record ? recordLines(record, '     ', layout) : []),
        ].join('\n'),
      )
      return [style('bold', block.title), ...items].join('\n\n')
    }
    case 'findings':
      return block.findings
        .map((finding, index) => findingText(finding, `${block.first + index}. `, layout))
        .join('\n\n')
    case 'notes': {
      const lines = block.findings.map(({ id, title }) =>
        wrapText(`${title} (${id})`, columns, '    ', '  - '),
      )
      return titled(block.title, lines.join('\n'), layout)
    }
  }
}

const BAR_CELLS = 10

function titled(title: string | undefined, text: string, { style }: Layout): string {
  return title ? `${style('bold', title)}\n${text}` : text
}

function inline(text: Text, { style }: Layout): string {
  if (typeof text === 'string') return text
  return text
    .map((run) => {
      if (typeof run === 'string') return run
      return 'code' in run ? run.code : `${style(TONE_STYLES[run.tone], run.mark)}.`
    })
    .join('')
}

function findingText(finding: Finding, number: string, layout: Layout): string {
  const { columns, style } = layout
  const { id, severity, title, detail, fix, record, reference } = finding
  const indent = ' '.repeat(2 + number.length)
  const name = style(SEVERITY_STYLES[severity], severity)
  return [
    wrapText(`${style('bold', title)} (${name})`, columns, indent, `  ${number}`),
    wrapText(detail, columns, indent),
    wrapText(fix, columns, indent),
    ...(record ? recordLines(record, indent, layout) : []),
    style('dim', `${indent}${id}, ${reference}`),
  ].join('\n')
}

/** The value is on a line of its own and never wrapped, so it can be copied as it is. */
export function recordLines(
  { type, name, value }: Pick<NonNullable<Finding['record']>, 'type' | 'name' | 'value'>,
  indent: string,
  { style }: Layout,
  label = 'Record',
): string[] {
  return [`${indent}${label} (${type} at ${name}):`, `${indent}  ${style('cyan', value)}`]
}

/** The tree with its budget. */
function lookupsText(
  { title, used, limit, words, tree }: BlockOf<'lookups'>,
  layout: Layout,
): string {
  const { style } = layout
  const result = used > limit ? style('red', words) : words
  return [
    `${style('bold', title)}  ${budgetBar(used, limit)}  ${result}`,
    ...treeLines(tree, '  ', layout),
  ].join('\n')
}

export function treeLines(tree: TreeNode, indent: string, layout: Pick<Layout, 'style'>): string[] {
  return [`${indent}${nodeText(tree)}`, ...branchLines(tree.children, indent, layout)]
}

/** One cell a lookup; those above the limit look different even without color. */
function budgetBar(used: number, limit: number): string {
  const over = Math.min(Math.max(used - limit, 0), limit)
  const inside = Math.min(used, limit)
  return `${'■'.repeat(inside)}${'□'.repeat(limit - inside)}${'✗'.repeat(over)}`
}

function branchLines(
  nodes: readonly TreeNode[],
  indent: string,
  layout: Pick<Layout, 'style'>,
): string[] {
  const dim = (text: string) => layout.style('dim', text)
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1
    const line = `${indent}${dim(isLast ? '└─' : '├─')} ${nodeText(node)}`
    return [line, ...branchLines(node.children, `${indent}${isLast ? '  ' : dim('│ ')} `, layout)]
  })
}

function nodeText({ term, cost, state, match }: TreeNode): string {
  const words = [term, ...(cost ? [cost] : []), ...(match ? [plainText(match)] : [])].join('  ')
  return state === null ? words : `${words}: ${state}`
}
