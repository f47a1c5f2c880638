/** What a shell may offer after `mailgrade`, derived from the table of commands. */
import type { Option } from 'commander'
import type { Command } from '../command-line/command.js'

export interface CompletionCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletionOption[]
  readonly argument: Values
  /** Whether it takes several arguments. */
  readonly isRepeatable: boolean
}

export interface CompletionOption {
  /** Such as `-h` and `--help`. */
  readonly flags: readonly string[]
  readonly description: string
  /** Null for an option without a value. */
  readonly value: OptionValue | null
}

interface OptionValue {
  readonly name: string
  readonly values: Values
}

/** `format-file`: one of the words, `=` and a file. `unknown`: a domain, a URL or a number, which no shell can guess. */
export type Values =
  | { readonly kind: 'words' | 'format-file'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'unknown' }

const HELP: CompletionOption = {
  flags: ['-h', '--help'],
  description: 'print this help',
  value: null,
}

/** Only valid before a command. */
export const VERSION: CompletionOption = {
  flags: ['-V', '--version'],
  description: 'print the version',
  value: null,
}

export function describeCompletion(commands: readonly Command[]): CompletionCommand[] {
  const described = commands.map(({ name, summary, options, argument }) => {
    const formats = options.find(({ long }) => long === '--format')?.argChoices ?? []
    const visible = options.filter(({ hidden }) => !hidden)
    return {
      name,
      summary,
      options: [...visible.map((option) => describeOption(option, formats)), HELP],
      argument: valuesOf(argument, formats),
      isRepeatable: argument.includes('...'),
    }
  })
  const names = commands.map(({ name }) => name)
  return [
    ...described,
    {
      name: 'help',
      summary: 'print help for a command',
      options: [],
      argument: { kind: 'words', words: names },
      isRepeatable: false,
    },
  ]
}

/** Every flag that takes the next word as its value. */
export function flagsWithValue(commands: readonly CompletionCommand[]): string[] {
  const options = commands.flatMap((command) => command.options)
  return [...new Set(options.filter(({ value }) => value).flatMap(({ flags }) => flags))]
}

function describeOption(
  { short, long, description, flags, argChoices }: Option,
  formats: readonly string[],
): CompletionOption {
  const [placeholder] = /[<[].*[>\]]/.exec(flags) ?? []
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    value: placeholder
      ? {
          name: nameOf(placeholder),
          values: argChoices
            ? { kind: 'words', words: argChoices }
            : valuesOf(placeholder, formats),
        }
      : null,
  }
}

/** `<file|->` is a file, `<bash|zsh|fish>` one of three words, `<domain...>` neither. */
function valuesOf(placeholder: string, formats: readonly string[]): Values {
  const names = nameOf(placeholder).split('|')
  if (names.includes('format=file')) return { kind: 'format-file', words: formats }
  if (names.some((name) => /^(?:file|path)s?$/.test(name))) return { kind: 'file' }
  if (names.some((name) => /^folders?$/.test(name))) return { kind: 'folder' }
  return names.length > 1 ? { kind: 'words', words: names } : { kind: 'unknown' }
}

function nameOf(placeholder: string): string {
  return placeholder.replace(/^[<[]|(?:\.\.\.)?[>\]]$/g, '')
}
