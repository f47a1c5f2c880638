/** From the arguments of the process to an exit code. */
import { Command as CommanderCommand, CommanderError } from 'commander'
import { VERSION } from '../version.js'
import { type Command, type CommandContext, EXIT, type ExitCode, UsageError } from './command.js'
import { COMMANDS } from './commands.js'
import { EXIT_MEANINGS, PROGRAM_SUMMARY } from './program-facts.js'

export async function runProgram(
  commandLine: readonly string[],
  context: CommandContext,
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.fine
  const program = createProgram(context, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(commandFirst(commandLine), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage
    if (!(error instanceof UsageError)) throw error
    context.stderr.write(`${error.message}\n`)
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
      getOutHelpWidth: () => context.stdout.columns ?? 80,
      getErrHelpWidth: () => context.stderr.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(toErrorSentence(text)),
    })
    .addHelpText('after', PROGRAM_NOTES)
  for (const command of COMMANDS) addCommand(program, command, context, onExit)
  return program
}

const PROGRAM_NOTES = `
Without a command, mailgrade checks the domains: mailgrade example.com

Exit codes:
${EXIT_MEANINGS.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')}

Everything runs on this computer and is free, unless you use --server.`

function addCommand(
  program: CommanderCommand,
  { name, summary, argument, argumentDescription, options, examples, run }: Command,
  context: CommandContext,
  onExit: (code: ExitCode) => void,
): void {
  const command = program
    .command(name, { isDefault: name === 'check' })
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

/** Options may come before the command: `mailgrade --server … score example.com`. */
function commandFirst(commandLine: readonly string[]): string[] {
  const takesValue = new Set(
    COMMANDS.flatMap(({ options }) => options)
      .filter(({ required }) => required)
      .map(({ long }) => long),
  )
  for (let at = 0; at < commandLine.length; at++) {
    const word = commandLine[at] ?? ''
    if (word.startsWith('-')) {
      if (takesValue.has(word)) at++
    } else if (COMMANDS.some(({ name }) => name === word)) {
      return [word, ...commandLine.slice(0, at), ...commandLine.slice(at + 1)]
    } else break
  }
  return [...commandLine]
}

/** `error: unknown option '--formt'` → `Unknown option '--formt'.` */
function toErrorSentence(text: string): string {
  const [first = '', ...others] = text
    .replace(/^error: /, '')
    .trim()
    .split('\n')
  const sentence = `${first[0]?.toUpperCase() ?? ''}${first.slice(1)}`
  const end = /[.?!]$/.test(sentence) ? '' : '.'
  const hint = others.map((line) => ` ${line.replace(/^\((.*)\)$/, '$1')}`).join('')
  return `${sentence}${end}${hint} Run mailgrade --help to see the options.\n`
}
