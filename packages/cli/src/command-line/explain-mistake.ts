/** What is wrong with the arguments, and what to type instead. */
import type { CommanderError } from 'commander'
import type { Command } from './command.js'

/** One line. `command` is null for the program itself. */
export function explainMistake({ code, message }: CommanderError, command: Command | null): string {
  const [, first = '', didYouMean] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(message) ?? []
  const name = command ? `mailgrade ${command.name}` : 'mailgrade'
  const parts = [describe(code, first, command, didYouMean), `Run ${name} --help to see`]
  return `${parts.join(' ')} ${command ? 'the options' : 'the commands'}.`
}

/** Commander puts the words of the user in quotation marks. */
function describe(
  code: string,
  text: string,
  command: Command | null,
  didYouMean: string | undefined,
): string {
  const [, given = ''] = /'(.*?)'/s.exec(text) ?? []
  switch (code) {
    case 'commander.unknownCommand':
      return didYouMean
        ? `There is no command ${given}. ${didYouMean}`
        : `${given} is neither a command nor a full domain name, such as example.com.`
    case 'commander.unknownOption': {
      const hint = didYouMean ?? (command && hintFor(given, command))
      return `Unknown option '${given.replace(/=.*/s, '')}'.${hint ? ` ${hint}` : ''}`
    }
    case 'commander.missingArgument':
      return `mailgrade ${command?.name} needs ${command?.argument}: ${command?.argumentDescription}.`
    case 'commander.optionMissingArgument':
      return `A value is missing: ${given}.`
    case 'commander.invalidArgument': {
      const [, value, advice] = /argument '(.*)' is invalid\. (.*)$/s.exec(text) ?? []
      return `${quoteUnlessLogin(value)} is not a value for ${longFlag(given)}. ${advice}`
    }
    default:
      return `${text[0]?.toUpperCase()}${text.slice(1)}`
  }
}

/** A login in a URL, however it is mistyped, must not end up in a log. */
function quoteUnlessLogin(value = ''): string {
  return /[@\ufe6b\uff20]|%40/i.test(value) ? 'This' : `'${value}'`
}

/** `-f, --format <format>` → `--format` */
function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags
}

/** For what people know from other programs. */
const HINTS: Readonly<Record<string, string>> = {
  '-v': 'Use --version.',
  '--color': 'Set the environment variable FORCE_COLOR=1 instead.',
  '--no-color': 'Set the environment variable NO_COLOR=1 instead.',
  '--nameserver': 'Use --resolver with the URL of a DNS-over-HTTPS endpoint.',
}

const FILE_FLAGS: readonly string[] = ['-o', '--out', '--output']

function hintFor(flag: string, { options }: Command): string | undefined {
  const format = options.find(({ long }) => long === '--format')
  const name = flag.replace(/^--/, '')
  if (format?.argChoices?.includes(name)) return `Use --format ${name}.`
  const hasReport = options.some(({ long }) => long === '--report')
  if (hasReport && FILE_FLAGS.includes(flag))
    return 'Use --report, such as --report json=mail.json.'
  return HINTS[flag]
}
