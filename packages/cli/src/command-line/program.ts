/** From the arguments of the process to an exit code. */
import { toVisibleLine } from '@mailgrade/core'
import { Command as CommanderCommand, CommanderError } from 'commander'
import { createLayout } from '../terminal/layout.js'
import { VERSION } from '../version.js'
import {
  type Command,
  type CommandContext,
  DEFAULT_COMMAND,
  EXIT,
  EXIT_MEANINGS,
  type ExitCode,
  PROGRAM_SUMMARY,
  STDIN,
  UsageError,
} from './command.js'
import { COMMANDS } from './commands.js'

export async function runProgram(
  commandLine: readonly string[],
  context: CommandContext,
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.fine
  const program = createProgram(context, (code) => {
    exitCode = code
  })
  const words = toCommandWords(commandLine)
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.fine
      // Without arguments, the help is the message.
      if (error.code !== 'commander.help') {
        const explanation = explainMistake(error, findCommand(words[0]))
        context.stderr.write(`${toVisibleLine(explanation)}\n`)
      }
      return EXIT.usage
    }
    if (!(error instanceof UsageError)) throw error
    // It may repeat what a file says, such as the columns of a CSV file.
    context.stderr.write(`${toVisibleLine(error.message)}\n`)
    return EXIT.usage
  }
}

function createProgram(
  context: CommandContext,
  onExit: (code: ExitCode) => void,
): CommanderCommand {
  const program = new CommanderCommand('mailgrade')
    .description(PROGRAM_SUMMARY)
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .usage('[command] <domain...> [options]')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHelpWidth: () => createLayout(context.stdout, context.env).columns,
      getErrHelpWidth: () => createLayout(context.stderr, context.env).columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError() {},
    })
    .configureHelp({ minWidthToWrap: 10 })
    .addHelpText('after', PROGRAM_NOTES)
  for (const command of COMMANDS) addCommand(program, command, context, onExit)
  return program
}

const PROGRAM_NOTES = `
Examples:
  mailgrade example.com
      Check a domain. This is short for mailgrade check.
  mailgrade plan example.com
      Show every record to publish, in order, with steps.
  mailgrade scan domains.txt --html report.html
      Check a list of domains.

Run mailgrade help <command> to see its options and examples.

Exit codes:
${EXIT_MEANINGS.map(([code, meaning]) => `  ${`${code}`.padEnd(2)}  ${meaning}`).join('\n')}

Everything runs on your computer and is free unless you use --server.`

function addCommand(
  program: CommanderCommand,
  { name, summary, argument, argumentDescription, options, examples, run }: Command,
  context: CommandContext,
  onExit: (code: ExitCode) => void,
): void {
  const command = program
    .command(name)
    .summary(summary)
    .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    .helpOption('-h, --help', 'print this help')
    .copyInheritedSettings(program)
  if (argument) command.argument(argument, argumentDescription)
  for (const option of options) command.addOption(option)
  const lines = examples.map((it) => `  ${it.command}\n      ${it.explanation}`)
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
  command.action(async (values: string | string[] | undefined) => {
    onExit(await run([values ?? []].flat(), command.opts(), context))
  })
}

/** Puts the command first: options may come before it, and without one it is `check`. */
function toCommandWords(commandLine: readonly string[]): string[] {
  const at = findFirstWord(commandLine)
  const word = commandLine[at]
  const others = commandLine.filter((_, index) => index !== at)
  if (word === undefined) {
    const isForProgram = others.length === 0 || others.some((it) => PROGRAM_FLAGS.includes(it))
    return isForProgram ? others : [DEFAULT_COMMAND, ...others]
  }
  if (word === 'help') {
    const [name = 'help'] = others
    return name === 'help' ? ['--help'] : findCommand(name) ? [name, '--help'] : [name]
  }
  if (findCommand(word)) return [word, ...others]
  // Every domain has a dot, so this is a mistyped command, which the program explains.
  return /^[a-z-]+$/i.test(word) ? [word] : [DEFAULT_COMMAND, ...commandLine]
}

const PROGRAM_FLAGS: readonly string[] = ['-h', '--help', '-V', '--version']

function findCommand(word: string | undefined): Command | null {
  return COMMANDS.find(({ name }) => name === word) ?? null
}

/** The index of the first word that is neither an option nor its value; -1 if there is none. */
function findFirstWord(commandLine: readonly string[]): number {
  const takesValue = new Set(
    COMMANDS.flatMap(({ options }) => options)
      .filter(({ required }) => required)
      .flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)),
  )
  return commandLine.findIndex((word, index) => {
    const isOption = word.startsWith('-') && word !== STDIN
    return !isOption && !takesValue.has(commandLine[index - 1] ?? '')
  })
}

/** One line. `command` is null for the program itself. */
function explainMistake({ code, message }: CommanderError, command: Command | null): string {
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
        ? `${given} isn’t a command. ${didYouMean}`
        : `${given} isn’t a command, and it isn’t a full domain name such as example.com.`
    case 'commander.unknownOption': {
      const hint = didYouMean ?? (command && hintFor(given, command))
      return `Unknown option '${given.replace(/=.*/s, '')}'.${hint ? ` ${hint}` : ''}`
    }
    case 'commander.missingArgument':
      return `mailgrade ${command?.name} needs ${command?.argument}: ${command?.argumentDescription}.`
    case 'commander.optionMissingArgument':
      return `This option needs a value: ${given}.`
    case 'commander.invalidArgument': {
      const [, value, advice] = /argument '(.*)' is invalid\. (.*)$/s.exec(text) ?? []
      return `${quoteUnlessLogin(value)} isn’t a valid value for ${longFlag(given)}. ${advice}`
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
    return 'Use --report instead, such as --report json=mail.json.'
  return HINTS[flag]
}
