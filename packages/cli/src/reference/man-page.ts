/** The man page mailgrade(1), in the man macros of groff and mandoc. */
import { ENVIRONMENT, EXIT_MEANINGS, PROGRAM_SUMMARY } from '../command-line/command.js'
import {
  type CommandEntry,
  type CommandReference,
  type OptionEntry,
  toSentence,
} from './command-reference.js'

export interface Release {
  readonly version: string
  /** YYYY-MM-DD */
  readonly date: string
}

export function manPage(
  { commands, sharedOptions }: CommandReference,
  { version, date }: Release,
): string {
  const lines = [
    `.TH MAILGRADE 1 ${date} "mailgrade ${version}" "User Commands"`,
    '.SH NAME',
    'mailgrade \\- check whether mail from a domain can be forged, and fix it',
    '.SH SYNOPSIS',
    `.B mailgrade\n.RI [ options ] " domain" ...`,
    ...commands.map(
      (command) => `.br\n.B mailgrade ${literal(command.name)}\n${synopsis(command)}`,
    ),
    '.SH DESCRIPTION',
    prose(PROGRAM_SUMMARY),
    prose('mailgrade reads a domain’s records for SPF, DKIM, DMARC, MX, and transport security.'),
    prose('It shows what happens to a forged email today, and which records fix that.'),
    '.PP',
    prose('If you don’t name a command, mailgrade checks the domains.'),
    prose('Everything runs on your computer, uses DNS-over-HTTPS, and is free.'),
    prose('With --server, reports come from a running service and may cost money.'),
    '.PP',
    prose('A failed lookup never counts as a missing record.'),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    ...(sharedOptions.length > 0
      ? ['.SH SHARED OPTIONS', 'Several commands share these options.']
      : []),
    ...sharedOptions.flatMap(optionLines),
    '.SH EXIT STATUS',
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => [
      '.TP',
      `.B ${code}`,
      prose(toSentence(meaning)),
    ]),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, meaning]) => ['.TP', `.B ${literal(name)}`, prose(meaning)]),
    '.SH EXAMPLES',
    ...commands.flatMap(({ examples }) => examples).flatMap(exampleLines),
    '.SH SEE ALSO',
    '.BR dig (1)',
    '.PP',
    'RFC 7208 (SPF), RFC 6376 (DKIM), RFC 9989 (DMARC), RFC 5321 (MX)',
  ]
  return `${lines.join('\n')}\n`
}

function commandLines(command: CommandEntry): string[] {
  const { name, argument, argumentDescription, summary, ownOptions, sharedFlags } = command
  return [
    `.SS mailgrade ${literal(name)}`,
    prose(summary),
    ...(argument ? ['.TP', `.I ${literal(argument)}`, prose(argumentDescription)] : []),
    ...ownOptions.flatMap(optionLines),
    ...(sharedFlags.length > 0
      ? [
          '.PP',
          `Shared options: ${sharedFlags.map((flag) => `\\fB${literal(flag)}\\fR`).join(', ')}`,
        ]
      : []),
  ]
}

function synopsis({ argument, ownOptions, sharedFlags }: CommandEntry): string {
  const lines = [
    ...(ownOptions.length + sharedFlags.length > 0 ? ['.RI [ options ]'] : []),
    ...(argument ? [`.I ${literal(argument)}`] : []),
  ]
  return lines.join('\n')
}

function optionLines({ flags, description }: OptionEntry): string[] {
  return ['.TP', `.B ${literal(flags)}`, prose(description)]
}

function exampleLines({ command, explanation }: CommandEntry['examples'][number]): string[] {
  return ['.TP', `.B ${literal(command)}`, prose(explanation)]
}

/** Text to read; each sentence is a line, as roff expects. */
function prose(text: string): string {
  return escapeRoff(text.replace(/(?<=[.?!]) (?=[A-Z])/g, '\n'))
}

/** Text to copy: a hyphen stays a hyphen, and quotation marks do not end an argument. */
function literal(text: string): string {
  return escapeRoff(text).replaceAll('-', '\\-').replaceAll('"', '\\(dq')
}

function escapeRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replace(/[^\0-\x7f]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0
      return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`
    })
    .replace(/^\./gm, '\\&.')
}
