import { Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { type Command, EXIT } from '../command-line/command.js'
import { describeCommands } from './command-reference.js'
import { commandTable, exampleBlock, markdownReference, replacePart } from './documents.js'
import { manPage } from './man-page.js'

const timeout = new Option('-t, --timeout <seconds>', 'how long a report may take')
const format = new Option('--format <format>', 'how to write it').choices(['text', 'csv'])

function command(name: string, options: Option[]): Command {
  return {
    name,
    summary: `${name} domains`,
    argument: '<domain...>',
    argumentDescription: 'domains such as .example',
    options,
    examples: [{ command: `mailgrade ${name} "a b" --exact`, explanation: "Keep a domain's www." }],
    run: async () => EXIT.fine,
  }
}

const hidden = new Option('--hidden', 'not in the help').hideHelp()
const REFERENCE = describeCommands([
  command('check', [timeout, format.default('text'), hidden]),
  command('spf', [timeout, new Option('--ip <address>', 'the server that sends')]),
  command('mx', [timeout]),
])
const RELEASE = { version: '1.2.3', date: '2026-01-02' }

describe('an option', () => {
  test('that three commands have is described once', () => {
    expect(REFERENCE.sharedOptions).toEqual([
      { flags: '-t, --timeout <seconds>', description: 'How long a report may take.' },
    ])
    expect(REFERENCE.commands.map(({ sharedFlags }) => sharedFlags)).toEqual([
      ['--timeout'],
      ['--timeout'],
      ['--timeout'],
    ])
  })

  test('of one command is described there, with its choices', () => {
    expect(REFERENCE.commands.map(({ ownOptions }) => ownOptions)).toEqual([
      [
        {
          flags: '--format <format>',
          description: 'How to write it. One of: text, csv. Default: text.',
        },
      ],
      [{ flags: '--ip <address>', description: 'The server that sends.' }],
      [],
    ])
  })
})

test('of two descriptions of an option, the most common one is shared', () => {
  const csv = new Option('--format <format>', 'how to write it').choices(['csv'])
  const text = new Option('--format <format>', 'how to write it').choices(['text'])
  const formats = [csv, csv, csv, text, text, text, text]
  const reference = describeCommands(formats.map((option, index) => command(`c${index}`, [option])))
  expect(reference.sharedOptions).toEqual([
    { flags: '--format <format>', description: 'How to write it. One of: text.' },
  ])
  expect(reference.commands[0]?.ownOptions).toEqual([
    { flags: '--format <format>', description: 'How to write it. One of: csv.' },
  ])
})

describe('the man page', () => {
  const lines = manPage(REFERENCE, RELEASE).split('\n')

  test('begins with the release', () => {
    expect(lines[0]).toBe('.TH MAILGRADE 1 2026-01-02 "mailgrade 1.2.3" "User Commands"')
  })

  test('has hyphens and quotation marks that can be copied', () => {
    expect(lines).toContain('.B \\-t, \\-\\-timeout <seconds>')
    expect(lines).toContain('.B mailgrade check \\(dqa b\\(dq \\-\\-exact')
    expect(lines).toContain('Keep a domain\\(aqs www.')
  })

  test('begins no line of text with a dot, which roff takes for a command', () => {
    const dotted = { ...REFERENCE.sharedOptions[0], flags: '--x', description: '.example …' }
    const page = manPage({ commands: [], sharedOptions: [dotted] }, RELEASE)
    expect(page).toContain('\n\\&.example \\[u2026]\n')
  })
})

test('a command without an argument has nothing after its name', async () => {
  const alone = { ...command('mcp', [timeout]), argument: '', argumentDescription: '' }
  const reference = describeCommands([alone])
  expect(commandTable(reference)).toContain('| `mailgrade mcp` | Mcp domains. |')
  expect(manPage(reference, RELEASE)).toContain('\n.B mailgrade mcp\n.RI [ options ]\n.SH ')
  expect(await markdownReference(reference, async () => '')).toContain(
    '### mailgrade mcp\n\nMcp domains.\n\n',
  )
})

describe('the Markdown reference', () => {
  test('has a section for each command and for the shared options', async () => {
    const text = await markdownReference(REFERENCE, async () => 'output\n')
    expect(text.match(/^### .*$/gm)).toEqual([
      '### mailgrade check',
      '### mailgrade spf',
      '### mailgrade mx',
      '### Shared options',
    ])
    expect(text).toContain('| `--ip <address>` | The server that sends. |')
    expect(text).toContain('```console\n$ mailgrade mx acme.example\noutput\n```')
  })

  test('shows the beginning of a long output', async () => {
    const run = async (line: readonly string[]) => `${line.join('+')}\n2\n3\n`
    expect(await exampleBlock('npx mailgrade spf a.test', run, 2)).toBe(
      '```console\n$ npx mailgrade spf a.test\nspf+a.test\n2\n…\n```',
    )
  })

  test('replaces the marked part of a document only', () => {
    const document = 'a\n<!-- x: npm run docs -->\nold\n<!-- /x -->\nb'
    expect(replacePart(document, 'x', 'new')).toBe(
      'a\n<!-- x: npm run docs -->\n\nnew\n\n<!-- /x -->\nb',
    )
    expect(() => replacePart(document, 'y', '')).toThrow('There is no part y')
  })
})
