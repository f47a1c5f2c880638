/** Every file that `npm run docs` writes from the table of commands, and the parts in Markdown. */
import { COMMANDS } from '../command-line/commands.js'
import {
  type CommandEntry,
  type CommandReference,
  describeCommands,
  type OptionEntry,
} from './command-reference.js'
import { manPage } from './man-page.js'

/** The new text of each file, by its path in the repository. */
export async function writeDocuments(
  read: (file: string) => string,
  run: RunExample,
): Promise<Map<string, string>> {
  const reference = describeCommands(COMMANDS)
  const guide = 'docs/command-line.md'
  const readme = 'packages/cli/README.md'
  const example = await exampleBlock('npx mailgrade acme.example', run)
  return new Map([
    ['packages/cli/man/mailgrade.1', manPage(reference, latestRelease(read('CHANGELOG.md')))],
    [guide, replacePart(read(guide), 'commands', await markdownReference(reference, run))],
    [
      readme,
      replacePart(
        replacePart(read(readme), 'commands', commandTable(reference)),
        'example',
        example,
      ),
    ],
  ])
}

function latestRelease(changelog: string) {
  const [, version = '', date = ''] = /^## \[(.+)\] - (\d{4}-\d{2}-\d{2})$/m.exec(changelog) ?? []
  return { version, date }
}

/** Runs `mailgrade` over the domains of scripts/example.zone and returns what it prints. */
type RunExample = (commandLine: readonly string[]) => Promise<string>

/** What the documentation shows of a command whose output depends on DNS alone. */
const SHOWN: Readonly<Record<string, string>> = {
  check: 'mailgrade acme.example',
  spf: 'mailgrade spf acme.example --ip 192.0.2.1',
  dkim: 'mailgrade dkim acme.example',
  dmarc: 'mailgrade dmarc acme.example',
  mx: 'mailgrade mx acme.example',
  score: 'mailgrade score acme.example',
  plan: 'mailgrade plan acme.example',
  address: 'mailgrade address ann@gmial.com',
}

const MAX_LINES = 38

export async function markdownReference(
  { commands, sharedOptions }: CommandReference,
  run: RunExample,
): Promise<string> {
  const sections: string[] = []
  for (const command of commands) sections.push(await commandSection(command, run))
  if (sharedOptions.length > 0) {
    sections.push(`### Shared options\n\n${optionTable(sharedOptions)}`)
  }
  return sections.join('\n\n')
}

export function commandTable({ commands }: CommandReference): string {
  return table(
    ['command', 'what it does'],
    commands.map(({ name, argument, summary }) => [
      `\`${`mailgrade ${name} ${argument}`.trim()}\``,
      summary,
    ]),
  )
}

/** The command and the beginning of its output. */
export async function exampleBlock(
  commandLine: string,
  run: RunExample,
  maxLines = MAX_LINES,
): Promise<string> {
  const output = await run(commandLine.replace(/^(?:npx )?mailgrade /, '').split(' '))
  const lines = output
    .trimEnd()
    .replace(/\b\d+ ms\b/, '95 ms')
    .split('\n')
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), '…'] : lines
  return ['```console', `$ ${commandLine}`, ...shown, '```'].join('\n')
}

/** Replaces what is between `<!-- name: npm run docs -->` and `<!-- /name -->`. */
export function replacePart(document: string, name: string, content: string): string {
  const start = `<!-- ${name}: npm run docs -->`
  const end = `<!-- /${name} -->`
  const [before, rest] = document.split(start)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`There is no part ${name} in the document`)
  return `${before}${start}\n\n${content}\n\n${end}${after}`
}

async function commandSection(command: CommandEntry, run: RunExample): Promise<string> {
  const { name, argument, argumentDescription, summary, ownOptions, sharedFlags } = command
  const flags = sharedFlags.map((flag) => `\`${flag}\``).join(', ')
  const shown = SHOWN[name]
  const parts = [
    `### mailgrade ${name}`,
    `${summary}${argument ? ` \`${argument}\`: ${argumentDescription}` : ''}`,
    shown ? await exampleBlock(shown, run) : null,
    ownOptions.length > 0 ? optionTable(ownOptions) : null,
    flags === '' ? null : `[Shared options](#shared-options): ${flags}.`,
    examplesBlock(command),
  ]
  return parts.filter((part) => part !== null).join('\n\n')
}

function examplesBlock({ examples }: CommandEntry): string {
  const lines = examples.map(({ command, explanation }) => `# ${explanation}\n${command}`)
  return `\`\`\`sh\n${lines.join('\n\n')}\n\`\`\``
}

function optionTable(options: readonly OptionEntry[]): string {
  return table(
    ['option', 'meaning'],
    options.map(({ flags, description }) => [`\`${flags}\``, description]),
  )
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = body.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return [line(head), rule, ...rows.map(line)].join('\n')
}
